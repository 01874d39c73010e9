/// A pull parser of XML 1.0 for data files, in bounded memory.
///
/// Comments and processing instructions are skipped. A document type declaration is an error, so no
/// entity can be defined or expanded. Names, tags, nesting and features have maximum sizes. After an
/// error the reader is at its end.
///
/// Source: W3C, "Extensible Markup Language (XML) 1.0", fifth edition.
final class XMLReader {
  /// A part of the document.
  enum Event {
    case start(XMLTag)
    case end
    case text(String)
    case endOfDocument
  }

  /// The maximum nesting of elements.
  static let depthLimit = 128
  /// The maximum number of bytes of a feature.
  static let featureBytes = 64 * 1024 * 1024
  /// The maximum number of elements and attributes of a feature.
  static let featureElements = 2_000_000
  /// The maximum number of bytes of a name.
  private static let nameBytes = 1024

  /// The file and its position.
  let input: XMLInput
  private var open: [String] = []
  /// Whether the last start tag belongs to an empty element, whose end follows.
  private var isEmptyElement = false
  private var sawRoot = false
  private var scratch: [UInt8] = []

  /// Opens a file.
  init(path: String) throws(DatasetError) { input = try XMLInput(path: path) }

  /// The number of open elements.
  var depth: Int { open.count }

  /// The name of the innermost open element; nil outside the root.
  var innermost: String? { open.last }

  /// Reads the next part of the document.
  ///
  /// - Returns: The part; the text of CDATA sections is a separate part.
  /// - Throws: ``DatasetError`` of scope `.file` if the document is not well-formed.
  /// - Complexity: O(n) in the bytes of the part.
  func next() throws(DatasetError) -> Event {
    if isEmptyElement {
      isEmptyElement = false
      open.removeLast()
      return .end
    }
    while let byte = try input.peek() {
      guard byte == UInt8(ascii: "<") else {
        let text = try text()
        if !open.isEmpty { return .text(text) }
        guard text.utf8.allSatisfy({ Self.isBlank($0) }) else {
          throw error(.syntax(found: "text outside an element", expected: "an element"))
        }
        continue
      }
      _ = try input.take()
      switch try input.peek() {
      case UInt8(ascii: "?"): try skip(to: "?>", inside: "a processing instruction")
      case UInt8(ascii: "!"):
        if let text = try declaration() { return .text(text) }
      case UInt8(ascii: "/"):
        _ = try input.take()
        try endTag()
        return .end
      default: return .start(try startTag())
      }
    }
    if let name = open.last { throw error(.truncated(inside: "element '\(name)'")) }
    guard sawRoot else { throw error(.noElement) }
    return .endOfDocument
  }

  /// Skips the rest of the element that was opened last.
  func skipElement() throws(DatasetError) {
    let outside = depth - 1
    while depth > outside { _ = try next() }
  }

  /// Reads the rest of the element that was opened last.
  ///
  /// - Parameter tag: The start tag of the element.
  /// - Returns: The element with its descendants.
  /// - Throws: ``DatasetError`` if the element is not well-formed or exceeds a limit.
  func element(_ tag: XMLTag) throws(DatasetError) -> XMLElement {
    var elements = 0
    return try element(tag, from: input.offset, &elements)
  }

  private func element(
    _ tag: XMLTag, from start: Int, _ elements: inout Int
  ) throws(DatasetError) -> XMLElement {
    var element = XMLElement(tag)
    elements += 1 + tag.attributes.count
    while true {
      guard elements <= Self.featureElements else {
        throw error(.tooManyElements(limit: Self.featureElements))
      }
      guard input.offset - start <= Self.featureBytes else {
        throw error(.tooLong(limitBytes: Self.featureBytes))
      }
      switch try next() {
      case .start(let tag): element.children.append(try self.element(tag, from: start, &elements))
      case .text(let text): element.text += text
      case .end, .endOfDocument: return element
      }
    }
  }

  /// Returns an error at the current position.
  func error(_ problem: XMLProblem) -> DatasetError {
    DatasetError(
      path: input.path, line: input.position.line, column: input.position.column,
      problem: .xml(problem))
  }

  // MARK: - Tags

  private func startTag() throws(DatasetError) -> XMLTag {
    var tag = XMLTag(name: try name("a name of an element"), line: input.position.line)
    guard !sawRoot || !open.isEmpty else {
      throw error(.syntax(found: "a second root element", expected: "the end of the file"))
    }
    guard open.count < Self.depthLimit else { throw error(.tooDeep(limit: Self.depthLimit)) }
    sawRoot = true
    open.append(tag.name)
    let start = input.offset
    while true {
      let hasBlank = try skipBlanks()
      switch try input.peek() {
      case UInt8(ascii: ">"):
        _ = try input.take()
        return tag
      case UInt8(ascii: "/"):
        _ = try input.take()
        try expect(UInt8(ascii: ">"), "'>'", inside: "a tag")
        isEmptyElement = true
        return tag
      default:
        guard hasBlank else { throw try unexpected("a blank or '>'", inside: "a tag") }
        tag.attributes.append(try attribute(of: tag))
        guard input.offset - start <= Self.featureBytes else {
          throw error(.tooLong(limitBytes: Self.featureBytes))
        }
      }
    }
  }

  private func attribute(of tag: XMLTag) throws(DatasetError) -> (name: String, value: String) {
    let name = try name("an attribute or '>'")
    guard tag.attributes.count < 100, tag[name] == nil else {
      throw error(
        .syntax(found: "attribute '\(name)' again", expected: "at most 100 different attributes"))
    }
    try skipBlanks()
    try expect(UInt8(ascii: "="), "'='", inside: "a tag")
    try skipBlanks()
    guard let quote = try input.peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    else { throw try unexpected("a quote", inside: "a tag") }
    _ = try input.take()
    scratch.removeAll(keepingCapacity: true)
    while let byte = try input.peek(), byte != quote {
      guard byte != UInt8(ascii: "<") else { throw try unexpected("a quote", inside: "a tag") }
      try takeCharacter()
    }
    try expect(quote, "a quote", inside: "a tag")
    return (name, try scratchText())
  }

  private func endTag() throws(DatasetError) {
    let name = try name("a name of an element")
    guard let expected = open.last else {
      throw error(.syntax(found: "the end tag '\(name)'", expected: "an element"))
    }
    guard name == expected else { throw error(.endTag(found: name, expected: expected)) }
    try skipBlanks()
    try expect(UInt8(ascii: ">"), "'>'", inside: "a tag")
    open.removeLast()
  }

  private func name(_ expected: String) throws(DatasetError) -> String {
    scratch.removeAll(keepingCapacity: true)
    while let byte = try input.peek(), Self.isName(byte) {
      scratch.append(byte)
      guard scratch.count <= Self.nameBytes else {
        throw error(.tooLong(limitBytes: Self.nameBytes))
      }
      _ = try input.take()
    }
    guard let first = scratch.first, !Self.isDigitOrSign(first) else {
      throw try unexpected(expected, inside: "a tag")
    }
    return try scratchText()
  }

  // MARK: - Text

  /// Reads text up to the next tag.
  private func text() throws(DatasetError) -> String {
    scratch.removeAll(keepingCapacity: true)
    while let byte = try input.peek(), byte != UInt8(ascii: "<") { try takeCharacter() }
    return try scratchText()
  }

  /// Takes a character or a reference and appends it to the text.
  private func takeCharacter() throws(DatasetError) {
    guard let byte = try input.take() else { return }
    guard scratch.count < Self.featureBytes else {
      throw error(.tooLong(limitBytes: Self.featureBytes))
    }
    switch byte {
    case UInt8(ascii: "&"): try takeReference()
    case UInt8(ascii: "\r"):
      if try input.peek() != UInt8(ascii: "\n") { scratch.append(UInt8(ascii: "\n")) }
    case 0x20..., UInt8(ascii: "\n"), UInt8(ascii: "\t"): scratch.append(byte)
    default: throw error(.character(byte: byte))
    }
  }

  private func takeReference() throws(DatasetError) {
    var bytes: [UInt8] = []
    while let byte = try input.peek(), byte != UInt8(ascii: ";") {
      guard bytes.count < 32, Self.isName(byte) || byte == UInt8(ascii: "#") else {
        throw try unexpected("';' after a reference", inside: "a reference")
      }
      bytes.append(byte)
      _ = try input.take()
    }
    try expect(UInt8(ascii: ";"), "';' after a reference", inside: "a reference")
    let name = String(decoding: bytes, as: UTF8.self)
    switch name {
    case "lt": scratch.append(UInt8(ascii: "<"))
    case "gt": scratch.append(UInt8(ascii: ">"))
    case "amp": scratch.append(UInt8(ascii: "&"))
    case "quot": scratch.append(UInt8(ascii: "\""))
    case "apos": scratch.append(UInt8(ascii: "'"))
    default:
      let number: UInt32? =
        if name.hasPrefix("#x") {
          UInt32(name.dropFirst(2), radix: 16)
        } else if name.hasPrefix("#") {
          UInt32(name.dropFirst())
        } else {
          nil
        }
      guard let number, let scalar = Unicode.Scalar(number), Self.isCharacter(scalar) else {
        throw error(.entity(name: name))
      }
      scratch.append(contentsOf: Character(scalar).utf8)
    }
  }

  private func scratchText() throws(DatasetError) -> String {
    guard let text = String(validating: scratch, as: UTF8.self) else { throw error(.invalidUTF8) }
    return text
  }

  // MARK: - Comments and CDATA sections

  /// Reads the rest of a declaration after `<!`; returns the text of a CDATA section, nil for a
  /// comment.
  private func declaration() throws(DatasetError) -> String? {
    _ = try input.take()
    switch try input.peek() {
    case UInt8(ascii: "-"):
      _ = try input.take()
      try expect(UInt8(ascii: "-"), "'<!--'", inside: "a comment")
      try skip(to: "-->", inside: "a comment")
      return nil
    case UInt8(ascii: "["):
      for byte in "[CDATA[".utf8 { try expect(byte, "'<![CDATA['", inside: "a CDATA section") }
      guard !open.isEmpty else {
        throw error(.syntax(found: "text outside an element", expected: "an element"))
      }
      return try section()
    case UInt8(ascii: "D"): throw error(.documentType)
    default: throw try unexpected("a comment or a CDATA section", inside: "a declaration")
    }
  }

  /// Reads a CDATA section up to `]]>`.
  private func section() throws(DatasetError) -> String {
    scratch.removeAll(keepingCapacity: true)
    while let byte = try input.take() {
      guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
        throw error(.character(byte: byte))
      }
      scratch.append(byte)
      if byte == UInt8(ascii: ">"), scratch.suffix(3).elementsEqual("]]>".utf8) {
        scratch.removeLast(3)
        return try scratchText()
      }
      guard scratch.count <= Self.featureBytes else {
        throw error(.tooLong(limitBytes: Self.featureBytes))
      }
    }
    throw error(.truncated(inside: "a CDATA section"))
  }

  private func skip(to end: String, inside: String) throws(DatasetError) {
    let end = Array(end.utf8)
    var last: [UInt8] = []
    while let byte = try input.take() {
      if last.count == end.count { last.removeFirst() }
      last.append(byte)
      if last == end { return }
    }
    throw error(.truncated(inside: inside))
  }

  // MARK: - Characters

  @discardableResult
  private func skipBlanks() throws(DatasetError) -> Bool {
    var hasBlank = false
    while let byte = try input.peek(), Self.isBlank(byte) {
      _ = try input.take()
      hasBlank = true
    }
    return hasBlank
  }

  private func expect(
    _ expected: UInt8, _ description: String, inside: String
  ) throws(DatasetError) {
    guard try input.peek() == expected else { throw try unexpected(description, inside: inside) }
    _ = try input.take()
  }

  private func unexpected(
    _ expected: String, inside: String
  ) throws(DatasetError) -> DatasetError {
    guard let byte = try input.peek() else { return error(.truncated(inside: inside)) }
    let found = byte < 0x80 ? "'\(Unicode.Scalar(byte))'" : "a non-ASCII character"
    return error(.syntax(found: found, expected: expected))
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func isDigitOrSign(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || isDigitOrSign(byte)
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte >= 0x80
  }

  private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 || [0x09, 0x0A, 0x0D].contains(scalar.value)
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension XMLReader: Sendable {}
