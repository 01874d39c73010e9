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
  private var lexer: Lexer
  private(set) var token: Token
  private let arguments: [PredicateArgument]
  private var nextArgument = 0
  private var depth = 0

  /// Brackets inside brackets that are read before the text is refused; bounds the stack used.
  static let maximumDepth = 200

  init(_ text: String, arguments: [PredicateArgument]) throws(QueryPredicateError) {
    lexer = Lexer(text)
    self.arguments = arguments
    token = try lexer.next()
  }

  mutating func wholePredicate() throws(QueryPredicateError) -> QueryPredicate {
    let predicate = try disjunction()
    guard token.kind == .end else { throw expected("AND, OR or the end of the text") }
    return predicate
  }

  // MARK: Logic

  private mutating func disjunction() throws(QueryPredicateError) -> QueryPredicate {
    var parts = [try conjunction()]
    while try take(.keyword(.or)) { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(QueryPredicateError) -> QueryPredicate {
    var parts = [try negation()]
    while try take(.keyword(.and)) { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  /// NOT binds to the one comparison or group that follows.
  private mutating func negation() throws(QueryPredicateError) -> QueryPredicate {
    var negations = 0
    while try take(.keyword(.not)) { negations += 1 }
    let inner = try primary()
    return negations.isMultiple(of: 2) ? inner : .not(inner)
  }

  private mutating func primary() throws(QueryPredicateError) -> QueryPredicate {
    if try take(.keyword(.truePredicate)) { return .constant(true) }
    if try take(.keyword(.falsePredicate)) { return .constant(false) }
    guard token.kind == .mark("(") else { return try comparison() }
    guard depth < Self.maximumDepth else {
      throw QueryPredicateError(
        .syntax, "more than \(Self.maximumDepth) brackets inside each other", span: token.span)
    }
    depth += 1
    try advance()
    let inner = try disjunction()
    guard try take(.mark(")")) else { throw expected("AND, OR or ')'") }
    depth -= 1
    return inner
  }

  // MARK: Comparisons

  /// What stands on one side, before its meaning is known.
  private enum Side {
    case operand(Operand)
    case shape(GeoShape)
    case objects([ObjectReference])
    case members([EmbeddedMember])
  }

  private mutating func comparison() throws(QueryPredicateError) -> QueryPredicate {
    let start = token.span
    let left = try side()
    let operatorSpan = token.span
    if try take(.keyword(.geoWithin)) { return try geoWithin(left, start) }
    guard let operation = try takeOperator() else {
      throw expected("a comparison operator")
    }
    let options = try stringOptions(after: operation)
    let right = try side()
    switch (left, right) {
    case (.operand(let left), .operand(let right)):
      return .comparison(Comparison(left, operation, right, options: options))
    case (.operand(.property(let path)), .shape(let shape)) where operation == .isIn:
      return .geoWithin(GeoWithin(path, shape))
    case (.operand(.property(let path)), .objects(let objects)) where operation == .isIn:
      return .or(
        objects.map { .comparison(Comparison(.property(path), .equal, .object($0))) })
    case (.operand(.property(let path)), .members(let members)),
      (.members(let members), .operand(.property(let path))):
      let equality = try QueryPredicate.memberwiseEqual(path, members)
      if operation == .equal { return equality }
      if operation == .notEqual { return .not(equality) }
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
    guard case .operand(.property(let path)) = left else {
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
    switch try side() {
    case .shape(let shape): return .geoWithin(GeoWithin(path, shape, edges: edges))
    case .operand(.value(.string(let text))):
      return .geoWithin(GeoWithin(path, try Self.shape(text, span), edges: edges))
    default:
      throw QueryPredicateError(
        .invalidArgument,
        "the right side of GEOWITHIN must be geoBox, geoCircle or geoPolygon, or an argument that "
          + "holds one", span: span)
    }
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

  // MARK: Operands

  private mutating func side() throws(QueryPredicateError) -> Side {
    let span = token.span
    switch token.kind {
    case .constant(.data(let bytes)):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw QueryPredicateError(.syntax, "expected base64 of UTF-8 text", span: span)
      }
      try advance()
      return .operand(.value(.string(text)))
    case .constant(let value):
      try advance()
      return .operand(.value(value))
    case .mark("{"): return .operand(.list(try constantList()))
    case .argument(let index):
      try advance()
      return try meaning(of: try argument(index, span), span)
    case .nextArgument:
      try advance()
      return try meaning(of: try takeNextArgument(span), span)
    case .name(let name, isForced: false):
      if let value = try call(name, span) { return value }
      return .operand(.property(try path()))
    case .name, .pathArgument, .nextPathArgument: return .operand(.property(try path()))
    case .keyword(let keyword):
      // A word that can only be an operator is a property's name where an operand must stand.
      guard keyword.comparison != nil, keyword != .isIn else { fallthrough }
      return .operand(.property(try path()))
    default: throw expected("a property or a value")
    }
  }

  private func meaning(
    of argument: PredicateArgument, _ span: TextSpan
  ) throws(QueryPredicateError) -> Side {
    switch argument {
    case .value(let value): .operand(.value(value))
    case .list(let values): .operand(.list(values))
    case .object(let reference): .operand(.object(reference))
    case .shape(let shape): .shape(shape)
    case .objects(let objects): .objects(objects)
    case .members(let members): .members(members)
    }
  }

  private mutating func path() throws(QueryPredicateError) -> PropertyPath {
    let start = token.span.offset
    var end = start
    var names: [String] = []
    repeat {
      end = token.span.offset + token.span.count
      switch token.kind {
      case .name(let name, _): names.append(name)
      case .keyword(let keyword):
        guard keyword.comparison != nil else { throw expected("a property's name") }
        names.append(lexer.text(token.span))
      case .pathArgument(let index): names += try pathNames(try argument(index, token.span))
      case .nextPathArgument: names += try pathNames(try takeNextArgument(token.span))
      default: throw expected("a property's name")
      }
      try advance()
    } while try take(.mark("."))
    return PropertyPath(names, span: TextSpan(offset: start, count: end - start))
  }

  private func pathNames(_ argument: PredicateArgument) throws(QueryPredicateError) -> [String] {
    guard case .value(.string(let text)) = argument else {
      throw QueryPredicateError(
        .invalidArgument, "an argument for a property path must be a string", span: token.span)
    }
    return PropertyPath(text).names
  }

  mutating func constantList() throws(QueryPredicateError) -> [Value] {
    try advance()
    var values: [Value] = []
    if try take(.mark("}")) { return values }
    repeat {
      let span = token.span
      // Lists inside lists would be read to any depth before they are refused.
      guard token.kind != .mark("{"), case .operand(.value(let value)) = try side() else {
        throw QueryPredicateError(.syntax, "a list holds constants only", span: span)
      }
      values.append(value)
    } while try take(.mark(","))
    guard try take(.mark("}")) else { throw expected("',' or '}'") }
    return values
  }

  /// A function's value, or nil when the name is a property's.
  private mutating func call(_ name: String, _ span: TextSpan) throws(QueryPredicateError) -> Side?
  {
    guard let function = Function(rawValue: name.lowercased()) else { return nil }
    guard lexer.nextIsBracket else { return nil }
    try advance()
    // What stands between the brackets of an identifier is no token, and must not be read as one.
    if function != .oid, function != .uuid { try advance() }
    let side: Side =
      switch function {
      case .geoBox, .geoCircle, .geoPolygon, .geoMultiPolygon:
        .shape(try shape(function, span))
      case .oid, .uuid: .operand(.value(try identifier(function, span)))
      case .bin, .binary: .operand(.value(try bytes()))
      case .obj, .objKey: .operand(.object(try object(function)))
      }
    guard try take(.mark(")")) else { throw expected("')'") }
    return side
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
