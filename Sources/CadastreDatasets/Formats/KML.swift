import Foundation
import CadastreGeometry
import CadastreModel

/// A reader of the placemarks of a KML file.
///
/// The fields are `id`, `name`, `description`, `address`, `phoneNumber`, `folder` with the names of
/// the folders around a placemark, `timestamp`, `begin` and `end`, and those of `ExtendedData`, which
/// have the types of their `Schema`. A track has the first and the last time of its positions as
/// `begin` and `end`, and the values of its data as lists. Other features are skipped.
///
/// Source: OGC 12-007r2, "OGC KML 2.3"; Google, "KML Reference", for the elements with prefix `gx`.
final class KMLReader: FeatureSource {
  let notices = ReaderNotices()
  private let reader: XMLReader
  /// The names of the open elements that may contain placemarks; empty except for named folders.
  private var folders: [String] = []
  /// The types of the fields by the identifiers of their schemas.
  private var schemas: [String: [String: String]] = [:]

  /// The files that network links name, each once, in their order.
  private(set) var links: [String] = []
  /// The maximum number of files of network links.
  private static let maximumLinks = 1_000
  /// The name of the first file of an archive.
  private static let mainFile = "doc.kml"
  /// The notice about a network link that is not read.
  static let skippedLink = "KML elements 'NetworkLink' are skipped"

  private static let skipped: Set<Substring> = [
    "NetworkLinkControl", "GroundOverlay", "ScreenOverlay", "PhotoOverlay", "Tour",
  ]
  /// The maximum number of fields of all schemas.
  private static let maximumFields = 100_000

  /// Opens a file.
  init(path: String) throws(DatasetError) { reader = try XMLReader(path: path) }

  var path: String { reader.input.path }
  var progressBytes: Int { reader.input.bytesConsumed }
  var totalBytes: Int? { reader.input.totalBytes }

  func nextFeature() throws(DatasetError) -> FeatureContent? {
    while true {
      switch try reader.next() {
      case .endOfDocument: return nil
      case .text: continue
      case .end: folders.removeLast()
      case .start(let tag):
        if reader.depth == 1, tag.localName != "kml" {
          throw reader.error(.root(found: tag.name, expected: "kml"))
        }
        if let feature = try feature(tag) { return feature }
      }
    }
  }

  /// Adds the link of an element if it names a file of the same archive; others are skipped with a notice.
  private func addLink(_ element: XMLElement) {
    let link = element.child("Link") ?? element.child("Url")
    let text = (link?.child("href")?.trimmedText ?? "").prefix { $0 != "?" && $0 != "#" }
    var name = String(text).removingPercentEncoding ?? String(text)
    while name.hasPrefix("./") { name.removeFirst(2) }
    let isRead = name.isEmpty || name == Self.mainFile || links.contains(name)
    if name.contains(":") || name.hasPrefix("/") || links.count >= Self.maximumLinks {
      notices.add(Self.skippedLink)
    } else if !isRead {
      links.append(name)
    }
  }

  /// Reads an element between the placemarks; returns the feature of a placemark.
  private func feature(_ tag: XMLTag) throws(DatasetError) -> FeatureContent? {
    switch tag.localName {
    case "Placemark": return try feature(try reader.element(tag))
    case "Folder", "Document", "kml": folders.append("")
    case "name" where reader.depth > 2:
      let name = try reader.element(tag).trimmedText
      // The name of a document is not part of the path.
      if reader.depth == folders.count, isInFolder { folders[folders.count - 1] = name }
    case "NetworkLink": addLink(try reader.element(tag))
    case "Schema": try addSchema(try reader.element(tag))
    case let name:
      if Self.skipped.contains(name) { notices.add("KML elements '\(name)' are skipped") }
      try reader.skipElement()
    }
    return nil
  }

  private var isInFolder: Bool { reader.innermost.map { $0.hasSuffix("Folder") } ?? false }

  private func addSchema(_ element: XMLElement) throws(DatasetError) {
    var types: [String: String] = [:]
    for field in element.children("SimpleField") {
      if let name = field.tag["name"] { types[name] = field.tag["type"] }
    }
    guard schemas.values.reduce(types.count, { $0 + $1.count }) <= Self.maximumFields else {
      throw reader.error(.tooManyElements(limit: Self.maximumFields))
    }
    for key in [element.tag["id"], element.tag["name"]] {
      if let key { schemas[key] = types }
    }
  }

  // MARK: - Fields

  private func feature(_ element: XMLElement) throws(DatasetError) -> FeatureContent {
    var feature = FeatureContent(line: element.tag.line)
    feature.add("id", text: element.tag["id"])
    for name in ["name", "description", "address", "phoneNumber"] {
      // Of repeated elements the last one that is not empty counts.
      feature.add(
        name, text: element.children(name).last { !$0.trimmedText.isEmpty }?.trimmedText)
    }
    feature.add("folder", text: folders.filter { !$0.isEmpty }.joined(separator: "/"))
    feature.add("timestamp", text: element.child("TimeStamp")?.child("when")?.trimmedText)
    let tracks =
      element.children("Track")
      + element.children("MultiTrack").flatMap { $0.children("Track") }
    let times = tracks.flatMap { $0.children("when") }.map(\.trimmedText)
    for (name, time) in [("begin", times.first), ("end", times.last)] {
      feature.add(name, text: element.child("TimeSpan")?.child(name)?.trimmedText ?? time)
    }
    addData(of: tracks, to: &feature)
    for data in element.child("ExtendedData")?.children ?? [] { add(data, to: &feature) }
    do throws(XMLProblem) {
      for child in element.children {
        guard let geometry = try geometry(child) else { continue }
        feature.geometry = geometry.json
        break
      }
    } catch {
      throw DatasetError(
        path: path, line: element.tag.line, scope: .row, problem: .xml(error))
    }
    return feature
  }

  /// Adds the values of the positions of tracks as lists.
  private func addData(of tracks: [XMLElement], to feature: inout FeatureContent) {
    let arrays = tracks.flatMap { $0.children("ExtendedData") }
      .flatMap { $0.children("SchemaData") }.flatMap { $0.children("SimpleArrayData") }
    var names: [String] = []
    var values: [String: [String]] = [:]
    for array in arrays {
      guard let name = array.tag["name"], !name.isEmpty else { continue }
      if values[name] == nil { names.append(name) }
      values[name, default: []] += array.children("value").map(\.trimmedText)
    }
    for name in names {
      let texts = values[name] ?? []
      let numbers = texts.compactMap(FeatureContent.number)
      var json = OutputText()
      if numbers.count == texts.count {
        json.appendList(numbers, ("[", "]")) { $0.append($1) }
      } else {
        json.appendList(texts, ("[", "]")) { $0.appendQuoted($1) }
      }
      feature.add(name, json: json)
    }
  }

  /// Adds the fields of `Data` or `SchemaData`.
  private func add(_ data: XMLElement, to feature: inout FeatureContent) {
    if data.name == "Data" {
      feature.add(data.tag["name"] ?? "", text: data.child("value")?.trimmedText)
      return
    }
    let schema = (data.tag["schemaUrl"] ?? "").split(separator: "#").last.map(String.init) ?? ""
    for field in data.children("SimpleData") {
      let name = field.tag["name"] ?? ""
      switch schemas[schema]?[name] {
      case "int", "uint", "short", "ushort", "float", "double":
        feature.add(name, number: field.trimmedText)
      case "bool":
        var json = OutputText()
        switch field.trimmedText.lowercased() {
        case "1", "true": json.append("true")
        case "0", "false": json.append("false")
        default: feature.add(name, text: field.trimmedText)
        }
        if !json.bytes.isEmpty { feature.add(name, json: json) }
      default: feature.add(name, text: field.trimmedText)
      }
    }
  }

  // MARK: - Geometries

  /// Returns the geometry of an element; nil if the element is not a geometry or has no
  /// coordinates.
  private func geometry(_ element: XMLElement) throws(XMLProblem) -> GeometryText? {
    switch element.name {
    case "Point": return try positions(element).first.map { GeometryText("Point", $0) }
    case "LineString", "LinearRing": return try Self.line(positions(element))
    case "Polygon":
      var rings: [OutputText] = []
      for boundary in element.children("outerBoundaryIs") + element.children("innerBoundaryIs") {
        for ring in boundary.children("LinearRing") {
          rings.append(GeometryText.list(try positions(ring)))
        }
      }
      return rings.isEmpty ? nil : GeometryText("Polygon", GeometryText.list(rings))
    case "MultiGeometry", "MultiTrack":
      var parts: [GeometryText] = []
      for child in element.children {
        if let part = try geometry(child) { parts.append(part) }
      }
      return parts.isEmpty ? nil : GeometryText(parts: parts)
    case "Track":
      var positions: [OutputText] = []
      for coordinates in element.children("coord") {
        positions.append(try GeometryText.position(Self.words(coordinates.text)))
      }
      return Self.line(positions)
    case "Model":
      notices.add("KML elements 'Model' are skipped")
      return nil
    default: return nil
    }
  }

  /// Returns positions as a line; nil for none.
  private static func line(_ positions: [OutputText]) -> GeometryText? {
    positions.isEmpty ? nil : GeometryText("LineString", GeometryText.list(positions))
  }

  /// Returns the positions in the element `coordinates`.
  private func positions(_ element: XMLElement) throws(XMLProblem) -> [OutputText] {
    var positions: [OutputText] = []
    for word in joined(Self.words(element.child("coordinates")?.text ?? "")) {
      positions.append(
        try GeometryText.position(
          word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)))
    }
    return positions
  }

  /// Returns positions with the parts that follow a comma and a blank.
  private func joined(_ words: [String]) -> [String] {
    guard words.dropLast().contains(where: { $0.hasSuffix(",") }) else { return words }
    notices.add("blanks after the commas of coordinates are passed over")
    return words.reduce(into: []) { positions, word in
      if let last = positions.last, last.hasSuffix(",") {
        positions[positions.count - 1] += word
      } else {
        positions.append(word)
      }
    }
  }

  private static func words(_ text: String) -> [String] {
    text.utf8.split { $0 <= 0x20 }.map { String(Substring($0)) }
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension KMLReader: Sendable {}

extension FormatDescriptor {
  /// KML files, and KMZ files, which are zip archives with one.
  package static let kml = FormatDescriptor(
    name: "kml", help: "KML", noun: "KML file", extensions: ["kml"], archiveExtension: "kmz",
    signature: { isXML($0, withElement: "kml") },
    reader: { _, _ in
      FeatureDataset { path throws(DatasetError) in try LinkedKMLReader(path: path) }
    }, writer: .text(.kml))
}

/// A writer of objects as placemarks of KML.
///
/// The geometry is the first column with geometries, else the first with points. A text column
/// `name` or `description` becomes the element of this name; all other columns become extended data,
/// whose types are in a schema. Null has no element. Characters that XML 1.0 cannot hold become U+FFFD.
///
/// Source: OGC 12-007r2, "OGC KML 2.3".
struct PlacemarkText: RecordText {
  private let features: FeatureColumns
  private let elements: [OutputColumn]
  private let data: [OutputColumn]

  /// Creates a writer of placemarks with the content of columns.
  init(_ columns: [OutputColumn]) {
    features = FeatureColumns(columns)
    func isElement(_ column: OutputColumn) -> Bool {
      column.type == .string && ["name", "description"].contains(column.name)
    }
    elements = features.attributes.filter(isElement).sorted { $0.name > $1.name }
    data = features.attributes.filter { !isElement($0) }
  }

  /// Appends the beginning of the document.
  func appendHeader(to text: inout OutputText) {
    text.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2"><Document>
      <Schema id="fields">

      """)
    for column in data {
      text.append("<SimpleField type=\"\(Self.type(column))\" name=\"")
      text.appendXML(column.name)
      text.append("\"/>\n")
    }
    text.append("</Schema>\n")
  }

  /// Appends the end of the document.
  func appendEnd(to text: inout OutputText) { text.append("</Document></kml>\n") }

  /// Appends a placemark.
  func append(_ record: StoredRecord, to text: inout OutputText) {
    text.append("<Placemark>")
    for column in elements {
      guard case .value(.string(let value)) = record.content(column) else { continue }
      let name = column.name
      text.append("<\(name)>")
      text.appendXML(value)
      text.append("</\(name)>")
    }
    appendData(record, to: &text)
    switch features.geometry(of: record) {
    case .shape(let geometry): Self.append(geometry, to: &text)
    case .point(let coordinates):
      text.append("<Point>")
      Self.append([Array(coordinates.prefix(3))], to: &text)
      text.append("</Point>")
    case nil: break
    }
    text.append("</Placemark>\n")
  }

  private func appendData(_ record: StoredRecord, to text: inout OutputText) {
    var isOpen = false
    for column in data {
      let content = record.written(column)
      if case .value(.null) = content { continue }
      if !isOpen { text.append("<ExtendedData><SchemaData schemaUrl=\"#fields\">") }
      isOpen = true
      text.append("<SimpleData name=\"")
      text.appendXML(column.name)
      text.append("\">")
      if case .value(let value) = content {
        text.appendXML(FieldText.exact(value))
      } else {
        text.appendXML(FieldText.json(content))
      }
      text.append("</SimpleData>")
    }
    if isOpen { text.append("</SchemaData></ExtendedData>") }
  }

  /// The type of a column in a schema.
  private static func type(_ column: OutputColumn) -> String {
    switch column.type {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .double: "double"
    default: "string"
    }
  }

  // MARK: Geometries

  private static func append(_ geometry: Geometry, to text: inout OutputText) {
    switch geometry.shape {
    case .point(let position): position.map { append($0, to: &text) }
    case .lineString(let line): appendLine(line, "LineString", to: &text)
    case .polygon(let rings): appendPolygon(rings, to: &text)
    case .multiPoint(let points): appendParts(points, to: &text) { append($0, to: &$1) }
    case .multiLineString(let lines):
      appendParts(lines, to: &text) { appendLine($0, "LineString", to: &$1) }
    case .multiPolygon(let polygons):
      appendParts(polygons, to: &text) { appendPolygon($0, to: &$1) }
    case .collection(let parts): appendParts(parts, to: &text) { append($0, to: &$1) }
    }
  }

  private static func appendParts<Part>(
    _ parts: [Part], to text: inout OutputText, _ append: (Part, inout OutputText) -> Void
  ) {
    text.append("<MultiGeometry>")
    for part in parts { append(part, &text) }
    text.append("</MultiGeometry>")
  }

  private static func append(_ position: GeoPosition, to text: inout OutputText) {
    text.append("<Point>")
    append([numbers(position)], to: &text)
    text.append("</Point>")
  }

  private static func appendLine(
    _ line: [GeoPosition], _ element: String, to text: inout OutputText
  ) {
    guard !line.isEmpty else { return }
    text.append("<\(element)>")
    append(line.map(numbers), to: &text)
    text.append("</\(element)>")
  }

  private static func appendPolygon(_ rings: [[GeoPosition]], to text: inout OutputText) {
    guard !rings.isEmpty else { return }
    text.append("<Polygon>")
    for (index, ring) in rings.enumerated() {
      let boundary = index == 0 ? "outerBoundaryIs" : "innerBoundaryIs"
      text.append("<\(boundary)>")
      appendLine(ring, "LinearRing", to: &text)
      text.append("</\(boundary)>")
    }
    text.append("</Polygon>")
  }

  private static func numbers(_ position: GeoPosition) -> [Double] {
    [position.longitude, position.latitude] + (position.altitude.map { [$0] } ?? [])
  }

  /// Appends the coordinates of positions, and an altitude mode above sea level if there are
  /// altitudes.
  private static func append(_ positions: [[Double]], to text: inout OutputText) {
    if positions.contains(where: { $0.count > 2 }) {
      text.append("<altitudeMode>absolute</altitudeMode>")
    }
    text.append("<coordinates>")
    for (index, position) in positions.enumerated() {
      if index > 0 { text.append(" ") }
      text.append(position.map(FieldText.coordinate).joined(separator: ","))
    }
    text.append("</coordinates>")
  }
}

extension RecordWriter.Format {
  /// A document of KML.
  static let kml = Self(name: "kml") { columns, _ in PlacemarkText(columns) }
}
