/// A buffer of output text in UTF-8.
struct OutputText {
  private(set) var bytes: [UInt8] = []

  /// The content as a string.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends text.
  mutating func append(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

  /// Appends an ASCII character.
  mutating func append(_ sign: Unicode.Scalar) { bytes.append(UInt8(ascii: sign)) }

  /// Appends text given as bytes.
  mutating func append(_ text: [UInt8]) { bytes.append(contentsOf: text) }

  /// Returns the content and empties the buffer.
  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  // MARK: JSON

  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// Appends a JSON string.
  mutating func appendQuoted(_ text: String) {
    append("\"" as Unicode.Scalar)
    var text = text
    text.withUTF8 { utf8 in
      let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
      if isPlain {
        bytes.append(contentsOf: utf8)
      } else {
        for byte in utf8 { appendEscaped(byte) }
      }
    }
    append("\"" as Unicode.Scalar)
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case UInt8(ascii: "\n"): append("\\n")
    case UInt8(ascii: "\r"): append("\\r")
    case UInt8(ascii: "\t"): append("\\t")
    case ..<0x20:
      append("\\u00")
      bytes.append(Self.hexDigits[Int(byte >> 4)])
      bytes.append(Self.hexDigits[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }

  /// Appends elements between brackets, separated by commas.
  mutating func appendList<Element>(
    _ elements: some Sequence<Element>, _ brackets: (Unicode.Scalar, Unicode.Scalar),
    _ body: (inout OutputText, Element) -> Void
  ) {
    append(brackets.0)
    var isFirst = true
    for element in elements {
      if !isFirst { append("," as Unicode.Scalar) }
      isFirst = false
      body(&self, element)
    }
    append(brackets.1)
  }

  // MARK: CSV

  /// Appends a field of CSV, quoted if RFC 4180 requires it.
  ///
  /// Fields with leading or trailing blanks are quoted too, because some readers trim them.
  ///
  /// - Parameters:
  ///   - text: The content of the field.
  ///   - guardsFormulas: Whether an apostrophe precedes a text that a spreadsheet would run as a
  ///     formula.
  mutating func appendField(_ text: String, guardsFormulas: Bool = false) {
    var text = guardsFormulas && FormulaText.isFormula(text) ? "'" + text : text
    text.withUTF8 { field in
      guard Self.needsQuotes(field) else { return bytes.append(contentsOf: field) }
      append("\"" as Unicode.Scalar)
      for byte in field {
        if byte == UInt8(ascii: "\"") { bytes.append(byte) }
        bytes.append(byte)
      }
      append("\"" as Unicode.Scalar)
    }
  }

  private static func needsQuotes(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
    let hasSeparator = field.contains { byte in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
    }
    return hasSeparator || isBlank(field.first) || isBlank(field.last)
  }

  private static func isBlank(_ byte: UInt8?) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
