/// Finds the fields of one row in a stretch of bytes.
///
/// Source: RFC 4180, with three liberties that files in the wild need: any of CRLF, LF and CR
/// ends a row, the delimiter may differ, and a quote inside an unquoted field is just a quote.
struct CSVScanner {
  /// The byte between two fields.
  var delimiter: UInt8
  /// The byte around quoted fields; nil if the format has none.
  var quote: UInt8?

  /// What a scan found.
  struct Row {
    /// Where the text of the row ends, before the line end.
    var contentEnd = 0
    /// Where the next row begins; a line feed may still follow if `endsWithCR`.
    var next = 0
    var endsWithCR = false
    /// Line ends passed, the one that ends the row included.
    var lineEnds = 0
    /// The first field that goes on after its closing quote.
    var fieldWithTextAfterQuote: Int?
  }

  /// How a scan ended.
  enum Outcome {
    /// A whole row was there.
    case row(Row)
    /// The bytes ran out first: inside quotes that opened some line ends down, or outside.
    case needsMore(fieldStart: Int, quoteLineEnds: Int?)
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Scans the row that starts at the first byte.
  ///
  /// - Parameters:
  ///   - bytes: The row, what follows it, or only the beginning of the row.
  ///   - isLast: Whether the file ends with `bytes`, so that the row may end without a line end.
  ///   - fields: Receives the fields, relative to the first byte.
  /// - Returns: The row, or where the bytes ran out.
  /// - Complexity: O(n) in the bytes of the row.
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
          // The next byte decides whether this quote closes the field or is half of a pair.
          return .needsMore(fieldStart: start, quoteLineEnds: lineEndsBefore)
        }
        let afterQuote = at
        skipPlain(bytes, &at)
        if at != afterQuote {
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

  /// Moves past the quote that closes a field and returns its offset, or nil if there is none.
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

  /// Notes where a row ends and the next begins.
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
