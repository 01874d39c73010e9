import CadastreFormatting
import CadastreModel

/// Detection whether the first line of a table is a header or a row.
///
/// The first line is a row if at least one of its fields is a number in a numeric column, and none is
/// text in a numeric column. An integer from 1000 to 2999 may be a year, which is also used as a
/// column name, and is ignored.
struct HeaderSniffer {
  private enum Kind { case number, year, text, empty }

  /// The maximum number of rows to observe.
  private static let maximumRows = 100
  /// The number of bytes after which no further row is observed.
  static let maximumBytes = 1 << 16

  private var first: [Kind] = []
  /// Whether all fields below the first line are numbers or empty, for each column.
  private var isNumeric: [Bool] = []
  private var sawNumber: [Bool] = []
  private var rows = 0

  /// Whether further rows cannot change the result.
  var isDecided: Bool { rows > Self.maximumRows || rows > 0 && !first.contains(.number) }

  /// Observes the next row, beginning with the first line.
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

  /// The result for the observed rows.
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
    let bytes = bytes.trimmingBlanks()
    if bytes.isEmpty { return .empty }
    if let integer = FieldParsing.int64(bytes) {
      return (1_000...2_999).contains(integer) ? .year : .number
    }
    return FieldParsing.double(bytes)?.isFinite == true ? .number : .text
  }
}

/// Distinct names for the columns of a header.
///
/// A column without a name is named by its number, `column3`. Of columns with the same name the
/// second one gets the number 2, `name_2`.
struct HeaderNames {
  /// The names, not empty and distinct.
  private(set) var names: [String] = []
  /// The changed names, one clause each.
  private(set) var notices: [String] = []

  /// Returns the name of a column; `column3` for the third one without a name.
  static func name(_ name: String, at index: Int) -> String {
    name.isEmpty ? "column\(index + 1)" : name
  }

  /// Creates distinct names from those of a header.
  init(_ header: [String]) {
    var distinct = DistinctNames("_", reserved: Set(header))
    for (index, original) in header.enumerated() {
      let lines = original.split(whereSeparator: \.isNewline).map { $0.trimmingBlanks() }
      let name = lines.count > 1 ? lines.joined(separator: " ") : original
      let new = name.isEmpty ? distinct.addNew(Self.name(name, at: index)) : distinct.add(name)
      if lines.count > 1 {
        notices.append("the line breaks in the name of column \(index + 1) become blanks: '\(new)'")
      }
      names.append(new)
      guard new != name else { continue }
      notices.append(
        name.isEmpty
          ? "column \(index + 1) has no name and becomes '\(printable(new))'"
          : "column \(index + 1) is another '\(printable(name))' and becomes "
            + "'\(printable(new))'")
    }
  }
}
