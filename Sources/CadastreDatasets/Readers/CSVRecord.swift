/// One row of a table: its fields as bytes, unquoted, and its place in the file.
///
/// Made to be used again: hand the same record to the reader for every row and its memory is
/// kept. No field becomes a `String` unless asked for.
package struct CSVRecord: Sendable {
  /// The line on which the row begins, counted from 1.
  package internal(set) var lineNumber = 0
  /// Where the row begins, in bytes from the start of the file.
  package internal(set) var byteOffset = 0
  /// The row as it stands in the file, except that fields are unquoted in place.
  var bytes: [UInt8] = []
  /// Where the fields are in `bytes`.
  var fields: [CSVField] = []

  /// Makes a record that holds nothing yet.
  package init() {}

  /// How many fields the row has.
  package var fieldCount: Int { fields.count }

  /// Hands over the bytes of a field; they are valid UTF-8 and live as long as the call.
  ///
  /// - Parameters:
  ///   - index: The field, counted from 0.
  ///   - body: Reads the bytes.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  package func withField<Result, Failure: Error>(
    _ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let field = fields[index]
    return try bytes.withUnsafeBufferPointer { all throws(Failure) in
      try body(UnsafeBufferPointer(rebasing: all[Int(field.start)..<Int(field.end)]))
    }
  }

  /// A field as text; bytes that are not UTF-8, in a row that was refused, show as U+FFFD.
  package func text(_ index: Int) -> String {
    withField(index) { String(decoding: $0, as: UTF8.self) }
  }

  /// All fields as text, for the list of rejected rows.
  package var texts: [String] { fields.indices.map(text) }

  /// Turns doubled quotes into single ones in the fields that have any.
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

/// Where a field lies in the bytes of its row.
struct CSVField: Sendable {
  var start: UInt32
  var end: UInt32
  var hasDoubledQuotes = false
}
