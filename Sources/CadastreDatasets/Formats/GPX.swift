import CadastreGeometry
import CadastreModel

/// A reader of GPX 1.0 and 1.1: waypoints, routes and tracks.
///
/// Waypoints are points, routes are lines and tracks are multi-part lines, one part a segment. A
/// route or segment with fewer than two points has no line. The field `kind` is `waypoint`, `route`
/// or `track`. Layers have the names of GDAL.
///
/// Source: Topografix, "GPX 1.1 Schema Documentation", 2004.
final class GPXReader: FeatureSource {
  let notices = ReaderNotices()
  private let reader: XMLReader
  private let layer: String?
  /// The points of the last route or track that are not returned yet, in reverse order.
  private var points: [XMLElement] = []

  /// The layers, and the elements with their features.
  private static let layers = [
    "waypoints": "wpt", "routes": "rte", "tracks": "trk", "route_points": "rte",
    "track_points": "trk",
  ]
  private static let numbers: Set<String> = [
    "ele", "magvar", "geoidheight", "sat", "hdop", "vdop", "pdop", "ageofdgpsdata", "dgpsid",
    "number", "course", "speed",
  ]
  private static let texts: Set<String> = [
    "time", "name", "cmt", "desc", "src", "sym", "type", "fix", "url", "urlname",
  ]

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - layer: `waypoints`, `routes`, `tracks`, `route_points` or `track_points`; nil for the
  ///     first three.
  /// - Throws: ``DatasetError`` if the file cannot be read, or there is no such layer.
  init(path: String, layer: String? = nil) throws(DatasetError) {
    reader = try XMLReader(path: path)
    self.layer = layer
    if let layer, Self.layers[layer] == nil {
      throw DatasetError(
        path: path,
        problem: .geoPackage(.noLayer(name: layer, layers: Self.layers.keys.sorted())))
    }
  }

  var path: String { reader.input.path }
  var progressBytes: Int { reader.input.bytesConsumed }
  var totalBytes: Int? { reader.input.totalBytes }

  func nextFeature() throws(DatasetError) -> FeatureContent? {
    while true {
      if let point = points.popLast() { return try feature(point) }
      switch try reader.next() {
      case .endOfDocument: return nil
      case .text, .end: continue
      case .start(let tag) where reader.depth == 1:
        guard tag.localName == "gpx" else {
          throw reader.error(.root(found: tag.name, expected: "gpx"))
        }
      case .start(let tag):
        let isFeature =
          if let layer {
            Self.layers[layer].map { $0 == tag.localName } ?? false
          } else {
            Self.layers.values.contains { $0 == tag.localName }
          }
        guard isFeature else {
          try reader.skipElement()
          continue
        }
        let element = try reader.element(tag)
        guard layer == "route_points" || layer == "track_points" else {
          return try feature(element)
        }
        let parts = element.name == "rte" ? [element] : element.children("trkseg")
        points = parts.flatMap { $0.children.filter { Self.isPoint($0) } }.reversed()
      }
    }
  }

  private static func isPoint(_ element: XMLElement) -> Bool {
    ["wpt", "rtept", "trkpt"].contains(element.name)
  }

  private func feature(_ element: XMLElement) throws(DatasetError) -> FeatureContent {
    var feature = FeatureContent(line: element.tag.line)
    if layer == nil { feature.add("kind", text: Self.kind(element)) }
    for child in element.children {
      let name = String(child.name)
      if Self.numbers.contains(name) {
        feature.add(name, number: child.trimmedText)
      } else if Self.texts.contains(name) {
        feature.add(name, text: child.trimmedText)
      } else if name == "link" {
        feature.add("link", text: child.tag["href"])
      } else if name == "extensions" {
        Self.addExtensions(child, to: &feature)
      }
    }
    do throws(XMLProblem) {
      feature.geometry = try geometry(element)?.json
    } catch {
      throw DatasetError(
        path: path, line: element.tag.line, scope: .row, problem: .xml(error))
    }
    return feature
  }

  private static func kind(_ element: XMLElement) -> String {
    switch element.name {
    case "rte": "route"
    case "trk": "track"
    default: "waypoint"
    }
  }

  /// Adds the innermost elements of extensions as texts.
  private static func addExtensions(_ element: XMLElement, to feature: inout FeatureContent) {
    for child in element.children {
      if child.children.isEmpty {
        feature.add(child.tag.name.replacing(":", with: "_"), text: child.trimmedText)
      } else {
        addExtensions(child, to: &feature)
      }
    }
  }

  private func geometry(_ element: XMLElement) throws(XMLProblem) -> GeometryText? {
    switch element.name {
    case "rte": return try Self.line(element).map { GeometryText("LineString", $0) }
    case "trk":
      var lines: [OutputText] = []
      for segment in element.children("trkseg") {
        if let line = try Self.line(segment) { lines.append(line) }
      }
      return lines.isEmpty ? nil : GeometryText("MultiLineString", GeometryText.list(lines))
    default: return GeometryText("Point", try Self.position(element))
    }
  }

  private static func line(_ element: XMLElement) throws(XMLProblem) -> OutputText? {
    var positions: [OutputText] = []
    for point in element.children where isPoint(point) { positions.append(try position(point)) }
    return positions.count < 2 ? nil : GeometryText.list(positions)
  }

  private static func position(_ point: XMLElement) throws(XMLProblem) -> OutputText {
    guard let longitude = point.tag["lon"], let latitude = point.tag["lat"] else {
      throw .geometry(detail: "found a point without 'lat' or 'lon'; expected both in degrees")
    }
    var coordinates = [longitude, latitude]
    if let elevation = point.child("ele")?.trimmedText, !elevation.isEmpty {
      coordinates.append(elevation)
    }
    return try GeometryText.position(coordinates)
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension GPXReader: Sendable {}

extension FormatDescriptor {
  /// GPX files.
  package static let gpx = FormatDescriptor(
    name: "gpx", help: "GPX", noun: "GPX file", extensions: ["gpx"],
    signature: { isXML($0, withElement: "gpx") && !isXML($0, withElement: "kml") },
    options: [.layer],
    reader: { settings, _ in
      FeatureDataset { path throws(DatasetError) in
        try GPXReader(path: path, layer: settings.layer)
      }
    }, writer: .text(.gpx))
}

/// A writer of objects as GPX 1.1.
///
/// The geometry is the first column with geometries, else the first with points. Points become
/// waypoints, lines become tracks with a segment for each line, and the rings of polygons become
/// segments.
/// Objects without a geometry are left out. The text columns `name`, `cmt`, `desc`, `src`, `sym` and
/// `type` and the date column `time` become the elements of these names, and all others extensions.
/// Tracks follow all waypoints, as the schema prescribes, and are in memory until then.
///
/// Source: Topografix, "GPX 1.1 Schema Documentation", 2004.
struct GPXText: RecordText {
  private let features: FeatureColumns
  private let elements: [OutputColumn]
  private let extensions: [(column: OutputColumn, name: String)]
  private var tracks = OutputText()

  /// The elements of waypoints and tracks that have the content of columns, in the order of the
  /// schema.
  private static let names = ["time", "name", "cmt", "desc", "src", "sym", "type"]
  /// The elements that only waypoints have.
  private static let pointNames: Set = ["time", "sym"]

  /// Creates a writer of columns.
  init(_ columns: [OutputColumn]) {
    features = FeatureColumns(columns)
    let columns = features.attributes
    elements = Self.names.compactMap { name in
      columns.first {
        $0.name == name && $0.type == (name == "time" ? .date : .string)
      }
    }
    let elements = elements
    extensions = columns.filter { !elements.contains($0) }.map {
      ($0, Self.elementName($0.name))
    }
  }

  /// Returns the element name for a column name: characters that element names cannot have become
  /// underscores.
  private static func elementName(_ name: String) -> String {
    var result = ""
    for character in name {
      let isAllowed =
        character.isASCII && (character.isLetter || character.isNumber || "_.-".contains(character))
      result.append(isAllowed ? character : "_")
    }
    return result.first.map { $0.isLetter || $0 == "_" } == true ? result : "_" + result
  }

  /// Appends the beginning of the document.
  func appendHeader(to text: inout OutputText) {
    text.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="Cadastre" xmlns="http://www.topografix.com/GPX/1/1">

      """)
  }

  /// Appends the tracks and the end of the document.
  mutating func appendEnd(to text: inout OutputText) {
    text.append(tracks.take())
    text.append("</gpx>\n")
  }

  /// Appends an object.
  mutating func append(_ record: StoredRecord, to text: inout OutputText) {
    switch features.geometry(of: record) {
    case .shape(let geometry): append(record, geometry, to: &text)
    case .point(let coordinates):
      let altitude = coordinates.count > 2 ? coordinates[2] : nil
      append(record, longitude: coordinates[0], latitude: coordinates[1], altitude, to: &text)
    case nil: break
    }
  }

  private mutating func append(
    _ record: StoredRecord, _ geometry: Geometry, to text: inout OutputText
  ) {
    let parts = geometry.parts
    for point in parts.points {
      append(
        record, longitude: point.longitude, latitude: point.latitude, point.altitude, to: &text)
    }
    let lines = parts.lines + parts.polygons.flatMap { $0 }
    guard !lines.isEmpty else { return }
    tracks.append("<trk>")
    appendElements(record, isTrack: true, to: &tracks)
    appendExtensions(record, to: &tracks)
    for line in lines {
      tracks.append("<trkseg>")
      for position in line {
        Self.open(
          "trkpt", position.longitude, position.latitude, position.altitude, to: &tracks)
        tracks.append("</trkpt>")
      }
      tracks.append("</trkseg>")
    }
    tracks.append("</trk>\n")
  }

  private func append(
    _ record: StoredRecord, longitude: Double, latitude: Double, _ altitude: Double?,
    to text: inout OutputText
  ) {
    Self.open("wpt", longitude, latitude, altitude, to: &text)
    appendElements(record, isTrack: false, to: &text)
    appendExtensions(record, to: &text)
    text.append("</wpt>\n")
  }

  private static func open(
    _ element: String, _ longitude: Double, _ latitude: Double, _ altitude: Double?,
    to text: inout OutputText
  ) {
    text.append(
      "<\(element) lat=\"\(FieldText.coordinate(latitude))\" "
        + "lon=\"\(FieldText.coordinate(longitude))\">")
    if let altitude { text.append("<ele>\(FieldText.coordinate(altitude))</ele>") }
  }

  private func appendElements(_ record: StoredRecord, isTrack: Bool, to text: inout OutputText) {
    for column in elements {
      let name = column.name
      guard !isTrack || !Self.pointNames.contains(name),
        case .value(let value) = record.content(column), !value.isNull
      else { continue }
      Self.append(FieldText.plain(.value(value)), in: name, to: &text)
    }
  }

  private func appendExtensions(_ record: StoredRecord, to text: inout OutputText) {
    var isOpen = false
    for (column, name) in extensions {
      let content = record.written(column)
      if case .value(.null) = content { continue }
      if !isOpen { text.append("<extensions><fields xmlns=\"urn:cadastre:fields\">") }
      isOpen = true
      let value =
        if case .value(let value) = content { FieldText.exact(value) } else {
          FieldText.json(content)
        }
      Self.append(value, in: name, to: &text)
    }
    if isOpen { text.append("</fields></extensions>") }
  }

  private static func append(_ value: String, in name: String, to text: inout OutputText) {
    text.append("<\(name)>")
    text.appendXML(value)
    text.append("</\(name)>")
  }
}

extension RecordWriter.Format {
  /// A document of GPX.
  static let gpx = Self(name: "gpx") { columns, _ in GPXText(columns) }
}
