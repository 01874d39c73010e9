import CadastreGeometry
import CadastreModel

/// The writer of the geometry column, in well-known binary, and of its covering column.
final class GeometryWriter {
  /// The columns in the schema.
  let fields: [ColumnarField]
  private let name: String
  private let geometry: LeafWriter
  /// The covering leaves: xmin, ymin, xmax, ymax; empty if another column is called `bbox`.
  private let covering: [LeafWriter]
  private var extent: Envelope?
  /// The geometry types, as GeoParquet names them.
  private var types: Set<String> = []

  private static let usualName = "geometry"
  private static let coveringName = "bbox"
  private static let members = ["xmin", "ymin", "xmax", "ymax"]

  /// Creates the columns.
  ///
  /// - Parameters:
  ///   - names: The names of the other columns.
  ///   - leaves: Receives the leaves.
  init(names: Set<String>, _ leaves: inout [LeafWriter]) {
    var distinct = DistinctNames("_", used: names)
    let name = distinct.add(Self.usualName)
    self.name = name
    geometry = LeafWriter([name], .byteArray, definition: 1, repetition: 0, hasStatistics: false)
    leaves.append(geometry)
    var fields = [ColumnarField(name: name, type: .scalar(.data), isOptional: true)]
    if names.contains(Self.coveringName) {
      covering = []
    } else {
      covering = Self.members.map {
        LeafWriter([Self.coveringName, $0], .float, definition: 1, repetition: 0)
      }
      leaves += covering
      fields.append(
        ColumnarField(
          name: Self.coveringName,
          type: .record(
            Self.members.map {
              ColumnarField(name: $0, type: .scalar(.float), isOptional: false)
            }), isOptional: true))
    }
    self.fields = fields
  }

  /// Appends the point of a row.
  func append(_ point: ColumnarPoint?) {
    guard let point else { return appendNull() }
    let coordinates = [point.x, point.y] + (point.z.map { [$0] } ?? [])
    append(
      PointBinary.bytes(coordinates), type: point.z == nil ? "Point" : "Point Z", point.envelope)
  }

  /// Appends the geometry of a row; an empty one is null.
  func append(_ shape: Geometry?) {
    guard let shape, let envelope = shape.planarEnvelope else { return appendNull() }
    append(shape.wkb(), type: shape.kind.rawValue + (shape.hasAltitude ? " Z" : ""), envelope)
  }

  private func appendNull() {
    for leaf in [geometry] + covering { leaf.appendNull(repetition: 0, definition: 0) }
  }

  private func append(_ bytes: [UInt8], type: String, _ envelope: Envelope) {
    geometry.append(bytes, repetition: 0)
    types.insert(type)
    for (index, (leaf, number)) in zip(covering, envelope.sides).enumerated() {
      let rounded = index < 2 ? Self.roundedDown(number) : -Self.roundedDown(-number)
      leaf.append(UInt64(rounded.bitPattern), repetition: 0)
    }
    extent?.formUnion(envelope)
    extent = extent ?? envelope
  }

  /// Returns the largest float that is not greater than a number.
  private static func roundedDown(_ number: Double) -> Float {
    let nearest = Float(number)
    return Double(nearest) > number ? nearest.nextDown : nearest
  }

  /// The value of the key `geo`.
  var metadata: String {
    let types = self.types.sorted().map { "\"\($0)\"" }
    var column = "\"encoding\":\"WKB\",\"geometry_types\":[\(types.joined(separator: ","))]"
    if let extent {
      column += ",\"bbox\":[\(extent.sides.map(\.description).joined(separator: ","))]"
    }
    if !covering.isEmpty {
      let paths = Self.members.map { "\"\($0)\":[\"\(Self.coveringName)\",\"\($0)\"]" }
      column += ",\"covering\":{\"bbox\":{\(paths.joined(separator: ","))}}"
    }
    return
      "{\"version\":\"1.1.0\",\"primary_column\":\"\(name)\",\"columns\":{\"\(name)\":{\(column)}}}"
  }
}
