import CadastreFormatting
import CadastreModel

/// A writer of objects as text.
///
///     var writer = RecordWriter(.csv, columns: query.columns(nil))
///     for key in keys { writer.append(try query.record(key)) … }
///     writer.finish()
///
/// ``take()`` returns the output in pieces; a table is written by ``finish()``, because the widths of
/// its columns depend on all objects.
package struct RecordWriter {
  /// The output formats.
  package enum Format: String, CaseIterable, Sendable {
    case table, json, ndjson, geojson, geojsonseq, csv, kml, gpx
  }

  /// The options of the formats.
  package struct Options: Sendable {
    /// The maximum width of tables in columns of the terminal; nil for no limit.
    package var width: Int?
    /// Whether headings of tables are styled by escape sequences.
    package var isStyled = false
    /// Whether each Feature of a sequence begins with the record separator of RFC 8142.
    package var hasSeparators = false
    /// Whether an apostrophe precedes texts in CSV that a spreadsheet would run as formulas.
    package var guardsFormulas = false
    /// The property that becomes the id of Features; nil for none.
    package var identifier: String?

    /// Creates the default options.
    package init() {}
  }

  private let format: Format
  private let columns: [OutputColumn]
  private let options: Options
  private let table: TableColumns
  private let shape: JSONShape
  private var features: FeatureText
  private let placemarks: PlacemarkText
  private var waypoints: GPXText
  private var rows: [[String]] = []
  private var text = OutputText()
  /// The number of objects written.
  package private(set) var count = 0

  /// Creates a writer of columns in a format.
  package init(_ format: Format, columns: [OutputColumn], _ options: Options = Options()) {
    self.format = format
    self.columns = columns
    self.options = options
    table = TableColumns(columns, guardsFormulas: options.guardsFormulas)
    shape = JSONShape(columns)
    features = FeatureText(columns, identifier: options.identifier)
    placemarks = PlacemarkText(columns)
    waypoints = GPXText(columns)
    switch format {
    case .table, .ndjson, .geojsonseq: break
    case .json: text.append("[")
    case .geojson: text.append("{\"type\":\"FeatureCollection\",\"features\":[")
    case .csv: table.appendHeader(to: &text)
    case .kml: placemarks.appendHeader(to: &text)
    case .gpx: waypoints.appendHeader(to: &text)
    }
  }

  /// Writes an object.
  package mutating func append(_ record: StoredRecord) {
    switch format {
    case .table: rows.append(columns.map { FieldText.plain(record.written($0)) })
    case .csv: table.append(record, to: &text)
    case .kml: placemarks.append(record, to: &text)
    case .gpx: waypoints.append(record, to: &text)
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

  /// Writes the end of the output, after the last object.
  package mutating func finish() {
    switch format {
    case .csv, .ndjson, .geojsonseq: break
    case .kml: placemarks.appendEnd(to: &text)
    case .gpx: waypoints.appendEnd(to: &text)
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

  /// The number of bytes that ``take()`` would return.
  package var pendingBytes: Int { text.bytes.count }

  /// Returns the output since the last call.
  package mutating func take() -> [UInt8] { text.take() }
}
