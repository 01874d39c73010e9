import CadastreFormatting
import CadastreModel

/// Writes objects as text, one after the other.
///
///     var writer = RecordWriter(.csv, columns: query.columns(nil))
///     for key in keys { writer.append(try query.record(key)) … }
///
/// What was written is taken with ``take()``, as often as one likes; tables come at the end, when the widths of
/// their columns are known.
package struct RecordWriter {
  /// The forms in which objects are written.
  package enum Format: String, CaseIterable, Sendable {
    case table, json, ndjson, geojson, geojsonseq, csv
  }

  /// How the forms may vary.
  package struct Options: Sendable {
    /// The columns of the terminal, which tables fit; nil is as wide as needed.
    package var width: Int?
    /// Whether headings of tables are set off by the terminal's own means.
    package var isStyled = false
    /// Whether the record separator of RFC 8142 stands before each Feature of a sequence.
    package var hasSeparators = false
    /// The property that is the id of Features; nil for none.
    package var identifier: String?

    /// The plain forms.
    package init() {}
  }

  private let format: Format
  private let columns: [OutputColumn]
  private let options: Options
  private let table: TableColumns
  private let shape: JSONShape
  private var features: FeatureText
  private var rows: [[String]] = []
  private var text = OutputText()
  /// Objects written so far.
  package private(set) var count = 0

  /// Writes the given columns of each object.
  package init(_ format: Format, columns: [OutputColumn], _ options: Options = Options()) {
    self.format = format
    self.columns = columns
    self.options = options
    table = TableColumns(columns)
    shape = JSONShape(columns)
    features = FeatureText(columns, identifier: options.identifier)
    switch format {
    case .table, .ndjson, .geojsonseq: break
    case .json: text.append("[")
    case .geojson: text.append("{\"type\":\"FeatureCollection\",\"features\":[")
    case .csv: table.appendHeader(to: &text)
    }
  }

  /// Writes an object.
  package mutating func append(_ record: StoredRecord) {
    switch format {
    case .table: rows.append(columns.map { FieldText.plain(record.content($0.path)) })
    case .csv: table.append(record, to: &text)
    case .ndjson:
      shape.append(record, to: &text)
      text.append("\n" as Unicode.Scalar)
    case .geojsonseq:
      if options.hasSeparators { text.append("\u{1E}" as Unicode.Scalar) }
      features.append(record, to: &text)
      text.append("\n" as Unicode.Scalar)
    case .json:
      text.append(count == 0 ? "\n" : ",\n")
      shape.append(record, to: &text)
    case .geojson:
      text.append(count == 0 ? "\n" : ",\n")
      features.append(record, to: &text)
    }
    count += 1
  }

  /// Writes what stands after the last object.
  package mutating func finish() {
    switch format {
    case .csv, .ndjson, .geojsonseq: break
    case .json: text.append(count == 0 ? "]\n" : "\n]\n")
    case .geojson:
      text.append(count == 0 ? "]" : "\n]")
      if let box = features.bounds.box {
        text.append(",\"bbox\":")
        text.appendCoordinates(box)
      }
      text.append("}\n")
    case .table:
      var table = TableText(
        columns: columns.map { TableText.Column($0.path.description, isNumeric: $0.isNumeric) })
      table.isStyled = options.isStyled
      text.append(table.text(rows, width: options.width))
    }
  }

  /// Bytes that are written and not taken.
  package var waitingBytes: Int { text.bytes.count }

  /// Takes what was written since the last time.
  package mutating func take() -> [UInt8] { text.take() }
}
