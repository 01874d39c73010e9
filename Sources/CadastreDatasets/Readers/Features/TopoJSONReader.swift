/// A reader of the features of a TopoJSON file, which is read into memory.
///
/// An object of the topology is a layer; its geometries are features with the fields `id` and those
/// of `properties`.
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
  /// - Throws: ``DatasetError`` if the file cannot be read, is no topology or has no such object.
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

  /// The text of a geometry that is null.
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
        // Parts may refer to the same arcs again and again.
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
  /// TopoJSON files; JSON files that begin with the type of a topology are among them.
  static let topojson = FormatDescriptor(
    name: "topojson", help: "TopoJSON", noun: "TopoJSON file",
    extensions: ["topojson", "geojson", "json"], signature: isTopology,
    reader: { settings, _ in
      FeatureDataset { path throws(DatasetError) in
        try TopoJSONReader(path: path, layer: settings.layer)
      }
    })
}
