import CadastreGeometry
import CadastreModel

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

  /// Creates a writer of placemarks with the given columns.
  init(_ columns: [OutputColumn]) {
    features = FeatureColumns(columns)
    func isElement(_ column: OutputColumn) -> Bool {
      column.type == .string && ["name", "description"].contains(column.path.description)
    }
    elements = features.attributes.filter(isElement).sorted { $0.path.names[0] > $1.path.names[0] }
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
      text.appendXML(column.path.description)
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
      let name = column.path.description
      text.append("<\(name)>")
      text.appendXML(value)
      text.append("</\(name)>")
    }
    appendData(record, to: &text)
    switch features.place(record) {
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
      text.appendXML(column.path.description)
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

  /// Appends the coordinates of positions; altitudes are above the sea level where there are some.
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
