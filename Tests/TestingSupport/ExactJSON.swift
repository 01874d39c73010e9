import Foundation

/// A JSON value with its numbers as text, so that every bit of them can be compared.
package indirect enum ExactJSON {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([ExactJSON])
  case object([(key: String, value: ExactJSON)])

  /// The text is not JSON at an offset in bytes.
  package struct Invalid: Error {
    package let offset: Int
  }

  /// Parses the text of one value.
  ///
  /// - Throws: ``Invalid``.
  package init(_ text: some Sequence<UInt8>) throws {
    var parser = Parser(bytes: Array(text))
    self = try parser.value()
    guard parser.byte == nil else { throw Invalid(offset: parser.offset) }
  }

  /// The value of a member of an object; nil if there is none.
  package subscript(_ key: String) -> ExactJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }
}

private struct Parser {
  let bytes: [UInt8]
  var offset = 0

  var invalid: ExactJSON.Invalid { ExactJSON.Invalid(offset: offset) }

  /// The next byte that is not white space.
  var byte: UInt8? {
    mutating get {
      while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
      return offset < bytes.count ? bytes[offset] : nil
    }
  }

  mutating func value() throws -> ExactJSON {
    switch byte {
    case UInt8(ascii: "{"):
      return .object(
        try elements("}") { parser in
          let key = try parser.string()
          guard parser.take(":") else { throw parser.invalid }
          return (key, try parser.value())
        })
    case UInt8(ascii: "["): return .array(try elements("]") { try $0.value() })
    case UInt8(ascii: "\""): return .string(try string())
    case nil: throw invalid
    default: return try word()
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func elements<Element>(
    _ end: Unicode.Scalar, _ element: (inout Parser) throws -> Element
  ) throws -> [Element] {
    offset += 1
    var elements: [Element] = []
    guard !take(end) else { return elements }
    repeat { elements.append(try element(&self)) } while take(",")
    guard take(end) else { throw invalid }
    return elements
  }

  private mutating func string() throws -> String {
    guard byte == UInt8(ascii: "\"") else { throw invalid }
    let start = offset
    var isEscaped = false
    offset += 1
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
      if bytes[offset] == UInt8(ascii: "\\") {
        isEscaped = true
        offset += 1
      }
      offset += 1
    }
    guard offset < bytes.count else { throw invalid }
    offset += 1
    guard isEscaped else {
      return String(decoding: bytes[(start + 1)..<(offset - 1)], as: UTF8.self)
    }
    return try JSONDecoder().decode(String.self, from: Data(bytes[start..<offset]))
  }

  private mutating func word() throws -> ExactJSON {
    let start = offset
    while offset < bytes.count, !",]} \n\r\t".utf8.contains(bytes[offset]) { offset += 1 }
    let word = String(decoding: bytes[start..<offset], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      guard word.contains(where: \.isNumber) else { throw invalid }
      return .number(word)
    }
  }
}
