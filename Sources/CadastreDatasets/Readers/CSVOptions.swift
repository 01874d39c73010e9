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
}

/// Detection of the delimiter.
enum DelimiterSniffer {
  /// The candidates; of equal counts the earlier candidate is chosen.
  static let candidates = [",", "\t", ";", "|"].map { Character($0).asciiValue ?? 0 }

  /// Returns the most frequent candidate outside quotes; a comma if there is none.
  static func delimiter(in header: UnsafeBufferPointer<UInt8>, quote: UInt8?) -> UInt8 {
    var counts = [Int](repeating: 0, count: candidates.count)
    var isQuoted = false
    for byte in header {
      if byte == quote {
        isQuoted.toggle()
      } else if !isQuoted, let index = candidates.firstIndex(of: byte) {
        counts[index] += 1
      }
    }
    let best = counts.max() ?? 0
    return candidates[counts.firstIndex(of: best) ?? 0]
  }
}
