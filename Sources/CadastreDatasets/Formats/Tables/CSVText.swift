import CadastreModel
import CadastreStore

/// A writer of objects as CSV.
///
/// A point becomes two columns, `longitude` and `latitude`, which an import detects. If these names
/// are ambiguous, the name of the point is their prefix. A third coordinate has no column.
struct CSVText: RecordText {
  /// A column and the field with its content.
  private struct Source {
    let column: OutputColumn
    let isPoint: Bool
    /// The field with the content of the column; nil if it is not a single field.
    let field: String?

    init(_ column: OutputColumn) {
      self.column = column
      isPoint = column.isPoint
      field =
        column.expression == nil && column.path.names.count == 1 && !column.isDay
        ? column.path.names.first : nil
    }
  }

  private let sources: [Source]
  /// Whether an apostrophe precedes texts that a spreadsheet would run as formulas.
  private let guardsFormulas: Bool
  private let delimiter: Unicode.Scalar
  /// The names of the columns.
  let header: [String]

  /// The names by which an import detects a location.
  private static let locationNames: Set<String> = [
    "longitude", "lon", "lng", "long", "latitude", "lat", "wkt", "geom", "the_geom", "geometry",
  ]

  init(_ columns: [OutputColumn], guardsFormulas: Bool, delimiter: Unicode.Scalar = ",") {
    self.guardsFormulas = guardsFormulas
    self.delimiter = delimiter
    sources = columns.map(Source.init)
    let isUnambiguous =
      columns.count(where: \.isPoint) == 1
      && !columns.contains {
        !$0.isPoint && Self.locationNames.contains($0.name.lowercased())
      }
    header = columns.flatMap { column -> [String] in
      guard column.isPoint else { return [column.name] }
      let prefix = isUnambiguous ? "" : column.name + "."
      return [prefix + "longitude", prefix + "latitude"]
    }
  }

  /// Appends the header line.
  func appendHeader(to text: inout OutputText) {
    let start = text.bytes.count
    for (index, name) in header.enumerated() {
      if index > 0 { text.append(delimiter) }
      text.appendField(name, guardsFormulas: guardsFormulas, delimiter: delimiter)
    }
    Self.endLine(from: start, &text)
  }

  /// Appends the line of a record.
  func append(_ record: StoredRecord, to text: inout OutputText) {
    let start = text.bytes.count
    for index in sources.indices {
      if index > 0 { text.append(delimiter) }
      let content =
        if let field = sources[index].field {
          record.content(ofField: field, near: index)
        } else {
          record.written(sources[index].column)
        }
      if sources[index].isPoint {
        appendPoint(content, &text)
      } else {
        text.appendField(content, guardsFormulas: guardsFormulas, delimiter: delimiter)
      }
    }
    Self.endLine(from: start, &text)
  }

  private func appendPoint(_ content: StoredRecord.Content, _ text: inout OutputText) {
    guard case .point(let point) = content, let coordinates = point.validCoordinates else {
      return text.append(delimiter)
    }
    text.append(FieldText.coordinate(coordinates[0]))
    text.append(delimiter)
    text.append(FieldText.coordinate(coordinates[1]))
  }

  private static func endLine(from start: Int, _ text: inout OutputText) {
    // Readers skip empty lines, so an empty field is quoted.
    if text.bytes.count == start { text.append("\"\"") }
    text.append("\n" as Unicode.Scalar)
  }
}

extension RecordWriter.Format {
  /// A table with commas.
  package static let csv = Self(name: "csv") {
    CSVText($0, guardsFormulas: $1.guardsFormulas)
  }

  /// A table with tabs.
  static let tsv = Self(name: "tsv") {
    CSVText($0, guardsFormulas: $1.guardsFormulas, delimiter: "\t")
  }
}

/// Texts that a spreadsheet runs as formulas when it opens a table.
///
/// Source: OWASP, "CSV Injection".
enum FormulaText {
  private static let signs = Array("=+-@\t\r".utf8)

  /// Returns whether a spreadsheet runs a text as a formula: it begins with `=`, `+`, `-`, `@`, a tab
  /// or a carriage return, and is not a number.
  static func isFormula(_ text: String) -> Bool {
    guard let first = text.utf8.first, signs.contains(first) else { return false }
    var text = text
    return text.withUTF8 { DecimalNumber($0) == nil }
  }
}
