import CadastreGeometry
import CadastreModel
import Foundation

/// The writer of the geometry column, in well-known binary, and of its covering column.
///
/// One thread at a time uses it, so accesses are not checked for overlap.
final class GeometryWriter {
  /// The columns in the schema.
  let fields: [ColumnarField]
  private let name: String
  /// The names of the other columns with well-known binary.
  private let others: [String]
  private let geometry: LeafWriter
  /// The covering leaves: xmin, ymin, xmax, ymax; empty if another column is called `bbox`.
  private let covering: [LeafWriter]
  @exclusivity(unchecked) private var extent: Envelope?
  /// The geometry types, as GeoParquet names them.
  @exclusivity(unchecked) private var types: Set<String> = []
  @exclusivity(unchecked) private var lastType = ""
  /// The bytes of the last point.
  @exclusivity(unchecked) private var bytes: [UInt8] = []

  private static let usualName = "geometry"
  private static let coveringName = "bbox"
  private static let members = ["xmin", "ymin", "xmax", "ymax"]

  /// Creates the columns.
  ///
  /// - Parameters:
  ///   - columns: The other columns.
  ///   - leaves: Receives the leaves.
  init(beside columns: [ColumnarField], _ leaves: inout [LeafWriter]) {
    others = columns.filter { $0.type == .scalar(.geometry) }.map(\.name)
    let names = Set(columns.map(\.name))
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
    bytes.removeAll(keepingCapacity: true)
    PointBinary.append(point.x, point.y, point.z, to: &bytes)
    append(bytes, type: point.z == nil ? "Point" : "Point Z", point.envelope)
  }

  /// Appends the geometry of a row; an empty one is null.
  func append(_ shape: Geometry?) {
    guard let shape, let envelope = shape.planarEnvelope else { return appendNull() }
    append(shape.fileWKB, type: shape.kind.rawValue + (shape.hasAltitude ? " Z" : ""), envelope)
  }

  private func appendNull() {
    for leaf in [geometry] + covering { leaf.appendNull(repetition: 0, definition: 0) }
  }

  private func append(_ bytes: [UInt8], type: String, _ envelope: Envelope) {
    geometry.append(bytes, repetition: 0)
    if type != lastType {
      types.insert(type)
      lastType = type
    }
    if !covering.isEmpty {
      cover(0, Self.roundedDown(envelope.west))
      cover(1, Self.roundedDown(envelope.south))
      cover(2, -Self.roundedDown(-envelope.east))
      cover(3, -Self.roundedDown(-envelope.north))
    }
    extent?.formUnion(envelope)
    extent = extent ?? envelope
  }

  private func cover(_ side: Int, _ number: Float) {
    covering[side].append(UInt64(number.bitPattern), repetition: 0)
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
    let further = others.map { name in
      ",\(Self.quoted(name)):{\"encoding\":\"WKB\",\"geometry_types\":[]}"
    }
    return
      "{\"version\":\"1.1.0\",\"primary_column\":\"\(name)\",\"columns\":{\"\(name)\":{\(column)}"
      + further.joined() + "}}"
  }

  /// Returns a text as a string of JSON.
  private static func quoted(_ text: String) -> String {
    let data = try? JSONEncoder().encode(text)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}
