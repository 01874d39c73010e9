/// A scanner that finds the fields of a row.
///
/// Source: RFC 4180, with extensions for common files: a row may end in CRLF, LF or CR, the delimiter may differ, a quote
/// inside an unquoted field is an ordinary character, and blanks may follow a closing quote.
struct CSVScanner {
  /// The byte between two fields.
  var delimiter: UInt8
  /// The byte around quoted fields; nil if the format has none.
  var quote: UInt8?

  /// The ends of a row.
  struct Row {
    /// The offset of the line end.
    var contentEnd = 0
    /// The offset of the next row; if `endsWithCR`, a line feed may precede it.
    var next = 0
    var endsWithCR = false
    /// The number of line ends, including the one at the end of the row.
    var lineEnds = 0
    /// The first field with text other than blanks after its closing quote.
    var fieldWithTextAfterQuote: Int?
  }

  /// The result of a scan.
  enum Outcome {
    /// A complete row.
    case row(Row)
    /// The bytes end inside the row; if inside quotes, with the number of line ends before them.
    case needsMore(fieldStart: Int, quoteLineEnds: Int?)
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Scans the row that starts at the first byte.
  ///
  /// - Parameters:
  ///   - bytes: Bytes from the start of the row; they may end inside or after it.
  ///   - isLast: Whether the file ends with `bytes`, so that the row may end without a line end.
  ///   - fields: Receives the fields, relative to the first byte.
  /// - Returns: The row, or the start of the incomplete field.
  /// - Complexity: O(n) in the size of the row.
  func scan(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, into fields: inout [CSVField]
  ) -> Outcome {
    fields.removeAll(keepingCapacity: true)
    let count = bytes.count
    var row = Row()
    var at = 0
    while true {
      let start = at
      var field = CSVField(start: UInt32(truncatingIfNeeded: start), end: 0)
      if at < count, let quote, bytes[at] == quote {
        let lineEndsBefore = row.lineEnds
        at += 1
        field.start += 1
        guard let closing = closingQuote(quote, bytes, from: &at, &row, &field) else {
          return .needsMore(fieldStart: start, quoteLineEnds: lineEndsBefore)
        }
        field.end = UInt32(truncatingIfNeeded: closing)
        if at == count, !isLast {
          // The next byte decides whether the quote closes the field or is doubled.
          return .needsMore(fieldStart: start, quoteLineEnds: lineEndsBefore)
        }
        let afterQuote = at
        skipPlain(bytes, &at)
        if bytes[afterQuote..<at].contains(where: { $0 != UInt8(ascii: " ") && $0 != 9 }) {
          row.fieldWithTextAfterQuote = row.fieldWithTextAfterQuote ?? fields.count
        }
      } else {
        skipPlain(bytes, &at)
        field.end = UInt32(truncatingIfNeeded: at)
      }
      guard at < count || isLast else { return .needsMore(fieldStart: start, quoteLineEnds: nil) }
      fields.append(field)
      if at < count, bytes[at] == delimiter {
        at += 1
        continue
      }
      finish(&row, bytes, at)
      return .row(row)
    }
  }

  /// Moves to the next delimiter or line end.
  @inline(__always)
  private func skipPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) {
    let count = bytes.count
    while at < count {
      let byte = bytes[at]
      if byte == delimiter || byte == Self.lineFeed || byte == Self.carriageReturn { return }
      at += 1
    }
  }

  /// Moves after the closing quote of a field and returns its offset; nil if there is none.
  @inline(__always)
  private func closingQuote(
    _ quote: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, from at: inout Int,
    _ row: inout Row, _ field: inout CSVField
  ) -> Int? {
    let count = bytes.count
    while at < count {
      let byte = bytes[at]
      at += 1
      if byte == quote {
        guard at < count, bytes[at] == quote else { return at - 1 }
        at += 1
        field.hasDoubledQuotes = true
      } else if byte == Self.lineFeed {
        row.lineEnds += 1
      } else if byte == Self.carriageReturn, at < count, bytes[at] != Self.lineFeed {
        row.lineEnds += 1
      }
    }
    return nil
  }

  /// Sets the end of a row and the start of the next one.
  private func finish(_ row: inout Row, _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) {
    row.contentEnd = at
    row.next = at
    guard at < bytes.count else { return }
    row.lineEnds += 1
    row.next = at + 1
    guard bytes[at] == Self.carriageReturn else { return }
    if at + 1 < bytes.count {
      if bytes[at + 1] == Self.lineFeed { row.next += 1 }
    } else {
      row.endsWithCR = true
    }
  }
}

/// A row of a table: its fields as unquoted bytes, and its position in the file.
///
/// Passing the same record to the reader for every row reuses its memory.
/// Fields are converted to `String` only on request.
package struct CSVRecord: Sendable {
  /// The first line of the row, from 1.
  package internal(set) var lineNumber = 0
  /// The offset of the row, in bytes from the start of the text.
  package internal(set) var byteOffset = 0
  /// The bytes of the row in the file, except that fields are unquoted in place.
  var bytes: [UInt8] = []
  /// The ranges of the fields in `bytes`.
  var fields: [CSVField] = []

  /// Creates an empty record.
  package init() {}

  /// The number of fields.
  package var fieldCount: Int { fields.count }

  /// Calls a closure with the bytes of a field, which are valid UTF-8.
  ///
  /// - Parameters:
  ///   - index: The index of the field.
  ///   - body: The closure; the bytes are valid only during the call.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  package func withField<Result, Failure: Error>(
    _ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let field = fields[index]
    return try bytes.withUnsafeBufferPointer { all throws(Failure) in
      try body(UnsafeBufferPointer(rebasing: all[Int(field.start)..<Int(field.end)]))
    }
  }

  /// Returns a field as text; invalid bytes of a rejected row become U+FFFD.
  package func text(_ index: Int) -> String {
    withField(index) { String(decoding: $0, as: UTF8.self) }
  }

  /// All fields as text, for the list of rejected rows.
  package var texts: [String] { fields.indices.map(text) }

  /// Adds fields without text at the end.
  mutating func addEmptyFields(_ count: Int) {
    let end = UInt32(bytes.count)
    fields.append(contentsOf: repeatElement(CSVField(start: end, end: end), count: count))
  }

  /// Returns whether all fields after a number of fields are empty.
  func hasEmptyFields(after count: Int) -> Bool {
    fields[count...].allSatisfy { $0.start == $0.end }
  }

  /// Replaces doubled quotes by single ones.
  mutating func removeDoubledQuotes(_ quote: UInt8) {
    for index in fields.indices where fields[index].hasDoubledQuotes {
      var from = Int(fields[index].start)
      var to = from
      while from < Int(fields[index].end) {
        bytes[to] = bytes[from]
        from += bytes[from] == quote ? 2 : 1
        to += 1
      }
      fields[index].end = UInt32(to)
    }
  }
}

/// The range of a field in the bytes of its row.
struct CSVField: Sendable {
  var start: UInt32
  var end: UInt32
  var hasDoubledQuotes = false
}
