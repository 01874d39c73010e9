import CadastreGeometry
import CadastreModel
import Foundation

extension QueryPredicate {
  /// Reads a predicate from text, with arguments for its placeholders.
  ///
  /// - Complexity: O(n) in the length of the text.
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected.
  public init(
    parsing text: String, arguments: [PredicateArgument] = []
  ) throws(QueryPredicateError) {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: arguments)
      self = try parser.wholePredicate()
    } catch {
      throw error.found(in: text)
    }
  }
}

/// Reads tokens into a predicate by recursive descent; chains of AND and OR are loops.
struct Parser {
  var lexer: Lexer
  private(set) var token: Token
  private let arguments: [PredicateArgument]
  private var nextArgument = 0
  /// The variables of the subqueries that are being read, the innermost last.
  var variables: [String] = []
  private var depth = 0

  /// Brackets inside brackets that are read before the text is refused; bounds the stack used.
  static let maximumDepth = 200

  init(_ text: String, arguments: [PredicateArgument]) throws(QueryPredicateError) {
    lexer = Lexer(text)
    self.arguments = arguments
    token = try lexer.next()
  }

  mutating func wholePredicate() throws(QueryPredicateError) -> QueryPredicate {
    let predicate = try predicate()
    if let word = orderingWord {
      throw QueryPredicateError(
        .syntax,
        "expected AND, OR or the end of the text, found '\(lexer.text(token.span))': a predicate "
          + "says which objects, not their order or number; \(word.advice)", span: token.span)
    }
    guard token.kind == .end else { throw expected("AND, OR or the end of the text") }
    return predicate
  }

  // MARK: Logic

  /// What was read, before it is known whether brackets held a predicate or a number.
  private enum Piece {
    case predicate(QueryPredicate)
    case side(Side)
  }

  /// A predicate with all its ORs.
  mutating func predicate() throws(QueryPredicateError) -> QueryPredicate {
    let piece = try disjunction()
    return try predicate(piece)
  }

  private func predicate(_ piece: Piece) throws(QueryPredicateError) -> QueryPredicate {
    guard case .predicate(let predicate) = piece else {
      throw expected("a comparison operator")
    }
    return predicate
  }

  private mutating func disjunction() throws(QueryPredicateError) -> Piece {
    let first = try conjunction()
    guard token.kind == .keyword(.or) else { return first }
    var parts = [try predicate(first)]
    while try take(.keyword(.or)) {
      let piece = try conjunction()
      parts.append(try predicate(piece))
    }
    return .predicate(.or(parts))
  }

  private mutating func conjunction() throws(QueryPredicateError) -> Piece {
    let first = try negation()
    guard token.kind == .keyword(.and) else { return first }
    var parts = [try predicate(first)]
    while try take(.keyword(.and)) {
      let piece = try negation()
      parts.append(try predicate(piece))
    }
    return .predicate(.and(parts))
  }

  /// NOT binds to the one comparison or group that follows.
  private mutating func negation() throws(QueryPredicateError) -> Piece {
    var negations = 0
    while try take(.keyword(.not)) { negations += 1 }
    guard negations > 0 else { return try primary() }
    let piece = try primary()
    let inner = try predicate(piece)
    return .predicate(negations.isMultiple(of: 2) ? inner : .not(inner))
  }

  private mutating func primary() throws(QueryPredicateError) -> Piece {
    if try take(.keyword(.truePredicate)) { return .predicate(.constant(true)) }
    if try take(.keyword(.falsePredicate)) { return .predicate(.constant(false)) }
    guard token.kind == .mark("(") else { return try comparison(after: nil) }
    try enter()
    try advance()
    let inner = try disjunction()
    if case .side = inner, token.kind != .mark(")") { throw expected("a comparison operator") }
    guard try take(.mark(")")) else { throw expected("AND, OR or ')'") }
    depth -= 1
    guard case .side(let side) = inner else { return inner }
    return try comparison(after: side)
  }

  /// Counts a bracket that opens; refuses one too many.
  mutating func enter() throws(QueryPredicateError) {
    guard depth < Self.maximumDepth else {
      throw QueryPredicateError(
        .syntax, "more than \(Self.maximumDepth) brackets inside each other", span: token.span)
    }
    depth += 1
  }

  /// Counts a bracket that closes.
  mutating func leave() { depth -= 1 }

  // MARK: Comparisons

  /// A comparison, or one side of it where no operator follows: brackets may close round a number.
  private mutating func comparison(after first: Side?) throws(QueryPredicateError) -> Piece {
    let start = token.span
    let left = try expression(after: first)
    let operatorSpan = token.span
    if try take(.keyword(.geoWithin)) { return .predicate(try geoWithin(left, start)) }
    guard let operation = try takeOperator() else { return .side(left) }
    let options = try stringOptions(after: operation)
    let right = try expression(after: nil)
    switch (left, right) {
    case (.operand(let left), .operand(let right)):
      return .predicate(.comparison(Comparison(left, operation, right, options: options)))
    case (.operand(let operand), .shape(let shape)) where operation == .isIn:
      if let (quantifier, path) = operand.values {
        return .predicate(.geoWithin(GeoWithin(path, shape, quantifier: quantifier)))
      }
    default: break
    }
    throw QueryPredicateError(
      .invalidArgument, "operator '\(operation.rawValue)' cannot compare these two",
      span: operatorSpan)
  }

  private mutating func takeOperator() throws(QueryPredicateError) -> ComparisonOperator? {
    switch token.kind {
    case .comparison(let operation):
      try advance()
      return operation
    case .keyword(let keyword):
      guard let operation = keyword.comparison else { return nil }
      try advance()
      return operation
    default: return nil
    }
  }

  private mutating func stringOptions(
    after operation: ComparisonOperator
  ) throws(QueryPredicateError) -> StringOptions {
    guard let word = try bracketedWord() else { return [] }
    var options: StringOptions = []
    for letter in word.text.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default:
        throw QueryPredicateError(
          .syntax, "expected [c], [d] or [cd], found [\(word.text)]", span: word.span)
      }
    }
    guard operation.acceptsOptions else {
      throw QueryPredicateError(
        .syntax,
        "operator '\(operation.rawValue)' takes no [\(word.text)]: ordered comparisons of "
          + "strings are always case-sensitive", span: word.span)
    }
    return options
  }

  /// A word in square brackets after an operator.
  private mutating func bracketedWord() throws(QueryPredicateError) -> (
    text: String, span: TextSpan
  )? {
    guard try take(.mark("[")) else { return nil }
    guard case .name(let text, _) = token.kind else { throw expected("[c], [d] or [cd]") }
    let span = token.span
    try advance()
    guard try take(.mark("]")) else { throw expected("']'") }
    return (text, span)
  }

  private mutating func geoWithin(
    _ left: Side, _ start: TextSpan
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard case .operand(let operand) = left, let (quantifier, path) = operand.values else {
      throw QueryPredicateError(.syntax, "GEOWITHIN needs a property on its left", span: start)
    }
    var edges = EdgeModel.spherical
    if let word = try bracketedWord() {
      guard let model = EdgeModel(rawValue: word.text.lowercased()) else {
        throw QueryPredicateError(
          .syntax, "expected [spherical] or [planar], found [\(word.text)]", span: word.span)
      }
      edges = model
    }
    let span = token.span
    let shape: GeoShape
    switch try side() {
    case .shape(let found): shape = found
    case .operand(.value(.string(let text))): shape = try Self.shape(text, span)
    default:
      throw QueryPredicateError(
        .invalidArgument,
        "the right side of GEOWITHIN must be geoBox, geoCircle or geoPolygon, or an argument that "
          + "holds one", span: span)
    }
    return .geoWithin(GeoWithin(path, shape, edges: edges, quantifier: quantifier))
  }

  /// Reads a region given as a string argument.
  private static func shape(_ text: String, _ span: TextSpan) throws(QueryPredicateError)
    -> GeoShape
  {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: [])
      if case .shape(let shape) = try parser.side(), parser.token.kind == .end { return shape }
    } catch {
      throw QueryPredicateError(.invalidArgument, "region '\(text)': \(error.message)", span: span)
    }
    throw QueryPredicateError(
      .invalidArgument, "expected geoBox, geoCircle or geoPolygon, found '\(text)'", span: span)
  }

  // MARK: Tokens and arguments

  mutating func advance() throws(QueryPredicateError) { token = try lexer.next() }

  /// Moves on if the token is the given one.
  mutating func take(_ kind: Token.Kind) throws(QueryPredicateError) -> Bool {
    guard token.kind == kind else { return false }
    try advance()
    return true
  }

  /// The text between the opening bracket, which is the token, and the closing one, for literals
  /// whose digits are no tokens of their own.
  mutating func rawUntilBracket() throws(QueryPredicateError) -> String {
    let text = lexer.takeRaw(from: token.span.offset + token.span.count)
    try advance()
    return text
  }

  func argument(_ index: Int, _ span: TextSpan) throws(QueryPredicateError) -> PredicateArgument {
    guard arguments.indices.contains(index) else {
      let given =
        switch arguments.count {
        case 0: "no arguments are given"
        case 1: "only one argument is given"
        default: "only \(arguments.count) arguments are given"
        }
      throw QueryPredicateError(
        .invalidArgument, "the text asks for argument \(index), counted from 0, but \(given)",
        span: span)
    }
    return arguments[index]
  }

  mutating func takeNextArgument(_ span: TextSpan) throws(QueryPredicateError) -> PredicateArgument
  {
    defer { nextArgument += 1 }
    return try argument(nextArgument, span)
  }

  func expected(_ what: String) -> QueryPredicateError {
    let found =
      token.kind == .end ? "the end of the text" : "'\(lexer.text(token.span).prefix(40))'"
    return QueryPredicateError(.syntax, "expected \(what), found \(found)", span: token.span)
  }
}

extension Operand {
  /// The values that a path stands for, and how many of them must fit; nil for other operands.
  var values: (Quantifier, PropertyPath)? {
    switch self {
    case .property(let path): (.any, path)
    case .elements(let quantifier, let path): (quantifier, path)
    default: nil
    }
  }
}
