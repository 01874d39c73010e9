import CadastreModel
import CadastreStore

/// The columns of a table in CSV.
///
/// A place becomes two columns: `longitude` and `latitude`, by which an import knows it again, or, where the
/// names are taken, with the place's own name in front. A third coordinate has no column.
struct TableColumns {
  private let columns: [OutputColumn]
  /// The names in the first line.
  let header: [String]

  /// The names by which an import finds places.
  private static let placeNames: Set<String> = [
    "longitude", "lon", "lng", "long", "latitude", "lat", "wkt", "geom", "the_geom", "geometry",
  ]

  init(_ columns: [OutputColumn]) {
    self.columns = columns
    let isAlone =
      columns.count(where: \.isPlace) == 1
      && !columns.contains {
        !$0.isPlace && Self.placeNames.contains($0.path.description.lowercased())
      }
    header = columns.flatMap { column -> [String] in
      guard column.isPlace else { return [column.path.description] }
      let prefix = isAlone ? "" : column.path.description + "."
      return [prefix + "longitude", prefix + "latitude"]
    }
  }

  /// Adds the first line.
  func appendHeader(to text: inout OutputText) {
    appendLine(header, to: &text) { $0.appendField($1) }
  }

  /// Adds the line of a record.
  func append(_ record: StoredRecord, to text: inout OutputText) {
    appendLine(columns, to: &text) { text, column in
      let content = record.content(column.path)
      guard column.isPlace else { return text.appendField(content) }
      if case .point(let point) = content,
        let place = PointShape.location(type: point.type, coordinates: point.coordinates)
      {
        text.append(FieldText.coordinate(place.longitude))
        text.append("," as Unicode.Scalar)
        text.append(FieldText.coordinate(place.latitude))
      } else {
        text.append("," as Unicode.Scalar)
      }
    }
  }

  private func appendLine<Element>(
    _ elements: [Element], to text: inout OutputText, _ body: (inout OutputText, Element) -> Void
  ) {
    let start = text.bytes.count
    for (index, element) in elements.enumerated() {
      if index > 0 { text.append("," as Unicode.Scalar) }
      body(&text, element)
    }
    // An empty line would be no row at all.
    if text.bytes.count == start { text.append("\"\"") }
    text.append("\n" as Unicode.Scalar)
  }
}
