import CadastreGeometry
import CadastreModel
import Foundation

extension QueryPredicate {
  /// Parses a predicate, with arguments for its placeholders.
  ///
  ///     let predicate = try QueryPredicate(parsing: "elevation > %@", arguments: [.value(.int(300))])
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

extension QueryPredicate {
  /// Parses a predicate on the columns of a table, such as `avg(elevation) > 300 AND harbor.name != null`.
  ///
  /// The name of a column is one step of a path.
  ///
  /// - Parameters:
  ///   - text: The predicate.
  ///   - column: Returns the name of the column that a text denotes, such as `avg( elevation )`; nil for a
  ///     text that denotes none.
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected, and the
  ///   errors of `column` with their location.
  package init(
    parsing text: String,
    column: @escaping (String) throws(QueryPredicateError) -> String?
  ) throws(QueryPredicateError) {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: [], column: column)
      self = try parser.wholePredicate()
    } catch {
      throw error.found(in: text)
    }
  }
}

/// Reads tokens into a predicate: logic with a stack of its own, all else by recursive descent.
struct Parser {
  var lexer: Lexer
  private(set) var token: Token
  /// The arguments; nil where the text is parsed before there are any.
  private let arguments: [PredicateArgument]?
  /// Returns the column that a text denotes; nil where names are those of properties.
  private let column: ((String) throws(QueryPredicateError) -> String?)?
  private var nextArgument = 0
  /// The number of tokens read.
  private var tokens = 0
  /// The number of comparisons and constants that have been read outside of subqueries.
  private var leaves = 0
  /// The number of uses of arguments.
  private var argumentUses = 0
  /// The arguments that are a part of a condition outside of subqueries.
  private(set) var slots: [ParameterizedPredicate.Slot] = []
  /// The number of subqueries, and of predicates on objects of other classes, that are being read.
  var subqueries = 0
  /// The variables of those whose objects are seen, the innermost last.
  var variables: [String] = []
  /// The entry of `variables` for a predicate on objects of another class, whose paths have no variable.
  static let noVariable = ""
  private var depth = 0
  /// Whether the next distance may have a parameter, because it is the whole left side of a comparison.
  var allowsDistanceParameter = false
  /// Brackets round numbers that are open.
  var calculations = 0
  /// Lists and members that are open.
  var contentLevels = 0

  /// Brackets inside brackets that are read before the text is refused; bounds the stack used.
  static let maximumDepth = 200

  init(
    _ text: String, arguments: [PredicateArgument]?, isCalculation: Bool = false,
    column: ((String) throws(QueryPredicateError) -> String?)? = nil
  ) throws(QueryPredicateError) {
    lexer = Lexer(text, isCalculation: isCalculation)
    self.arguments = arguments
    self.column = column
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

  /// The content of brackets, before it is known whether it is a predicate or a number.
  private enum Piece {
    case predicate(QueryPredicate)
    case side(Side)
  }

  /// The part of a predicate after its opening bracket.
  private struct Group {
    /// The finished parts of a disjunction.
    var alternatives: [QueryPredicate] = []
    /// The finished parts of the conjunction that is being read.
    var parts: [QueryPredicate] = []
    /// The NOTs before the next part.
    var negations = 0

    var isEmpty: Bool { alternatives.isEmpty && parts.isEmpty && negations == 0 }

    /// NOT binds to the next comparison or group; two of them cancel each other.
    mutating func append(_ part: QueryPredicate) {
      parts.append(negations.isMultiple(of: 2) ? part : part.negated)
      negations = 0
    }

    mutating func endConjunction() {
      alternatives.append(parts.count == 1 ? parts[0] : .and(parts))
      parts = []
    }

    mutating func finished() -> QueryPredicate {
      endConjunction()
      return alternatives.count == 1 ? alternatives[0] : .or(alternatives)
    }
  }

  /// Parses a predicate.
  ///
  /// Brackets are kept on a stack of their own, so that deep ones need little of the thread's.
  mutating func predicate() throws(QueryPredicateError) -> QueryPredicate {
    var groups = [Group()]
    while true {
      while try take(.not) { groups[groups.count - 1].negations += 1 }
      if token.isMark("(") {
        try enter()
        try advance()
        groups.append(Group())
        continue
      }
      let piece = try part(in: &groups)
      groups[groups.count - 1].append(piece)
      if variables.isEmpty { leaves += 1 }
      while token.isMark(")"), groups.count > 1 {
        let finished = groups[groups.count - 1].finished()
        groups.removeLast()
        leave()
        try advance()
        groups[groups.count - 1].append(finished)
      }
      if try take(.and) { continue }
      guard try take(.or) else { break }
      groups[groups.count - 1].endConjunction()
    }
    guard groups.count == 1 else { throw expected("AND, OR or ')'") }
    return groups[0].finished()
  }

  /// Parses a comparison or a constant; closes brackets around a number.
  private mutating func part(
    in groups: inout [Group]
  ) throws(QueryPredicateError) -> QueryPredicate {
    if try take(.truePredicate) { return .constant(true) }
    if try take(.falsePredicate) { return .constant(false) }
    var piece = try comparison(after: nil)
    while true {
      switch piece {
      case .predicate(let predicate): return predicate
      case .side(let side):
        guard token.isMark(")"), groups.count > 1, groups[groups.count - 1].isEmpty else {
          throw expected("a comparison operator")
        }
        groups.removeLast()
        leave()
        try advance()
        piece = try comparison(after: side)
      }
    }
  }

  /// Counts a bracket that opens; refuses one too many.
  private mutating func enter() throws(QueryPredicateError) {
    try enter(&depth, Self.maximumDepth, "brackets")
  }

  /// Counts something that opens inside others of its kind; refuses one too many.
  func enter(
    _ level: inout Int, _ limit: Int, _ what: String
  ) throws(QueryPredicateError) {
    guard level < limit else {
      throw QueryPredicateError(
        .syntax, "more than \(limit) \(what) inside each other", span: token.span)
    }
    level += 1
  }

  /// Counts a bracket that closes.
  private mutating func leave() { depth -= 1 }

  // MARK: Comparisons

  /// Parses a comparison, or one side of it where no operator follows: brackets may close around a
  /// number.
  private mutating func comparison(after first: Side?) throws(QueryPredicateError) -> Piece {
    let start = token.span
    allowsDistanceParameter = first == nil
    let left = try expression(after: first)
    allowsDistanceParameter = false
    let operatorSpan = token.span
    if case .operand(.distance(let distance)) = left {
      return .predicate(try comparison(of: distance))
    }
    // A distance with a parameter in a calculation.
    if arguments == nil, variables.isEmpty,
      slots.contains(where: { $0.leaf == leaves && $0.part == .geometry })
    {
      throw Self.parameterError(start)
    }
    if try takeInfixNot() {
      guard case .predicate(let predicate) = try comparison(of: left, from: start, operatorSpan)
      else { throw expected("a comparison operator") }
      return .predicate(.not(predicate))
    }
    return try comparison(of: left, from: start, operatorSpan)
  }

  /// Parses the operator and the right side of a comparison.
  private mutating func comparison(
    of left: Side, from start: TextSpan, _ operatorSpan: TextSpan
  ) throws(QueryPredicateError) -> Piece {
    if let relation = try relation(left, start) { return .predicate(relation) }
    guard let operation = try takeOperator() else { return .side(left) }
    let options = try stringOptions(after: operation)
    if let parameter = try takeParameter(left, operation, options) { return .predicate(parameter) }
    let right = try whole { (parser) throws(QueryPredicateError) in
      switch operation {
      case .isIn: try parser.listOrExpression()
      case .between: try parser.bounds()
      default: try parser.expression(after: nil)
      }
    }
    switch (left, right) {
    case (.operand, .operand(.arithmetic)) where operation == .isIn:
      throw QueryPredicateError(
        .syntax, "expected a list or a collection after 'IN', found a calculation",
        span: operatorSpan)
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

  mutating func takeOperator() throws(QueryPredicateError) -> ComparisonOperator? {
    switch token.kind {
    case .comparison(let operation):
      try advance()
      return operation
    case .keyword(let keyword):
      guard let operation = keyword.comparison else { return nil }
      try advance()
      return operation
    default: return try takeIs()
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
  mutating func bracketedWord() throws(QueryPredicateError) -> (
    text: String, span: TextSpan
  )? {
    guard try take("[") else { return nil }
    guard case .name(let text, _) = token.kind else { throw expected("[c], [d] or [cd]") }
    let span = token.span
    try advance()
    guard try take("]") else { throw expected("']'") }
    return (text, span)
  }

  // MARK: Tokens and arguments

  mutating func advance() throws(QueryPredicateError) {
    token = try lexer.next()
    tokens += 1
  }

  /// Reads the right geometry of a relation or of a distance.
  ///
  /// If it is an argument with a region or a geometry, the use of the argument is recorded.
  mutating func wholeRegion(
    _ read: (inout Parser) throws(QueryPredicateError) -> Side
  ) throws(QueryPredicateError) -> Side {
    let side = try whole(.geometry, read)
    switch side {
    case .shape, .operand(.value(.geometry)): return side
    default:
      // The argument is the text of a region, or another operand of a relation.
      slots.removeAll { $0.leaf == leaves }
      return side
    }
  }

  /// Reads the right side of a comparison or of a relation; if it is an argument, the use of the argument is recorded.
  private mutating func whole(
    _ part: ParameterizedPredicate.Part = .value,
    _ read: (inout Parser) throws(QueryPredicateError) -> Side
  ) throws(QueryPredicateError) -> Side {
    let (index, start) = (argumentIndex, tokens)
    let side = try read(&self)
    if tokens == start + 1 { note(index, part) }
    return side
  }

  /// Reads a parameter of a prepared query as the right side of a comparison; nil if the token is no parameter.
  private mutating func takeParameter(
    _ left: Side, _ operation: ComparisonOperator, _ options: StringOptions
  ) throws(QueryPredicateError) -> QueryPredicate? {
    guard case .operand(let operand) = left, try takeParameter(.value) else { return nil }
    return .comparison(Comparison(operand, operation, .value(.null), options: options))
  }

  /// Reads a parameter of a prepared query, and records the part of the condition that it is.
  ///
  /// - Returns: Whether the token was a parameter; false if the arguments are given, and inside of subqueries.
  mutating func takeParameter(
    _ part: ParameterizedPredicate.Part
  ) throws(QueryPredicateError) -> Bool {
    guard arguments == nil, variables.isEmpty, let index = argumentIndex else { return false }
    if case .nextArgument = token.kind { nextArgument += 1 }
    argumentUses += 1
    note(index, part)
    try advance()
    return true
  }

  /// Records that an argument is a part of the current condition, except inside of subqueries.
  mutating func note(_ argument: Int?, _ part: ParameterizedPredicate.Part) {
    guard let argument, variables.isEmpty else { return }
    slots.append(ParameterizedPredicate.Slot(leaf: leaves, argument: argument, part: part))
  }

  /// The index of the argument that the token refers to; nil for other tokens.
  var argumentIndex: Int? {
    switch token.kind {
    case .argument(let index): index
    case .nextArgument: nextArgument
    default: nil
    }
  }

  /// The uses of arguments that can be replaced by others of the same kinds; nil if some argument is not a part of
  /// a condition outside of subqueries.
  var replaceableArguments: [ParameterizedPredicate.Slot]? {
    slots.count == argumentUses ? slots : nil
  }

  /// Makes the text that begins with the token one name if it denotes a column.
  mutating func readColumn() throws(QueryPredicateError) {
    guard let column else { return }
    switch token.kind {
    case .name(_, isForced: false), .keyword: break
    // A word such as `no` or `inf` is a constant where it denotes no column.
    case .constant where lexer.isWord(token.span): break
    default: return
    }
    for end in lexer.columnEnds {
      let span = TextSpan(offset: token.span.offset, count: end - token.span.offset)
      do throws(QueryPredicateError) {
        guard let name = try column(lexer.text(span)) else { continue }
        lexer.position = end
        token = Token(kind: .name(name, isForced: true), span: span)
        return
      } catch {
        throw QueryPredicateError(error.kind, error.message, span: span)
      }
    }
  }

  /// Moves on if the token is the given mark.
  mutating func take(_ mark: Mark) throws(QueryPredicateError) -> Bool {
    guard token.isMark(mark) else { return false }
    try advance()
    return true
  }

  /// Moves on if the token is the given word.
  mutating func take(_ keyword: Keyword) throws(QueryPredicateError) -> Bool {
    guard case .keyword(keyword) = token.kind else { return false }
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

  mutating func argument(
    _ index: Int, _ span: TextSpan
  ) throws(QueryPredicateError) -> PredicateArgument {
    guard let arguments else { throw Self.parameterError(span) }
    argumentUses += 1
    guard arguments.indices.contains(index) else {
      let given =
        switch arguments.count {
        case 0: "no arguments are given"
        case 1: "only one argument is given"
        default: "only \(arguments.count) arguments are given"
        }
      throw QueryPredicateError(
        .invalidArgument, "the text refers to argument \(index), counted from 0, but \(given)",
        span: span)
    }
    return arguments[index]
  }

  private static func parameterError(_ span: TextSpan) -> QueryPredicateError {
    QueryPredicateError(
      .invalidArgument,
      "a parameter of a prepared query must be the whole right side of a comparison or of a relation outside "
        + "of SUBQUERY, or the second geometry or the limit of a GEODISTANCE on the left",
      span: span)
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
  /// The path of the values and their quantifier; nil for other operands.
  var values: (Quantifier, PropertyPath)? {
    switch self {
    case .property(let path): (.any, path)
    case .elements(let quantifier, let path): (quantifier, path)
    default: nil
    }
  }
}
