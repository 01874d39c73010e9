/// Tells whether the first line of a table names its columns or is a row like the others.
///
/// The first line is a row if some of its fields are numbers where the column holds numbers, and
/// none is text where the column holds numbers. A whole number from 1000 to 2999 may be a year, which
/// names columns too, and speaks for neither.
struct HeaderSniffer {
  private enum Kind { case number, year, text, empty }

  private static let rowsWanted = 100
  /// Bytes after which no further row is looked at.
  static let bytesWanted = 1 << 16

  private var first: [Kind] = []
  /// Whether every field below the first line is a number or empty, by column.
  private var isNumeric: [Bool] = []
  private var sawNumber: [Bool] = []
  private var rows = 0

  /// Whether looking further changes nothing.
  var isSure: Bool { rows > Self.rowsWanted || rows > 0 && !first.contains(.number) }

  /// Looks at the next row, the first line first.
  mutating func observe(_ record: CSVRecord) {
    let kinds = record.fields.indices.map { record.withField($0, Self.kind) }
    rows += 1
    guard rows > 1 else {
      first = kinds
      isNumeric = kinds.map { _ in true }
      sawNumber = kinds.map { _ in false }
      return
    }
    for (column, kind) in kinds.enumerated().prefix(first.count) where kind != .empty {
      if kind == .text { isNumeric[column] = false } else { sawNumber[column] = true }
    }
  }

  /// What the rows so far say.
  var hasHeader: Bool {
    guard rows > 1 else { return !first.contains(.number) }
    var isRow = false
    for column in first.indices where isNumeric[column] && sawNumber[column] {
      if first[column] == .text { return true }
      if first[column] == .number { isRow = true }
    }
    return !isRow
  }

  private static func kind(_ bytes: UnsafeBufferPointer<UInt8>) -> Kind {
    if bytes.isEmpty { return .empty }
    if let whole = FieldParsing.int64(bytes) {
      return (1_000...2_999).contains(whole) ? .year : .number
    }
    return FieldParsing.double(bytes)?.isFinite == true ? .number : .text
  }
}
