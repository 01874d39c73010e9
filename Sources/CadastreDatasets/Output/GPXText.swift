import CadastreGeometry
import CadastreModel

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

  /// The elements of waypoints and tracks that columns become, in the order of the schema.
  private static let names = ["time", "name", "cmt", "desc", "src", "sym", "type"]
  /// The elements that tracks do not have.
  private static let pointNames: Set = ["time", "sym"]

  /// Creates a writer of the given columns.
  init(_ columns: [OutputColumn]) {
    features = FeatureColumns(columns)
    let columns = features.attributes
    elements = Self.names.compactMap { name in
      columns.first {
        $0.path.description == name && $0.type == (name == "time" ? .date : .string)
      }
    }
    let elements = elements
    extensions = columns.filter { !elements.contains($0) }.map {
      ($0, Self.elementName($0.path.description))
    }
  }

  /// Returns a name as that of an element: other characters become underscores.
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
    switch features.place(record) {
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
      let name = column.path.description
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
