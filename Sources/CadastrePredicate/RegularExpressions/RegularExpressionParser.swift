/// A piece of an expression.
indirect enum RegularExpressionNode {
  case empty
  case characters(CharacterSet)
  case anchor(RegularExpressionAnchor)
  case sequence([RegularExpressionNode])
  case alternatives([RegularExpressionNode])
  /// Repeated at least and at most so often; without end where there is no upper bound.
  case repeated(RegularExpressionNode, Int, Int?)
}

/// Reads the text of a regular expression.
struct RegularExpressionParser {
  private let pattern: String
  private let scalars: [Unicode.Scalar]
  private let options: StringOptions
  private var position = 0
  private var depth = 0

  /// Groups inside groups; bounds the stack used.
  private static let maximumDepth = 50
  /// The largest number in `{m,n}`.
  private static let maximumCount = 1000

  init(_ pattern: String, _ options: StringOptions) {
    self.pattern = pattern
    self.options = options
    scalars = Array(pattern.unicodeScalars)
  }

  mutating func wholePattern() throws(RegularExpressionError) -> RegularExpressionNode {
    let node = try alternatives()
    guard position == scalars.count else { throw error("a ')' without '('") }
    return node
  }

  private mutating func alternatives() throws(RegularExpressionError) -> RegularExpressionNode {
    var parts = [try sequence()]
    while take("|") { parts.append(try sequence()) }
    return parts.count == 1 ? parts[0] : .alternatives(parts)
  }

  private mutating func sequence() throws(RegularExpressionError) -> RegularExpressionNode {
    var parts: [RegularExpressionNode] = []
    while let scalar = peek(), scalar != "|", scalar != ")" {
      parts.append(try quantified(try atom()))
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  // MARK: Repetition

  private mutating func quantified(
    _ node: RegularExpressionNode
  ) throws(RegularExpressionError) -> RegularExpressionNode {
    let bounds: (Int, Int?)
    switch peek() {
    case "*": bounds = (0, nil)
    case "+": bounds = (1, nil)
    case "?": bounds = (0, 1)
    case "{":
      bounds = try counts()
    default: return node
    }
    position += 1
    // Greedy and lazy repetition match the same whole texts.
    if peek() == "?" { position += 1 }
    if peek() == "+" { throw error("'+' after a repetition is not supported") }
    if let next = peek(), "*?{".unicodeScalars.contains(next) {
      throw error("a repetition of a repetition; put brackets round the first")
    }
    return .repeated(node, bounds.0, bounds.1)
  }

  /// `{m}`, `{m,}` or `{m,n}`; stops at the closing bracket.
  private mutating func counts() throws(RegularExpressionError) -> (Int, Int?) {
    let start = position
    position += 1
    let least = try count(start)
    var most: Int? = least
    if take(",") { most = peek() == "}" ? nil : try count(start) }
    guard peek() == "}" else { throw error("expected '}'") }
    if let most, most < least { throw error("the bounds are in the wrong order", at: start) }
    return (least, most)
  }

  private mutating func count(_ start: Int) throws(RegularExpressionError) -> Int {
    var digits = ""
    while let scalar = peek(), ("0"..."9").contains(scalar) {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    guard let count = Int(digits) else {
      throw error("expected {m}, {m,} or {m,n}", at: start)
    }
    guard count <= Self.maximumCount else {
      throw error("a count of more than \(Self.maximumCount)", at: start)
    }
    return count
  }

  // MARK: Atoms

  private mutating func atom() throws(RegularExpressionError) -> RegularExpressionNode {
    let start = position
    guard let scalar = peek() else { return .empty }
    position += 1
    switch scalar {
    case "(": return try group(start)
    case "[": return .characters(try bracketed(start))
    case ".": return .characters(CharacterSet([.notNewline]))
    case "^": return .anchor(.start)
    case "$": return .anchor(.end)
    case "\\": return try escaped(start)
    case "*", "+", "?", "{": throw error("nothing to repeat", at: start)
    default: return literal(scalar)
    }
  }

  private mutating func group(_ start: Int) throws(RegularExpressionError) -> RegularExpressionNode
  {
    if take("?") {
      guard take(":") else {
        throw error("'(?' with anything but ':' is not supported", at: start)
      }
    }
    guard depth < Self.maximumDepth else {
      throw error("more than \(Self.maximumDepth) groups inside each other", at: start)
    }
    depth += 1
    let node = try alternatives()
    guard take(")") else { throw error("expected ')'") }
    depth -= 1
    return node
  }

  /// A character as itself, brought to the form in which texts are compared.
  private func literal(_ scalar: Unicode.Scalar) -> RegularExpressionNode {
    guard !options.isEmpty else { return .characters(CharacterSet(scalar)) }
    let folded = StringFolding.text(String(scalar), options).unicodeScalars
    let nodes = folded.map { RegularExpressionNode.characters(CharacterSet($0)) }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  private mutating func escaped(_ start: Int) throws(RegularExpressionError)
    -> RegularExpressionNode
  {
    switch peek() {
    case "b":
      position += 1
      return .anchor(.wordBoundary)
    case "B":
      position += 1
      return .anchor(.noWordBoundary)
    case "A":
      position += 1
      return .anchor(.start)
    default: break
    }
    switch try escape(start) {
    case .range(let range): return literal(range.lowerBound)
    case let kind: return .characters(CharacterSet([kind]))
    }
  }

  /// The meaning of a backslash and the character after it, outside and inside square brackets.
  private mutating func escape(
    _ start: Int
  ) throws(RegularExpressionError) -> CharacterSet.Kind {
    guard let scalar = peek() else { throw error("a '\\' at the end", at: start) }
    position += 1
    func one(_ scalar: Unicode.Scalar) -> CharacterSet.Kind { .range(scalar...scalar) }
    switch scalar {
    case "d": return .digit(true)
    case "D": return .digit(false)
    case "w": return .word(true)
    case "W": return .word(false)
    case "s": return .space(true)
    case "S": return .space(false)
    case "n": return one("\n")
    case "r": return one("\r")
    case "t": return one("\t")
    case "f": return one("\u{c}")
    case "x": return one(try hexadecimal(2, start))
    case "u": return one(try hexadecimal(4, start))
    case "a"..."z", "A"..."Z", "0"..."9":
      throw error("'\\\(scalar)' is not supported", at: start)
    default: return one(scalar)
    }
  }

  private mutating func hexadecimal(
    _ count: Int, _ start: Int
  ) throws(RegularExpressionError) -> Unicode.Scalar {
    let digits = String(String.UnicodeScalarView(scalars[position...].prefix(count)))
    guard digits.utf8.count == count, let number = UInt32(digits, radix: 16),
      let scalar = Unicode.Scalar(number)
    else { throw error("expected \(count) hexadecimal digits", at: start) }
    position += count
    return scalar
  }

  // MARK: Classes

  /// `[a-z\d]`, from after its opening bracket.
  private mutating func bracketed(_ start: Int) throws(RegularExpressionError) -> CharacterSet {
    var set = CharacterSet([])
    set.isNegated = take("^")
    set.ignoresCase = options.contains(.caseInsensitive)
    var isFirst = true
    while true {
      guard let scalar = peek() else { throw error("a '[' without ']'", at: start) }
      if scalar == "]", !isFirst { break }
      isFirst = false
      set.kinds.append(try classItem(start))
    }
    position += 1
    return set
  }

  private mutating func classItem(
    _ start: Int
  ) throws(RegularExpressionError) -> CharacterSet.Kind {
    let place = position
    let first = try classEnd(start)
    guard case .range(let lower) = first, peek() == "-",
      position + 1 < scalars.count, scalars[position + 1] != "]"
    else { return first }
    position += 1
    guard case .range(let upper) = try classEnd(start), lower.lowerBound <= upper.lowerBound else {
      throw error("a range that ends before it begins", at: place)
    }
    return .range(lower.lowerBound...upper.lowerBound)
  }

  private mutating func classEnd(
    _ start: Int
  ) throws(RegularExpressionError) -> CharacterSet.Kind {
    guard let scalar = peek() else { throw error("a '[' without ']'", at: start) }
    let place = position
    position += 1
    switch scalar {
    case "\\": return folded(try escape(place))
    case "[": throw error("'[' inside a class must be written '\\['", at: place)
    case "&" where peek() == "&": throw error("'&&' inside a class is not supported", at: place)
    default: return folded(.range(scalar...scalar))
    }
  }

  /// A single character of a class, folded as the texts are.
  private func folded(_ kind: CharacterSet.Kind) -> CharacterSet.Kind {
    guard options.contains(.diacriticInsensitive), case .range(let range) = kind else {
      return kind
    }
    let folded = StringFolding.text(String(range.lowerBound), .diacriticInsensitive).unicodeScalars
    guard folded.count == 1, let scalar = folded.first else { return kind }
    return .range(scalar...scalar)
  }

  // MARK: Looking

  private func peek() -> Unicode.Scalar? {
    position < scalars.count ? scalars[position] : nil
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    position += 1
    return true
  }

  private func error(_ problem: String, at offset: Int? = nil) -> RegularExpressionError {
    RegularExpressionError(pattern: pattern, offset: offset ?? position, problem: problem)
  }
}

/// Compiles an expression to instructions.
struct RegularExpressionCompiler {
  private let pattern: String
  private var program: [RegularExpressionInstruction] = []
  private var work = 0

  /// Steps of one expression after all counts are written out; bounds the time a character takes.
  private static let maximumSteps = 10_000

  init(pattern: String) { self.pattern = pattern }

  mutating func compile(
    _ node: RegularExpressionNode
  ) throws(RegularExpressionError) -> [RegularExpressionInstruction] {
    try emit(node)
    program.append(.match)
    return program
  }

  private mutating func emit(_ node: RegularExpressionNode) throws(RegularExpressionError) {
    work += 1
    guard work <= Self.maximumSteps else {
      throw RegularExpressionError(
        pattern: pattern, offset: 0,
        problem: "more than \(Self.maximumSteps) steps when all counts are written out")
    }
    switch node {
    case .empty: break
    case .characters(let set): program.append(.character(set))
    case .anchor(let anchor): program.append(.anchor(anchor))
    case .sequence(let parts): for part in parts { try emit(part) }
    case .alternatives(let parts): try emit(alternatives: parts)
    case .repeated(let inner, let least, let most): try emit(inner, least, most)
    }
  }

  private mutating func emit(
    alternatives parts: [RegularExpressionNode]
  ) throws(RegularExpressionError) {
    var jumps: [Int] = []
    for (index, part) in parts.enumerated() {
      let split = program.count
      if index < parts.count - 1 { program.append(.match) }
      try emit(part)
      guard index < parts.count - 1 else { break }
      jumps.append(program.count)
      program.append(.match)
      program[split] = .split(split + 1, program.count)
    }
    for jump in jumps { program[jump] = .jump(program.count) }
  }

  private mutating func emit(
    _ node: RegularExpressionNode, _ least: Int, _ most: Int?
  ) throws(RegularExpressionError) {
    for _ in 0..<least { try emit(node) }
    guard let most else {
      let split = program.count
      program.append(.match)
      try emit(node)
      program.append(.jump(split))
      program[split] = .split(split + 1, program.count)
      return
    }
    var splits: [Int] = []
    for _ in least..<most {
      splits.append(program.count)
      program.append(.match)
      try emit(node)
    }
    for split in splits { program[split] = .split(split + 1, program.count) }
  }
}
