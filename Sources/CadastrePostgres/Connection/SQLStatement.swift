import CadastreFormatting

/// A statement and the values of its parameters `$1`, `$2` ….
///
/// Values from outside are parameters or quoted identifiers, never parts of the text.
package struct SQLStatement: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The text.
  package private(set) var text: String
  /// The values, in order of their numbers.
  package private(set) var parameters: [PostgresValue]

  /// Creates a statement from a text without values from outside.
  package init(_ text: String) { (self.text, parameters) = (text, []) }

  /// Creates a statement from a text and the parameters that were collected for it.
  init(_ text: String, _ parameters: [PostgresValue]) {
    (self.text, self.parameters) = (text, parameters)
  }

  /// Creates a statement from a literal.
  package init(stringLiteral text: String) { self.init(text) }

  /// The text for messages, without values and control characters, truncated after 200 characters.
  package var summary: String {
    "\"\(printable(text.prefix(200)))\(text.count > 200 ? "…" : "")\""
  }

  /// The statement that returns the plan of this one.
  var explained: SQLStatement { SQLStatement("EXPLAIN " + text, parameters) }

  /// Returns the statement that declares a cursor for the rows of this one.
  func declaration(of cursor: String) -> SQLStatement {
    SQLStatement("DECLARE \(cursor) NO SCROLL CURSOR FOR " + text, parameters)
  }

  /// Appends text that contains no values from outside.
  package mutating func append(_ text: String) { self.text += text }

  /// Adds a parameter.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - type: The type of the value; the text has a cast to it.
  ///   - names: The schema of the types of PostGIS.
  /// - Returns: The placeholder of the value with the cast.
  package mutating func parameter(
    _ value: PostgresValue, _ type: PostgresType, in names: SchemaNames = SchemaNames()
  ) -> String {
    parameters.append(value)
    return "$\(parameters.count)::\(names.type(type))"
  }

  /// Adds a parameter with an array of row keys.
  mutating func keys(_ keys: [Int64]) -> String {
    parameter(.array(.int8, keys.map(PostgresValue.int8)), .array(.int8))
  }

  /// Adds a parameter with an array of texts.
  mutating func texts(_ texts: [String]) -> String {
    parameter(.array(.text, texts.map(PostgresValue.text)), .array(.text))
  }

  /// Returns a text as a string literal, for statements without parameters.
  static func literal(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "''")
    return "E'\(escaped)'"
  }

  /// Returns a name as a quoted identifier.
  package static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}

extension SQLStatement {
  /// Calls a function of libpq with the number, types, values, lengths and formats of the parameters.
  func withParameters<Result>(
    _ body: (
      Int32, [UInt32], [UnsafePointer<CChar>?], [Int32], [Int32]
    ) -> Result
  ) -> Result {
    var bytes: [UInt8] = []
    var ranges: [Range<Int>?] = []
    for parameter in parameters {
      let start = bytes.count
      parameter.write(to: &bytes)
      ranges.append(parameter == .null ? nil : start..<bytes.count)
    }
    // An empty value needs an address too.
    bytes.append(0)
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { buffer in
        body(
          Int32(parameters.count), parameters.map { $0.type?.identifier ?? 0 },
          ranges.map { $0.flatMap { buffer.baseAddress?.advanced(by: $0.lowerBound) } },
          ranges.map { Int32($0?.count ?? 0) }, parameters.map { _ in 1 })
      }
    }
  }
}
