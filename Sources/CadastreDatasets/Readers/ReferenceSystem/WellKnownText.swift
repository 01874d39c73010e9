/// A definition in well-known text: a keyword with names, numbers and nested definitions.
///
/// Source: OGC 18-010r7, "Well-known text representation of coordinate reference systems"; WKT 1
/// (OGC 01-009, also used by Esri) has the same syntax.
struct WellKnownText {
  /// The keyword in upper case.
  var keyword: String
  /// The quoted texts, in order.
  var texts: [String] = []
  /// The numbers, in order.
  var numbers: [Double] = []
  /// The words without quotes or brackets, in upper case.
  var words: [String] = []
  /// The nested definitions, in order.
  var parts: [WellKnownText] = []

  /// The maximum size of a text, in bytes.
  static let limitBytes = 64 * 1024
  /// The maximum nesting of definitions.
  static let maximumDepth = 32

  /// Parses a definition; nil for invalid text.
  init?(_ text: String) {
    guard text.utf8.count <= Self.limitBytes else { return nil }
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard let definition = Self.definition(&bytes, depth: 0) else { return nil }
    Self.skipBlanks(&bytes)
    guard bytes.allSatisfy({ $0 == 0 }) else { return nil }
    self = definition
  }

  private init(keyword: String) { self.keyword = keyword }

  /// Returns the first nested definition with one of the keywords, outer levels first.
  func first(_ keywords: String...) -> WellKnownText? { all(keywords).first }

  /// Returns all nested definitions with one of the keywords, outer levels first.
  func all(_ keywords: [String]) -> [WellKnownText] {
    parts.filter { keywords.contains($0.keyword) } + parts.flatMap { $0.all(keywords) }
  }

  // MARK: - Parsing

  private static func definition(_ bytes: inout ArraySlice<UInt8>, depth: Int) -> WellKnownText? {
    skipBlanks(&bytes)
    guard depth < maximumDepth, let keyword = word(&bytes) else { return nil }
    skipBlanks(&bytes)
    guard let closing = opening(&bytes) else { return nil }
    var definition = WellKnownText(keyword: keyword)
    while true {
      guard definition.takeItem(&bytes, depth: depth) else { return nil }
      skipBlanks(&bytes)
      guard let next = bytes.popFirst() else { return nil }
      if next == closing { return definition }
      guard next == UInt8(ascii: ",") else { return nil }
    }
  }

  private mutating func takeItem(_ bytes: inout ArraySlice<UInt8>, depth: Int) -> Bool {
    Self.skipBlanks(&bytes)
    guard let first = bytes.first else { return false }
    if first == UInt8(ascii: "\"") {
      guard let text = Self.quoted(&bytes) else { return false }
      texts.append(text)
      return true
    }
    let start = bytes
    guard let word = Self.word(&bytes) else { return false }
    Self.skipBlanks(&bytes)
    if Self.opening(&bytes) != nil {
      bytes = start
      guard let part = Self.definition(&bytes, depth: depth + 1) else { return false }
      parts.append(part)
    } else if let number = Double(word) {
      numbers.append(number)
    } else {
      words.append(word)
    }
    return true
  }

  /// Consumes an opening bracket and returns the matching closing bracket.
  private static func opening(_ bytes: inout ArraySlice<UInt8>) -> UInt8? {
    switch bytes.first {
    case UInt8(ascii: "["):
      bytes.removeFirst()
      return UInt8(ascii: "]")
    case UInt8(ascii: "("):
      bytes.removeFirst()
      return UInt8(ascii: ")")
    default: return nil
    }
  }

  private static func quoted(_ bytes: inout ArraySlice<UInt8>) -> String? {
    bytes.removeFirst()
    var text: [UInt8] = []
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "\"") {
        guard bytes.first == byte else { return String(decoding: text, as: UTF8.self) }
        bytes.removeFirst()
      }
      text.append(byte)
    }
    return nil
  }

  /// Consumes letters, digits and characters of numbers, and returns them in upper case.
  private static func word(_ bytes: inout ArraySlice<UInt8>) -> String? {
    let word = bytes.prefix { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "+"), UInt8(ascii: "_"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    bytes = bytes[word.endIndex...]
    return word.isEmpty ? nil : String(decoding: word, as: UTF8.self).uppercased()
  }

  private static func skipBlanks(_ bytes: inout ArraySlice<UInt8>) {
    bytes = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
  }
}
