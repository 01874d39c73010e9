import CadastreModel
import CadastreStore

/// The columns of CSV output.
///
/// A point becomes two columns, `longitude` and `latitude`, which an import detects. If these names
/// are ambiguous, the name of the point is their prefix. A third coordinate has no column.
struct TableColumns {
  private let columns: [OutputColumn]
  /// The names of the columns.
  let header: [String]

  /// The names by which an import detects a location.
  private static let locationNames: Set<String> = [
    "longitude", "lon", "lng", "long", "latitude", "lat", "wkt", "geom", "the_geom", "geometry",
  ]

  init(_ columns: [OutputColumn]) {
    self.columns = columns
    let isUnambiguous =
      columns.count(where: \.isPoint) == 1
      && !columns.contains {
        !$0.isPoint && Self.locationNames.contains($0.path.description.lowercased())
      }
    header = columns.flatMap { column -> [String] in
      guard column.isPoint else { return [column.path.description] }
      let prefix = isUnambiguous ? "" : column.path.description + "."
      return [prefix + "longitude", prefix + "latitude"]
    }
  }

  /// Appends the header line.
  func appendHeader(to text: inout OutputText) {
    appendLine(header, to: &text) { $0.appendField($1) }
  }

  /// Appends the line of a record.
  func append(_ record: StoredRecord, to text: inout OutputText) {
    appendLine(columns, to: &text) { text, column in
      let content = record.content(column)
      guard column.isPoint else { return text.appendField(content) }
      if case .point(let point) = content, let coordinates = point.validCoordinates {
        text.append(FieldText.coordinate(coordinates[0]))
        text.append("," as Unicode.Scalar)
        text.append(FieldText.coordinate(coordinates[1]))
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
    // Readers skip empty lines, so an empty field is quoted.
    if text.bytes.count == start { text.append("\"\"") }
    text.append("\n" as Unicode.Scalar)
  }
}
