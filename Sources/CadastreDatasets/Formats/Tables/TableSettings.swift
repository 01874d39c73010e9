import CadastreFormatting
import CadastreModel

/// The settings of an import that apply to text tables.
package struct TableSettings: Sendable {
  /// Whether the first line is a header; nil to detect it.
  package var hasHeader: Bool?
  /// Whether numbers have decimal commas.
  package var hasDecimalComma = false
  /// The encoding; nil to detect UTF-8 and UTF-16.
  package var encoding: String?
  /// The delimiter: one character in ASCII, or `tab`; nil to detect it.
  package var delimiter: String?
  /// The quote: one character in ASCII, or `none`; nil for the double quote.
  package var quote: String?
  /// The number of lines before the header that are ignored.
  package var skippedLines = 0
  /// The first character of lines that are ignored.
  package var comment: String?
  /// Whether rows may have fewer fields than the header; the missing ones are empty.
  package var padsRows = false
  /// New names of columns, "old=new".
  package var renames: [String] = []
  /// The form of dates, see ``DateFormat``; nil for ISO 8601.
  package var dateFormat: String?

  /// Creates the settings with detection of the syntax.
  package init() {}

  /// The options of the command line that differ from the defaults.
  package var used: [String] {
    let options: [(String, Bool)] = [
      ("--header", hasHeader != nil), ("--decimal-comma", hasDecimalComma),
      ("--encoding", encoding != nil), ("--delimiter", delimiter != nil),
      ("--quote", quote != nil), ("--skip-lines", skippedLines > 0),
      ("--comment", comment != nil), ("--pad-rows", padsRows),
      ("--date-format", dateFormat != nil),
    ]
    return options.filter(\.1).map(\.0)
  }

  /// Applies the settings to the options of a reader.
  func apply(to options: inout CSVOptions) throws(ImportError) {
    options.hasHeader = hasHeader
    if let encoding {
      guard TranscodedBytes.Encoding(name: encoding) != nil else {
        throw ImportError(
          "--encoding: '\(printable(encoding))' is unknown; expected for example utf-8, utf-16le, "
            + "latin1, windows-1252, iso-8859-15 or shift-jis")
      }
      options.encoding = encoding
    }
    if let delimiter {
      let isTab = ["tab", "\\t"].contains(delimiter.lowercased())
      options.delimiter = isTab ? UInt8(ascii: "\t") : try byte(delimiter, "--delimiter")
    }
    if let quote {
      options.quote = quote.lowercased() == "none" ? nil : try byte(quote, "--quote")
    }
    if let comment { options.comment = try byte(comment, "--comment") }
    guard options.delimiter == nil || options.delimiter != options.quote else {
      throw ImportError("--delimiter and --quote are both '\(printable(delimiter ?? ""))'")
    }
    options.skippedLines = skippedLines
    options.padsRows = padsRows
  }

  private func byte(_ text: String, _ option: String) throws(ImportError) -> UInt8 {
    guard text.utf8.count == 1, let byte = text.utf8.first, byte < 128, byte != 10, byte != 13
    else {
      throw ImportError(
        "\(option): expected one character in ASCII, found '\(printable(text.prefix(20)))'")
    }
    return byte
  }

  /// The form of dates; nil for ISO 8601.
  var dates: DateFormat? {
    get throws(ImportError) {
      guard let dateFormat else { return nil }
      guard let format = DateFormat(dateFormat) else {
        throw ImportError(
          "--date-format: expected a form such as '%d.%m.%Y %H:%M' of %Y or %y, %m or %b, %d, and "
            + "optionally %H, %M and %S, found '\(printable(dateFormat.prefix(40)))'")
      }
      return format
    }
  }

  /// Returns the names of columns after the renames.
  func renamed(_ header: [String]) throws(ImportError) -> [String] {
    let renamed = try renamedFields(among: header)
    var left = Set(renamed.keys)
    // Of columns with the same name the first one is renamed.
    let names = header.map { name in left.remove(name) == nil ? name : renamed[name] ?? name }
    guard !renamed.isEmpty, let repeated = Self.firstRepeated(names) else { return names }
    throw ImportError("--rename: two columns would be named '\(printable(repeated))'")
  }

  /// Returns the new names of fields by their names in the file.
  func renamedFields(among fields: [String]) throws(ImportError) -> [String: String] {
    var names: [String: String] = [:]
    for rename in renames {
      guard let sign = rename.lastIndex(of: "="), rename.index(after: sign) < rename.endIndex
      else { throw ImportError("--rename: expected old=new, found '\(printable(rename))'") }
      let (old, new) = (String(rename[..<sign]), String(rename[rename.index(after: sign)...]))
      guard fields.contains(old) else {
        throw ImportError(
          "--rename: there is no column '\(printable(old))'; the file has \(listed(fields))")
      }
      names[old] = new
    }
    return names
  }

  private static func firstRepeated(_ names: [String]) -> String? {
    var seen: Set<String> = []
    return names.first { !seen.insert($0).inserted }
  }
}

/// The syntax of a text table.
package struct CSVOptions: Hashable, Sendable {
  /// The byte between two fields; nil to detect it in the header line.
  package var delimiter: UInt8?
  /// The byte around fields with delimiters or line ends; nil for formats without quotes.
  package var quote: UInt8? = UInt8(ascii: "\"")
  /// Whether the first line contains the names of the columns; nil to detect it.
  package var hasHeader: Bool?
  /// The names of the columns of a table without header; nil for numbered names.
  package var columns: [String]?
  /// The name of the encoding; nil for UTF-8, or UTF-16 with a byte order mark.
  package var encoding: String?
  /// The number of lines before the header that are ignored.
  package var skippedLines = 0
  /// Whether rows may have fewer fields than the header; the missing ones are empty.
  package var padsRows = false
  /// The first byte of lines that are ignored; nil if there are none.
  package var comment: UInt8?
  /// The number of bytes per read from the system.
  ///
  /// 512 KiB: below 64 KiB the system calls are measurable, above 1 MiB cache misses are.
  /// Re-measure with `cities500.csv` when the scanner changes.
  package var chunkBytes = 512 * 1024
  /// The maximum size of a field; a longer one is most likely an open quote.
  package var fieldLimitBytes = 16 * 1024 * 1024

  /// Creates options with the quotes of RFC 4180 and detection of delimiter and header.
  package init() {}

  /// Tab-separated values with the quotes of RFC 4180.
  package static var tabSeparated: CSVOptions {
    var options = CSVOptions()
    options.delimiter = UInt8(ascii: "\t")
    return options
  }

  /// The maximum size of a row, in bytes: four fields of maximum size.
  var rowLimitBytes: Int { 4 * fieldLimitBytes }
  /// The maximum number of columns; by default that of a class.
  var columnLimit = SchemaRules.maximumColumns
  /// The maximum number of columns of a table of which only some are imported.
  static let maximumColumns = 100_000
}

/// Detection of the delimiter.
enum DelimiterSniffer {
  /// The number of rows by which candidates are compared.
  static let rows = 20
  /// The number of bytes after which no further row is compared.
  static let maximumBytes = 1 << 16

  /// The candidates; of equal counts the earlier candidate is chosen.
  static let candidates = [",", "\t", ";", "|"].map { Character($0).asciiValue ?? 0 }

  /// Returns the candidates in a line outside quotes, the most frequent first; a comma if there is none.
  static func delimiters(in header: UnsafeBufferPointer<UInt8>, quote: UInt8?) -> [UInt8] {
    var counts = [Int](repeating: 0, count: candidates.count)
    var isQuoted = false
    for byte in header {
      if byte == quote {
        isQuoted.toggle()
      } else if !isQuoted, let index = candidates.firstIndex(of: byte) {
        counts[index] += 1
      }
    }
    let found = candidates.indices.filter { counts[$0] > 0 }
      .sorted { (counts[$1], $0) < (counts[$0], $1) }
    return found.isEmpty ? [candidates[0]] : found.map { candidates[$0] }
  }
}
