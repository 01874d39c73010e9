/// How a table of text is written.
package struct CSVOptions: Hashable, Sendable {
  /// The byte between two fields; nil means that the header line tells.
  package var delimiter: UInt8?
  /// The byte around fields that hold delimiters or line ends; nil for formats without quotes.
  package var quote: UInt8? = UInt8(ascii: "\"")
  /// Whether the first line has the names of the columns; nil to find out.
  package var hasHeader: Bool?
  /// The names of the columns of a table without a header; nil to count them.
  package var columns: [String]?
  /// How many bytes are asked of the system at a time.
  ///
  /// 512 KiB: below 64 KiB the calls show in the time, above 1 MiB the cache does. Measure again
  /// with `cities500.csv` when the scanner changes.
  package var chunkBytes = 512 * 1024
  /// The longest field that is taken for real; what is longer is most likely an open quote.
  package var fieldLimitBytes = 16 * 1024 * 1024

  /// Quotes as in RFC 4180, delimiter as in the header line.
  package init() {}

  /// Tab-separated values: a tab between fields, quotes as in RFC 4180.
  package static var tabSeparated: CSVOptions {
    var options = CSVOptions()
    options.delimiter = UInt8(ascii: "\t")
    return options
  }

  /// The longest row, in bytes: a few of the longest fields.
  var rowLimitBytes: Int { 4 * fieldLimitBytes }
}

/// Tells a delimiter from the header line.
enum DelimiterSniffer {
  /// The candidates; the earlier one wins when counts are equal.
  static let candidates = [",", "\t", ";", "|"].map { Character($0).asciiValue ?? 0 }

  /// The candidate that stands most often outside of quotes; a comma if there is none.
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
