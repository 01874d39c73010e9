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
