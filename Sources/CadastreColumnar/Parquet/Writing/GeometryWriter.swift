import CadastreModel

/// The columns of the geometry: well-known binary, and its bounds.
final class GeometryWriter {
  /// The columns in the schema.
  let fields: [ColumnarField]
  private let name: String
  private let geometry: LeafWriter
  /// The leaves of the bounds: xmin, ymin, xmax, ymax; empty if the name is taken.
  private let covering: [LeafWriter]
  private var bounds: (xMin: Double, yMin: Double, xMax: Double, yMax: Double)?
  private var hasPlainPoints = false
  private var hasAltitudes = false

  private static let usualName = "geometry"
  private static let coveringName = "bbox"
  private static let members = ["xmin", "ymin", "xmax", "ymax"]

  /// Creates the columns.
  ///
  /// - Parameters:
  ///   - names: The names of the other columns.
  ///   - leaves: Receives the leaves.
  init(names: Set<String>, _ leaves: inout [LeafWriter]) {
    var name = Self.usualName
    while names.contains(name) { name += "_" }
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

  /// Appends the geometry of a row.
  func append(_ point: ColumnarPoint?) {
    guard let point else {
      for leaf in [geometry] + covering { leaf.appendNull(repetition: 0, definition: 0) }
      return
    }
    let coordinates = [point.x, point.y] + (point.z.map { [$0] } ?? [])
    geometry.append(PointBinary.bytes(coordinates), repetition: 0)
    if point.z == nil { hasPlainPoints = true } else { hasAltitudes = true }
    for (index, leaf) in covering.enumerated() {
      let number = index % 2 == 0 ? point.x : point.y
      let rounded = index < 2 ? Self.roundedDown(number) : -Self.roundedDown(-number)
      leaf.append(UInt64(rounded.bitPattern), repetition: 0)
    }
    let old = bounds ?? (point.x, point.y, point.x, point.y)
    bounds = (
      min(old.xMin, point.x), min(old.yMin, point.y), max(old.xMax, point.x),
      max(old.yMax, point.y)
    )
  }

  /// Returns the largest float that is not greater than a number.
  private static func roundedDown(_ number: Double) -> Float {
    let nearest = Float(number)
    return Double(nearest) > number ? nearest.nextDown : nearest
  }

  /// The value of the key `geo`.
  var metadata: String {
    let types = (hasPlainPoints ? ["\"Point\""] : []) + (hasAltitudes ? ["\"Point Z\""] : [])
    var column = "\"encoding\":\"WKB\",\"geometry_types\":[\(types.joined(separator: ","))]"
    if let bounds {
      column += ",\"bbox\":[\(bounds.xMin),\(bounds.yMin),\(bounds.xMax),\(bounds.yMax)]"
    }
    if !covering.isEmpty {
      let paths = Self.members.map { "\"\($0)\":[\"\(Self.coveringName)\",\"\($0)\"]" }
      column += ",\"covering\":{\"bbox\":{\(paths.joined(separator: ","))}}"
    }
    return
      "{\"version\":\"1.1.0\",\"primary_column\":\"\(name)\",\"columns\":{\"\(name)\":{\(column)}}}"
  }
}
