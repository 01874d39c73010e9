import CadastreFormatting

/// A reader of the features of a TopoJSON file, which is read into memory.
///
/// An object of the topology is a layer; its geometries are features with the field `id` and the
/// fields of `properties`.
///
/// Source: "The TopoJSON Format Specification", version 1.0.
final class TopoJSONReader: FeatureSource {
  let path: String
  let notices = ReaderNotices()
  let progressBytes: Int
  let totalBytes: Int?
  private let record: JSONRecord
  private let arcs: TopoJSONArcs
  /// The nodes of the features that are not returned yet, in reverse order.
  private var nodes: [Int]

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - layer: The name of an object of the topology; nil for the only one.
  /// - Throws: ``DatasetError`` if the file cannot be read, is not a topology or has no such object.
  init(path: String, layer: String? = nil) throws(DatasetError) {
    let reader = try JSONReader(path: path, framing: .document)
    var record = JSONRecord()
    let root = JSONRecord.root
    guard try reader.nextRecord(&record),
      let type = record.member("type", of: root), record.text(type) == "Topology",
      let objects = record.member("objects", of: root), record[objects].kind == .object
    else { throw DatasetError(path: path, problem: .topoJSON(.noTopology)) }
    // The rest of the file must be blank.
    var rest = JSONRecord()
    _ = try reader.nextRecord(&rest)
    (self.path, self.record) = (path, record)
    (progressBytes, totalBytes) = (reader.progressBytes, reader.totalBytes)
    do throws(TopoJSONProblem) {
      arcs = try TopoJSONArcs(record)
    } catch {
      throw DatasetError(path: path, problem: .topoJSON(error))
    }
    let layers = record.members(of: objects).map { (name: record.text($0.name), node: $0.value) }
    let names = layers.map(\.name)
    if layer == nil, layers.count > 1 {
      throw DatasetError(path: path, problem: .geoPackage(.severalLayers(names)))
    }
    guard let object = layer == nil ? layers.first : layers.first(where: { $0.name == layer })
    else {
      throw DatasetError(
        path: path,
        problem: .geoPackage(layer.map { .noLayer(name: $0, layers: names) } ?? .noLayers))
    }
    if let type = record.member("type", of: object.node),
      record.text(type) == "GeometryCollection",
      let geometries = record.member("geometries", of: object.node)
    {
      nodes = Array(record.elements(of: geometries)).reversed()
    } else {
      nodes = [object.node]
    }
  }

  func nextFeature() throws(DatasetError) -> FeatureContent? {
    guard let node = nodes.popLast() else { return nil }
    var feature = FeatureContent(line: record.lineNumber)
    if let id = record.member("id", of: node) { feature.add("id", json: record.json(id)) }
    if let properties = record.member("properties", of: node) {
      for member in record.members(of: properties) {
        feature.add(record.text(member.name), json: record.json(member.value))
      }
    }
    do throws(TopoJSONProblem) {
      feature.geometry = try geometry(node)?.json ?? Self.null
    } catch {
      throw DatasetError(
        path: path, line: record.lineNumber, scope: .row, problem: .topoJSON(error))
    }
    return feature
  }

  /// The GeoJSON of a null geometry.
  private static let null: OutputText = {
    var text = OutputText()
    text.append("null")
    return text
  }()

  /// Returns a geometry; nil for null.
  private func geometry(_ node: Int) throws(TopoJSONProblem) -> GeometryText? {
    guard record[node].kind == .object, let typeNode = record.member("type", of: node),
      record[typeNode].kind != .null
    else { return nil }
    let type = record.text(typeNode)
    let names = [
      "Point": "coordinates", "MultiPoint": "coordinates", "GeometryCollection": "geometries",
    ]
    let member = names[type] ?? "arcs"
    guard let content = record.member(member, of: node), record[content].kind == .array else {
      throw .geometry(detail: "expected '\(member)' of a \(type.prefix(40)), found none")
    }
    var text = OutputText()
    switch type {
    case "Point": try arcs.appendPosition(record, content, to: &text)
    case "MultiPoint":
      try append(content, to: &text) { (node, text) throws(TopoJSONProblem) in
        try arcs.appendPosition(record, node, to: &text)
      }
    case "LineString": try arcs.appendLine(record, content, to: &text)
    case "MultiLineString", "Polygon": try appendLines(content, to: &text)
    case "MultiPolygon":
      try append(content, to: &text) { (node, text) throws(TopoJSONProblem) in
        try appendLines(node, to: &text)
      }
    case "GeometryCollection":
      try append(content, to: &text) { (node, text) throws(TopoJSONProblem) in
        guard let part = try geometry(node) else {
          throw .geometry(detail: "found null in a GeometryCollection; expected a geometry")
        }
        text.append(part.json.bytes)
        // Parts may repeat arcs, so the text may be much larger than the file.
        try TopoJSONArcs.checkSize(of: text)
      }
    default: throw .geometry(detail: "expected a geometry, found '\(type.prefix(40))'")
    }
    return GeometryText(type, text)
  }

  private func appendLines(_ node: Int, to text: inout OutputText) throws(TopoJSONProblem) {
    try append(node, to: &text) { (node, text) throws(TopoJSONProblem) in
      try arcs.appendLine(record, node, to: &text)
    }
  }

  /// Appends the elements of an array between brackets.
  private func append(
    _ node: Int, to text: inout OutputText,
    _ body: (Int, inout OutputText) throws(TopoJSONProblem) -> Void
  ) throws(TopoJSONProblem) {
    var isFirst = true
    text.append("[")
    for element in record.elements(of: node) {
      if !isFirst { text.append(",") }
      isFirst = false
      try body(element, &text)
    }
    text.append("]")
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension TopoJSONReader: Sendable {}

extension FormatDescriptor {
  /// TopoJSON files, among them `.json` files that begin with the type of a topology.
  static let topojson = FormatDescriptor(
    name: "topojson", help: "TopoJSON", noun: "TopoJSON file",
    extensions: ["topojson", "geojson", "json"], signature: isTopology,
    options: [.layer],
    reader: { settings, _ in
      FeatureDataset { path throws(DatasetError) in
        try TopoJSONReader(path: path, layer: settings.layer)
      }
    })
}

/// The arcs of a topology, and the transform of its quantized coordinates.
struct TopoJSONArcs {
  private struct Position {
    var x: Double
    var y: Double
  }

  private struct Transform {
    var scale = Position(x: 1, y: 1)
    var translation = Position(x: 0, y: 0)

    /// Returns a position in degrees.
    ///
    /// The product may exceed the limits of degrees by a rounding error.
    func applied(to position: Position) -> Position {
      Position(
        x: Self.rounded(position.x * scale.x + translation.x, limit: 180),
        y: Self.rounded(position.y * scale.y + translation.y, limit: 90))
    }

    private static func rounded(_ degrees: Double, limit: Double) -> Double {
      abs(degrees) > limit && abs(degrees) < limit + 1e-9
        ? (degrees < 0 ? -limit : limit) : degrees
    }
  }

  /// The maximum size of a geometry as text.
  private static let maximumBytes = 64 * 1024 * 1024

  private var arcs: [[Position]] = []
  /// The transform; nil if the coordinates are not quantized.
  private let transform: Transform?

  /// Decodes the arcs of a topology.
  ///
  /// - Parameter record: The topology.
  /// - Throws: ``TopoJSONProblem`` if the transform or an arc is invalid.
  init(_ record: JSONRecord) throws(TopoJSONProblem) {
    if let node = record.member("transform", of: JSONRecord.root), record[node].kind != .null {
      guard let scale = record.member("scale", of: node),
        let translation = record.member("translate", of: node)
      else { throw .arcs(detail: "expected 'scale' and 'translate' of the transform, found none") }
      transform = Transform(
        scale: try Self.position(record, scale), translation: try Self.position(record, translation)
      )
    } else {
      transform = nil
    }
    guard let node = record.member("arcs", of: JSONRecord.root), record[node].kind == .array else {
      throw .arcs(detail: "expected an array 'arcs', found none")
    }
    for arc in record.elements(of: node) { arcs.append(try positions(record, arc)) }
  }

  private func positions(
    _ record: JSONRecord, _ arc: Int
  ) throws(TopoJSONProblem) -> [Position] {
    guard record[arc].kind == .array else { throw .arcs(detail: "an arc is no array") }
    var positions: [Position] = []
    var sum = Position(x: 0, y: 0)
    for element in record.elements(of: arc) {
      let position = try Self.position(record, element)
      guard let transform else {
        positions.append(position)
        continue
      }
      sum.x += position.x
      sum.y += position.y
      positions.append(transform.applied(to: sum))
    }
    return positions
  }

  private static func position(
    _ record: JSONRecord, _ node: Int
  ) throws(TopoJSONProblem) -> Position {
    var numbers: [Double] = []
    if record[node].kind == .array {
      for element in record.elements(of: node).prefix(2) where record[element].kind.isNumber {
        if let number = record.withText(element, FieldParsing.double) { numbers.append(number) }
      }
    }
    guard numbers.count == 2, numbers[0].isFinite, numbers[1].isFinite else {
      throw .arcs(detail: "expected two numbers, found '\(record.json(node).text.prefix(40))'")
    }
    return Position(x: numbers[0], y: numbers[1])
  }

  /// Appends the coordinates of a point.
  func appendPosition(
    _ record: JSONRecord, _ node: Int, to text: inout OutputText
  ) throws(TopoJSONProblem) {
    let position = try Self.position(record, node)
    try append(transform?.applied(to: position) ?? position, to: &text)
  }

  /// Appends the positions of a line, whose arcs are given by their indexes.
  ///
  /// A negative index means an arc in reverse: -1 the first one. The first position of an arc is the
  /// last one of the preceding arc.
  func appendLine(
    _ record: JSONRecord, _ node: Int, to text: inout OutputText
  ) throws(TopoJSONProblem) {
    guard record[node].kind == .array else {
      throw .geometry(detail: "expected an array of indexes of arcs")
    }
    var isFirst = true
    text.append("[")
    for element in record.elements(of: node) {
      let number = record[element].kind == .integer ? Int(record.text(element)) : nil
      guard let number, arcs.indices.contains(number < 0 ? ~number : number) else {
        throw .geometry(
          detail: "expected the index of one of \(arcs.count) arcs, found "
            + "'\(record.json(element).text.prefix(40))'")
      }
      let arc = arcs[number < 0 ? ~number : number]
      for index in arc.indices.dropFirst(isFirst ? 0 : 1) {
        if !isFirst { text.append(",") }
        isFirst = false
        try append(arc[number < 0 ? arc.count - 1 - index : index], to: &text)
      }
    }
    text.append("]")
  }

  private func append(
    _ position: Position, to text: inout OutputText
  ) throws(TopoJSONProblem) {
    try Self.checkSize(of: text)
    text.append("[\(position.x),\(position.y)]")
  }

  /// Throws an error if a geometry exceeds the maximum size.
  static func checkSize(of text: OutputText) throws(TopoJSONProblem) {
    guard text.bytes.count <= maximumBytes else { throw .tooLong(limitBytes: maximumBytes) }
  }
}

/// An error in a TopoJSON file or in one of its geometries.
package enum TopoJSONProblem: Error, FormatProblem {
  /// The file is not an object of type `Topology` with a member `objects`.
  case noTopology
  /// The transform or an arc is invalid.
  case arcs(detail: String)
  /// A geometry is invalid.
  case geometry(detail: String)
  /// A geometry exceeds the maximum size as text.
  case tooLong(limitBytes: Int)
}

extension TopoJSONProblem {
  /// The error as a clause that follows the location.
  package var sentence: String {
    switch self {
    case .noTopology: "found no 'objects' of a Topology; expected a TopoJSON file"
    case .arcs(let detail): "the arcs are invalid: \(printable(detail))"
    case .geometry(let detail): "the geometry is invalid: \(printable(detail))"
    case .tooLong(let limit):
      "found a geometry of more than \(grouped(limit)) bytes as text; expected a smaller one"
    }
  }
}

extension DatasetError.Problem {
  /// An error in TopoJSON.
  package static func topoJSON(_ problem: TopoJSONProblem) -> Self {
    .format(AnyFormatProblem(problem))
  }
}
