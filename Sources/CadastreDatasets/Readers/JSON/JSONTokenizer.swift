/// Takes a JSON text apart, token by token, and can stop and go on between two of them.
///
/// The bytes given must be followed by `FileWindow.padding` bytes that may be read, the first of
/// them 0: no JSON token holds a zero, so scanning stops there without counting.
///
/// Source: RFC 8259. What it leaves to the one that calls: UTF-8, surrogates, repeated names.
struct JSONTokenizer {
  /// How a run ended.
  enum Outcome {
    /// The value is whole; `at` is behind it.
    case complete
    /// The bytes end inside the value, where something was expected.
    case needsMore(JSONProblem.Expectation)
    /// There is no room for another node.
    case needsNodes
    /// The text is not JSON, at `at`.
    case failed(JSONProblem)
  }

  /// What comes next.
  private enum State: UInt8 {
    case value, valueOrEnd, name, nameOrEnd, colon, separator
    /// Inside a string that is passed over piece by piece.
    case restOfName, restOfString
  }

  /// Where reading goes on, in bytes from the start of the text.
  var at = 0
  /// How many nodes there are.
  private(set) var nodeCount = 0
  /// Whether a string may hold bytes beyond ASCII.
  private(set) var mayHoldUnicode = false
  /// Whether a string holds escapes.
  private(set) var hasEscapes = false

  /// Whether nodes are kept; if not, those of open arrays and objects are all there are.
  private let keepsNodes: Bool
  private let depthLimit: Int
  private var state = State.value
  private var depth = 0
  /// The innermost open array or object.
  private var open = JSONTokenizer.none
  private var isInObject = false

  /// Where there is no open array or object.
  private static let none = UInt32.max

  /// Makes a tokenizer at the start of a value, or of blanks before it.
  init(keepsNodes: Bool, depthLimit: Int) {
    self.keepsNodes = keepsNodes
    self.depthLimit = depthLimit
  }

  /// Reads on until the value ends, or the bytes, or the nodes.
  ///
  /// - Parameters:
  ///   - bytes: The text from its start, or from `at`, if `at` was set to 0.
  ///   - limit: How many bytes there are.
  ///   - isLast: Whether the text ends with these bytes.
  ///   - nodes: Room for nodes, with those that were found before.
  /// - Returns: Why it stopped.
  /// - Complexity: O(n); what is asked for again after `needsMore` is one token.
  mutating func run(
    _ bytes: UnsafePointer<UInt8>, limit: Int, isLast: Bool,
    _ nodes: UnsafeMutableBufferPointer<JSONNode>
  ) -> Outcome {
    var scan = JSONScan(bytes: bytes, limit: limit, at: at)
    defer { at = scan.at }
    if state == .restOfName || state == .restOfString {
      if let stop = scan.passString() { return stop }
      state = state == .restOfName ? .colon : .separator
    }
    while state != .separator || open != Self.none {
      scan.passBlanks()
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
          if let stop = scan.passNumber(&kind, isLast: isLast) { return stop }
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
          let wanted: JSONProblem.Expectation = state == .value ? .value : .valueOrEnd
          if let stop = scan.passWord(&kind, wanted) { return stop }
          append(kind, start, scan.at, false, nodes)
          state = .separator
        }
      case .restOfName, .restOfString:
        preconditionFailure("The rest of a string is read before anything else.")
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

  /// Reads a string from its opening quote on.
  @inline(__always)
  private mutating func string(
    _ scan: inout JSONScan, _ nodes: UnsafeMutableBufferPointer<JSONNode>, then next: State,
    rest: State
  ) -> Outcome? {
    guard nodeCount < nodes.count else { return .needsNodes }
    let quote = scan.at
    scan.at += 1
    scan.hasEscapes = false
    if let stop = scan.passString() {
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
    if scan.sawHighBits { mayHoldUnicode = true }
    state = next
    return nil
  }
}
