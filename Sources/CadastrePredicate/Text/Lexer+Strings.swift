import CadastreModel
import Foundation

/// Reads strings in quotes and in base64.
extension Lexer {
  /// The bytes written in base64; whether they are meant as text is the parser's business.
  mutating func base64() throws(QueryPredicateError) -> Data {
    let start = position
    guard let data = Data(base64Encoded: try quotedString()) else {
      throw syntaxError("expected base64", from: start)
    }
    return data
  }

  mutating func quotedString() throws(QueryPredicateError) -> String {
    let start = position
    let quote = scalars[position]
    position += 1
    var text = ""
    while let scalar = peek() {
      position += 1
      if scalar == quote { return text }
      text.unicodeScalars.append(scalar == "\\" ? try escapedScalar() : scalar)
    }
    position = start + 1
    throw syntaxError("expected a closing \(quote), found the end of the text", from: start)
  }

  private mutating func escapedScalar() throws(QueryPredicateError) -> Unicode.Scalar {
    let start = position - 1
    guard let scalar = peek() else { throw syntaxError("unfinished escape", from: start) }
    position += 1
    switch scalar {
    case "\"", "'", "/", "\\": return scalar
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "0": return "\0"
    case "u": return try unicodeEscape(from: start)
    default:
      throw syntaxError(
        "expected one of \\\" \\' \\\\ \\/ \\b \\f \\n \\r \\t \\0 \\u", from: start)
    }
  }

  /// Four hexadecimal digits, or two such escapes that make a surrogate pair.
  private mutating func unicodeEscape(from start: Int) throws(QueryPredicateError) -> Unicode.Scalar
  {
    guard let unit = hexadecimalUnit() else {
      throw syntaxError("expected four hexadecimal digits after \\u", from: start)
    }
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if peek() == "\\", peek(1) == "u" {
      position += 2
      if let low = hexadecimalUnit(),
        let pair = String(validating: [UInt16(unit), UInt16(low)], as: UTF16.self),
        let scalar = pair.unicodeScalars.first
      {
        return scalar
      }
    }
    throw syntaxError("expected a pair of surrogates after \\u", from: start)
  }

  private mutating func hexadecimalUnit() -> UInt32? {
    guard position + 4 <= scalars.count else { return nil }
    let digits = String(String.UnicodeScalarView(scalars[position..<position + 4]))
    guard let bytes = Hexadecimal.bytes(digits) else { return nil }
    position += 4
    return UInt32(bytes[0]) << 8 | UInt32(bytes[1])
  }
}
