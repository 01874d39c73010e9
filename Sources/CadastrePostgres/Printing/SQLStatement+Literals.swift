import CadastreModel
import Foundation

extension SQLStatement {
  /// The text with literals in the place of the parameters.
  var literalText: String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(where: { "\"'$".contains($0) }) {
      result += rest[..<start]
      if rest[start] == "$" {
        let digits = rest[rest.index(after: start)...].prefix { $0.isASCII && $0.isNumber }
        result += Self.literal(parameters[(Int(digits) ?? 1) - 1])
        rest = rest[digits.endIndex...]
      } else {
        // Names and literals of the translator; a doubled quote begins a second one.
        let end = rest[rest.index(after: start)...].firstIndex(of: rest[start]) ?? rest.endIndex
        let next = end < rest.endIndex ? rest.index(after: end) : end
        result += rest[start..<next]
        rest = rest[next...]
      }
    }
    return result + rest
  }

  /// Returns a value as a literal, whose type a cast after it gives.
  private static func literal(_ value: PostgresValue) -> String {
    switch value {
    case .null: "NULL"
    case .array(_, let elements):
      elements.isEmpty ? "'{}'" : "ARRAY[" + elements.map(literal).joined(separator: ", ") + "]"
    case .text(let text): literal(text)
    default: "'\(content(value))'"
    }
  }

  /// Returns the text of a value that contains no quotes.
  private static func content(_ value: PostgresValue) -> String {
    switch value {
    case .bool(let value): "\(value)"
    case .int4(let value): "\(value)"
    case .int8(let value): "\(value)"
    case .float4(let value): number(Double(value), "\(value)")
    case .float8(let value): number(value, "\(value)")
    case .uuid(let value): value.uuidString.lowercased()
    case .numeric(let value): value.text
    case .bytea(let data): "\\x" + hexadecimal(data)
    case .spatial(let bytes): hexadecimal(bytes)
    case .null, .text, .array: ""
    }
  }

  /// Returns the text of a number as PostgreSQL reads it.
  private static func number(_ value: Double, _ text: String) -> String {
    value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : text
  }

  /// Returns bytes as hexadecimal digits.
  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
