/// A resumable tokenizer of a JSON text.
///
/// The bytes must be followed by `FileWindow.padding` readable bytes, the first of them 0. No JSON
/// token contains a zero, so scanning stops there without a bounds check.
///
/// Source: RFC 8259. The caller validates UTF-8, surrogates and repeated names.
struct JSONTokenizer {
  /// The result of a run.
  enum Outcome {
    /// The value is complete; `at` is after it.
    case complete
    /// The bytes end inside the value.
    case needsMore(JSONProblem.Expectation)
    /// All nodes are in use.
    case needsNodes
    /// The text is invalid at `at`.
    case failed(JSONProblem)
  }

  /// The next element of the syntax.
  private enum State: UInt8 {
    case value, valueOrEnd, name, nameOrEnd, colon, separator
    /// Inside a string that is skipped in pieces.
    case restOfName, restOfString
  }

  /// The current offset, in bytes from the start of the text.
  var at = 0
  /// The number of nodes.
  private(set) var nodeCount = 0
  /// Whether a string may contain non-ASCII bytes.
  private(set) var mayContainNonASCII = false
  /// Whether a string contains escapes.
  private(set) var hasEscapes = false

  /// Whether all nodes are stored, or only those of open arrays and objects.
  private let keepsNodes: Bool
  private let depthLimit: Int
  private var state = State.value
  private var depth = 0
  /// The innermost open array or object.
  private var open = JSONTokenizer.none
  private var isInObject = false

  /// The value of `open` outside arrays and objects.
  private static let none = UInt32.max

  /// Creates a tokenizer at the start of a value or of white space before it.
  init(keepsNodes: Bool, depthLimit: Int) {
    self.keepsNodes = keepsNodes
    self.depthLimit = depthLimit
  }

  /// Tokenizes until the end of the value, of the bytes or of the nodes.
  ///
  /// - Parameters:
  ///   - bytes: The text from its start; from the last position, if `at` was set to 0.
  ///   - limit: The number of bytes.
  ///   - isLast: Whether the text ends with these bytes.
  ///   - nodes: Memory for nodes, with the nodes of earlier runs.
  /// - Returns: The reason for the end of the run.
  /// - Complexity: O(n); after `needsMore` one token is scanned again.
  mutating func run(
    _ bytes: UnsafePointer<UInt8>, limit: Int, isLast: Bool,
    _ nodes: UnsafeMutableBufferPointer<JSONNode>
  ) -> Outcome {
    var scan = JSONScan(bytes: bytes, limit: limit, at: at)
    defer { at = scan.at }
    if state == .restOfName || state == .restOfString {
      if let stop = scan.skipString() { return stop }
      state = state == .restOfName ? .colon : .separator
    }
    while state != .separator || open != Self.none {
      scan.skipBlanks()
      let byte = scan.byte
      switch state {
      case .separator:
        if byte == UInt8(ascii: ",") {
          scan.at += 1
          state = isInObject ? .name : .value
        } else if byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          scan.at += 1
          close(nodes, scan.at)
        } else {
          return scan.unexpected(isInObject ? .commaOrBrace : .commaOrBracket)
        }
      case .colon:
        guard byte == UInt8(ascii: ":") else { return scan.unexpected(.colon) }
        scan.at += 1
        state = .value
      case .name, .nameOrEnd:
        if byte == UInt8(ascii: "\"") {
          if let stop = string(&scan, nodes, then: .colon, rest: .restOfName) { return stop }
        } else if byte == UInt8(ascii: "}"), state == .nameOrEnd {
          scan.at += 1
          close(nodes, scan.at)
        } else {
          return scan.unexpected(state == .name ? .name : .nameOrEnd)
        }
      case .value, .valueOrEnd:
        switch byte {
        case UInt8(ascii: "\""):
          if let stop = string(&scan, nodes, then: .separator, rest: .restOfString) { return stop }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          guard nodeCount < nodes.count else { return .needsNodes }
          let start = scan.at
          var kind = JSONNode.Kind.integer
          if let stop = scan.skipNumber(&kind, isLast: isLast) { return stop }
          append(kind, start, scan.at, false, nodes)
          state = .separator
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          guard nodeCount < nodes.count else { return .needsNodes }
          guard depth < depthLimit else { return .failed(.tooDeep(limit: depthLimit)) }
          begin(isObject: byte == UInt8(ascii: "{"), nodes, scan.at)
          scan.at += 1
        case UInt8(ascii: "]") where state == .valueOrEnd:
          scan.at += 1
          close(nodes, scan.at)
        default:
          guard nodeCount < nodes.count else { return .needsNodes }
          let start = scan.at
          var kind = JSONNode.Kind.null
          let expected: JSONProblem.Expectation = state == .value ? .value : .valueOrEnd
          if let stop = scan.skipWord(&kind, expected) { return stop }
          append(kind, start, scan.at, false, nodes)
          state = .separator
        }
      case .restOfName, .restOfString:
        preconditionFailure("the rest of a string is skipped before the loop")
      }
    }
    return .complete
  }

  // MARK: - Nodes

  @inline(__always)
  private mutating func append(
    _ kind: JSONNode.Kind, _ start: Int, _ end: Int, _ hasEscapes: Bool,
    _ nodes: UnsafeMutableBufferPointer<JSONNode>
  ) {
    nodes[nodeCount] = JSONNode(
      kind: kind, hasEscapes: hasEscapes, start: UInt32(truncatingIfNeeded: start),
      end: UInt32(truncatingIfNeeded: end), next: UInt32(truncatingIfNeeded: nodeCount &+ 1))
    if keepsNodes { nodeCount &+= 1 }
  }

  @inline(__always)
  private mutating func begin(
    isObject: Bool, _ nodes: UnsafeMutableBufferPointer<JSONNode>, _ start: Int
  ) {
    nodes[nodeCount] = JSONNode(
      kind: isObject ? .object : .array, start: UInt32(truncatingIfNeeded: start), end: 0,
      next: open)
    open = UInt32(truncatingIfNeeded: nodeCount)
    nodeCount &+= 1
    depth &+= 1
    isInObject = isObject
    state = isObject ? .nameOrEnd : .valueOrEnd
  }

  @inline(__always)
  private mutating func close(_ nodes: UnsafeMutableBufferPointer<JSONNode>, _ end: Int) {
    let closed = Int(open)
    open = nodes[closed].next
    nodes[closed].end = UInt32(truncatingIfNeeded: end)
    nodes[closed].next = UInt32(truncatingIfNeeded: nodeCount)
    if !keepsNodes { nodeCount = closed }
    depth &-= 1
    isInObject = open != Self.none && nodes[Int(open)].kind == .object
    state = .separator
  }

  // MARK: - Strings

  /// Reads a string from its opening quote.
  @inline(__always)
  private mutating func string(
    _ scan: inout JSONScan, _ nodes: UnsafeMutableBufferPointer<JSONNode>, then next: State,
    rest: State
  ) -> Outcome? {
    guard nodeCount < nodes.count else { return .needsNodes }
    let quote = scan.at
    scan.at += 1
    scan.hasEscapes = false
    if let stop = scan.skipString() {
      guard case .needsMore = stop else { return stop }
      if keepsNodes {
        scan.at = quote
      } else {
        state = rest
      }
      return stop
    }
    append(.string, quote + 1, scan.at - 1, scan.hasEscapes, nodes)
    if scan.hasEscapes { hasEscapes = true }
    if scan.sawHighBits { mayContainNonASCII = true }
    state = next
    return nil
  }
}

/// A position in a JSON text that is moved token by token.
///
/// The byte at `limit` is 0, and the following `FileWindow.padding` bytes are readable.
struct JSONScan {
  let bytes: UnsafePointer<UInt8>
  let limit: Int
  var at: Int
  /// Whether a non-ASCII byte was seen in a string or in the seven bytes after it.
  var sawHighBits = false
  /// Whether an escape was seen in a string.
  var hasEscapes = false

  /// Creates a position.
  init(bytes: UnsafePointer<UInt8>, limit: Int, at: Int) {
    self.bytes = bytes
    self.limit = limit
    self.at = at
  }

  /// The byte at the position; 0 at the end.
  @inline(__always)
  var byte: UInt8 { bytes[at] }

  /// Returns the outcome for an unexpected byte; at the end, more bytes are needed.
  func unexpected(_ expected: JSONProblem.Expectation) -> JSONTokenizer.Outcome {
    at < limit ? .failed(.unexpected(.byte(byte), expected: expected)) : .needsMore(expected)
  }

  /// Moves to the next byte that is not blank.
  @inline(__always)
  mutating func skipBlanks() {
    while bytes[at] <= 0x20, Self.isBlank(bytes[at]) { at &+= 1 }
  }

  /// Returns whether a byte is one of the four white space characters of JSON.
  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  // MARK: - Strings

  /// Moves after the closing quote of a string, from any position inside it.
  ///
  /// - Returns: Nil after success. After `needsMore` the scan can continue at the position.
  @inline(__always)
  mutating func skipString() -> JSONTokenizer.Outcome? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let start = at
    var seen: UInt64 = 0
    defer { if seen & highs != 0 { sawHighBits = true } }
    while true {
      // Eight bytes at a time: in `hits` the high bit is set for quotes, backslashes and control
      // characters; a false positive occurs only after a true one.
      // Source: Sean Anderson, "Bit Twiddling Hacks", "Determine if a word has a byte less than n".
      let word = UInt64(
        littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self))
      seen |= word
      let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
      let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
      let hits =
        ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
          | (word &- ones &* 0x20) & ~word) & highs
      if hits == 0 {
        at &+= 8
        continue
      }
      at &+= hits.trailingZeroBitCount &>> 3
      if bytes[at] == UInt8(ascii: "\"") {
        at &+= 1
        return nil
      }
      if let stop = skipSpecial(since: start) { return stop }
    }
  }

  /// Moves after an escape; returns the reason if that is not possible.
  private mutating func skipSpecial(since start: Int) -> JSONTokenizer.Outcome? {
    guard byte == UInt8(ascii: "\\") else {
      if at < limit { return .failed(.controlCharacter(byte)) }
      backUpOverPartialCharacter(start)
      return .needsMore(.closingQuote)
    }
    hasEscapes = true
    let letter = bytes[at + 1]
    guard JSONEscapes.meaning(of: letter) == nil else {
      at += 2
      return nil
    }
    guard letter == UInt8(ascii: "u") else {
      if at + 1 >= limit { return .needsMore(.escape) }
      at += 1
      return unexpected(.escape)
    }
    for digit in at + 2..<at + 6 where FieldParsing.hexDigit(bytes[digit]) == nil {
      if digit >= limit { return .needsMore(.hexDigit) }
      at = digit
      return unexpected(.hexDigit)
    }
    at += 6
    return nil
  }

  /// Moves before the last character if it has several bytes, because some may be missing.
  private mutating func backUpOverPartialCharacter(_ start: Int) {
    var lead = at - 1
    while lead > start, at - lead < 4, bytes[lead] & 0xC0 == 0x80 { lead -= 1 }
    if lead >= start, bytes[lead] >= 0xC0 { at = lead }
  }

  // MARK: - Numbers and words

  /// Moves after a number; if bytes are missing, the position does not change.
  @inline(__always)
  mutating func skipNumber(
    _ kind: inout JSONNode.Kind, isLast: Bool
  ) -> JSONTokenizer.Outcome? {
    let start = at
    if byte == UInt8(ascii: "-") { at &+= 1 }
    if byte == UInt8(ascii: "0") {
      at &+= 1
      if isDigit { return .failed(.leadingZero) }
    } else if let stop = skipDigits(start) {
      return stop
    }
    if byte == UInt8(ascii: ".") {
      kind = .number
      at &+= 1
      if let stop = skipDigits(start) { return stop }
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      kind = .number
      at &+= 1
      if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { at &+= 1 }
      if let stop = skipDigits(start) { return stop }
    }
    // The next bytes may be digits too.
    if at >= limit, !isLast {
      at = start
      return .needsMore(.digit)
    }
    return nil
  }

  @inline(__always)
  private var isDigit: Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Moves after at least one digit.
  @inline(__always)
  private mutating func skipDigits(_ start: Int) -> JSONTokenizer.Outcome? {
    guard isDigit else {
      let stop = unexpected(.digit)
      if case .needsMore = stop { at = start }
      return stop
    }
    repeat { at &+= 1 } while isDigit
    return nil
  }

  /// Moves after `null`, `true` or `false`; if bytes are missing, the position does not change.
  mutating func skipWord(
    _ kind: inout JSONNode.Kind, _ expected: JSONProblem.Expectation
  ) -> JSONTokenizer.Outcome? {
    let word: StaticString
    switch byte {
    case UInt8(ascii: "n"): (word, kind) = ("null", .null)
    case UInt8(ascii: "t"): (word, kind) = ("true", .true)
    case UInt8(ascii: "f"): (word, kind) = ("false", .false)
    default: return unexpected(expected)
    }
    for offset in 1..<word.utf8CodeUnitCount where bytes[at + offset] != word.utf8Start[offset] {
      if at + offset >= limit { return .needsMore(.word("\(word)")) }
      at += offset
      return unexpected(.word("\(word)"))
    }
    at += word.utf8CodeUnitCount
    return nil
  }
}
