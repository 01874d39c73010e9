import CadastreFormatting
import CadastreModel

/// A writer of objects as text.
///
///     var writer = RecordWriter(.csv, columns: query.columns(nil))
///     for key in keys { writer.append(try query.record(key)) … }
///     writer.finish()
///
/// ``take()`` returns the output in pieces. A table begins after its first 1,000 objects, which decide the
/// widths of its columns; all other formats begin at once.
package struct RecordWriter {
  /// A format of text.
  package struct Format: Equatable, Sendable {
    /// The name on the command line.
    package let name: String
    /// Creates the text of columns.
    let text: @Sendable ([OutputColumn], Options) -> any RecordText

    /// Returns whether two formats have the same name.
    package static func == (left: Format, right: Format) -> Bool { left.name == right.name }

    /// Returns the format with a name, among them the file formats of text; nil if there is none.
    package static func named(_ name: String) -> Format? {
      let formats = [.table, .json, .ndjson] + FormatDescriptor.all.compactMap(\.text)
      return formats.first { $0.name == name }
    }
  }

  /// The options of the formats.
  package struct Options: Sendable {
    /// The maximum width of tables in columns of the terminal; nil for no limit.
    package var width: Int?
    /// Whether headings of tables are styled by escape sequences.
    package var isStyled = false
    /// The width to which longer values in tables are cut, in columns of the terminal; nil for no limit.
    package var mostCellWidth: Int?
    /// Whether each Feature of a sequence begins with the record separator of RFC 8142.
    package var hasSeparators = false
    /// Whether an apostrophe precedes texts in CSV that a spreadsheet would run as formulas.
    package var guardsFormulas = false
    /// The property that becomes the id of Features; nil for none.
    package var identifier: String?

    /// Creates the default options.
    package init() {}
  }

  private var records: any RecordText
  private var text = OutputText()
  /// The number of objects written.
  package private(set) var count = 0

  /// Creates a writer of columns in a format.
  package init(_ format: Format, columns: [OutputColumn], _ options: Options = Options()) {
    records = format.text(columns, options)
    records.appendHeader(to: &text)
  }

  /// Writes an object.
  package mutating func append(_ record: StoredRecord) {
    records.append(record, to: &text)
    count += 1
  }

  /// Writes the end of the output, after the last object.
  package mutating func finish() { records.appendEnd(to: &text) }

  /// The size in bytes from which a piece of the output is passed on.
  private static let pieceBytes = 1 << 16

  /// Writes an object, and passes the output to a closure if there is enough of it.
  package mutating func append(
    _ record: StoredRecord, to body: ([UInt8]) throws -> Void
  ) rethrows {
    append(record)
    if text.bytes.count > Self.pieceBytes { try body(text.take()) }
  }

  /// Writes the end of the output, and passes the rest of the output to a closure.
  package mutating func finish(to body: ([UInt8]) throws -> Void) rethrows {
    finish()
    try body(text.take())
  }

  /// Returns the output since the last call.
  package mutating func take() -> [UInt8] { text.take() }
}

/// The text of objects in a format.
protocol RecordText {
  /// Appends the text before the first object.
  mutating func appendHeader(to text: inout OutputText)

  /// Appends an object.
  mutating func append(_ record: StoredRecord, to text: inout OutputText)

  /// Appends the text after the last object.
  mutating func appendEnd(to text: inout OutputText)
}

extension RecordText {
  func appendHeader(to text: inout OutputText) {}

  func appendEnd(to text: inout OutputText) {}
}

extension RecordWriter.Format {
  /// A table for the terminal.
  package static let table = Self(name: "table") { TerminalTable($0, $1) }
}

/// A table for the terminal.
private struct TerminalTable: RecordText {
  private let columns: [OutputColumn]
  private var table: StreamedTable

  init(_ columns: [OutputColumn], _ options: RecordWriter.Options) {
    self.columns = columns
    var layout = TableText(
      columns: columns.map { TableText.Column($0.name, isNumeric: $0.isNumeric) })
    layout.isStyled = options.isStyled
    layout.mostCellWidth = options.mostCellWidth
    table = StreamedTable(layout, width: options.width)
  }

  mutating func append(_ record: StoredRecord, to text: inout OutputText) {
    text.append(table.append(columns.map { FieldText.plain(record.written($0)) }))
  }

  mutating func appendEnd(to text: inout OutputText) { text.append(table.finish()) }
}
