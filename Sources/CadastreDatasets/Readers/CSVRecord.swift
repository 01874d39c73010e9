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
