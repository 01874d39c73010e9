import CadastreGeometry
import CadastreModel
import Foundation

/// One side of a comparison, before it is interpreted.
enum Side {
  case operand(Operand)
  case shape(GeoShape)
}

extension Operand {
  /// Parses a calculation such as `population / 1000`, in which `a-1` is a difference and not a name.
  ///
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected.
  package init(parsingCalculation text: String) throws(QueryPredicateError) {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: [], isCalculation: true)
      self = try parser.wholeCalculation()
    } catch {
      throw error.found(in: text)
    }
  }
}

/// Reads the sides of comparisons.
extension Parser {
  /// Calculations inside each other that are read before the text is refused; bounds the stack
  /// used.
  private static let maximumCalculations = 30
  /// Subqueries inside each other that are read before the text is refused.
  static let maximumSubqueries = 20
  /// The maximum number of lists and members inside each other.
  private static let maximumContents = 20

  // MARK: Arithmetic

  /// Parses a text that is one operand.
  fileprivate mutating func wholeCalculation() throws(QueryPredicateError) -> Operand {
    let start = token.span
    let side = try expression(after: nil)
    guard token.kind == .end else { throw expected("an operator or the end of the text") }
    guard case .operand(let operand) = side else {
      throw QueryPredicateError(
        .syntax, "expected a calculation, found a region", span: start)
    }
    return operand
  }

  /// Operands with signs between them; `first` has been read already.
  mutating func expression(after first: Side?) throws(QueryPredicateError) -> Side {
    var left = try term(after: first)
    while let sign = sign(.add, .subtract) { left = try calculated(left, sign) }
    return left
  }

  private mutating func term(after first: Side?) throws(QueryPredicateError) -> Side {
    var left = if let first { first } else { try factor() }
    while let sign = sign(.multiply, .divide) { left = try calculated(left, sign) }
    return left
  }

  private mutating func factor() throws(QueryPredicateError) -> Side {
    guard token.isMark("(") else { return try side() }
    try enter(&calculations, Self.maximumCalculations, "calculations")
    try advance()
    let inner = try expression(after: nil)
    guard try take(")") else { throw expected("')'") }
    calculations -= 1
    return inner
  }

  private func sign(
    _ first: Arithmetic.Operation, _ second: Arithmetic.Operation
  ) -> Arithmetic.Operation? {
    guard case .mark(let mark) = token.kind else { return nil }
    let operation: Arithmetic.Operation
    switch mark {
    case "+": operation = .add
    case "-": operation = .subtract
    case "*": operation = .multiply
    case "/": operation = .divide
    default: return nil
    }
    return operation == first || operation == second ? operation : nil
  }

  private mutating func calculated(
    _ left: Side, _ sign: Arithmetic.Operation
  ) throws(QueryPredicateError) -> Side {
    let span = token.span
    try advance()
    let right =
      sign == .add || sign == .subtract ? try term(after: nil) : try factor()
    guard case .operand(let left) = left, case .operand(let right) = right, !left.isList,
      !right.isList
    else {
      throw QueryPredicateError(
        .syntax, "expected numbers on both sides of '\(sign.rawValue)'", span: span)
    }
    let result = Operand.arithmetic(Arithmetic(left, sign, right))
    guard result.depth(limit: Self.maximumCalculations + 1) <= Self.maximumCalculations else {
      throw QueryPredicateError(
        .syntax, "more than \(Self.maximumCalculations) calculations inside each other", span: span)
    }
    return .operand(result)
  }

  // MARK: Single operands

  mutating func side() throws(QueryPredicateError) -> Side {
    try readColumn()
    // Other operands have a function of their own: nested subqueries recurse through this one, so its frame must be small.
    guard case .name(let name, isForced: false) = token.kind else { return try otherSide() }
    if lexer.nextIsBracket { return try call(name, token.span) }
    return .operand(try pathOperand(nil))
  }

  /// Parses an operand that does not begin with a name.
  private mutating func otherSide() throws(QueryPredicateError) -> Side {
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
    case .mark("{"): return .operand(try braces())
    case .argument(let index):
      try advance()
      return try argument(index, span).side
    case .nextArgument:
      try advance()
      return try takeNextArgument(span).side
    case .name, .pathArgument, .nextPathArgument, .variable, .attribute:
      return .operand(try pathOperand(nil))
    case .keyword(let keyword):
      if let quantifier = keyword.quantifier {
        try advance()
        return .operand(try quantified(quantifier, keyword))
      }
      // A word that can only be an operator is a property's name where an operand must stand.
      guard keyword.comparison != nil, keyword != .isIn else { fallthrough }
      return .operand(try pathOperand(nil))
    default: throw expected("a property or a value")
    }
  }

  /// Parses the operand after ANY, ALL or NONE.
  private mutating func quantified(
    _ quantifier: Quantifier, _ word: Keyword
  ) throws(QueryPredicateError) -> Operand {
    let span = token.span
    let operand: Operand
    switch token.kind {
    case .mark("{"): operand = try braces()
    case .argument(let index):
      try advance()
      guard case .operand(let meaning) = try argument(index, span).side else {
        throw QueryPredicateError(
          .invalidArgument, "expected a property or a list after \(word.rawValue)", span: span)
      }
      operand = meaning
    case .nextArgument:
      try advance()
      guard case .operand(let meaning) = try takeNextArgument(span).side else {
        throw QueryPredicateError(
          .invalidArgument, "expected a property or a list after \(word.rawValue)", span: span)
      }
      operand = meaning
    case .constant: throw expected("a property or a list after \(word.rawValue)")
    default: operand = try pathOperand(quantifier)
    }
    switch operand {
    case .list(let values): return .constants(quantifier, values)
    case .elements: return operand
    case .outer:
      throw QueryPredicateError(
        .syntax,
        "the property after \(word.rawValue) is outside of the SUBQUERY; single values of outer objects can be "
          + "compared with the objects inside", span: span)
    default:
      throw QueryPredicateError(
        .syntax, "expected a property or a list after \(word.rawValue)", span: span)
    }
  }

  // MARK: Braces

  /// Constants, or the members of an embedded object.
  private mutating func braces() throws(QueryPredicateError) -> Operand {
    try advance()
    if try take("}") { return .list([]) }
    if try take(":") {
      guard try take("}") else { throw expected("'}'") }
      return .content(.members([]))
    }
    try enter(&contentLevels, Self.maximumContents, "lists and members")
    let first = try element()
    let content: PredicateArgument
    if case .value(.string(let name)) = first, token.isMark(":") {
      content = .members(try members(from: name))
    } else {
      content = PredicateArgument(elements: try elements(from: first))
    }
    guard try take("}") else { throw expected("',' or '}'") }
    contentLevels -= 1
    return content.operand ?? .list([])
  }

  /// `list(…)` and `map('key': …)`: the content of a map, or of a value of any type, from after the opening
  /// bracket.
  private mutating func content(_ function: Function) throws(QueryPredicateError) -> Operand {
    if token.isMark(")") { return .value(function == .list ? .list([]) : .map(ValueMap())) }
    try enter(&contentLevels, Self.maximumContents, "lists and members")
    defer { contentLevels -= 1 }
    let content: PredicateArgument
    if function == .list {
      content = PredicateArgument(list: try elements(from: try element()))
    } else {
      content = PredicateArgument(entries: try members(from: try memberName()))
    }
    return content.operand ?? .value(.null)
  }

  /// Parses the elements of a list; the first one has been read.
  private mutating func elements(
    from first: PredicateArgument
  ) throws(QueryPredicateError) -> [PredicateArgument] {
    var elements = [first]
    while try take(",") { elements.append(try element()) }
    return elements
  }

  /// Parses one element of a list; refuses a list of alternatives, which matches if one of its constants does.
  private mutating func element() throws(QueryPredicateError) -> PredicateArgument {
    let span = token.span
    // A quantifier would begin lists inside lists of any depth, as in `{ANY {ANY {`.
    guard !token.isQuantifier, case .operand(let operand) = try side(),
      let element = operand.argument
    else { throw Self.listError(span) }
    switch element {
    case .list, .objects, .shape: throw Self.listError(span)
    case .value, .object, .members, .elements, .entries: return element
    }
  }

  private static func listError(_ span: TextSpan) -> QueryPredicateError {
    QueryPredicateError(.syntax, "a list holds constants only", span: span)
  }

  /// Parses contents by name; the first name has been read, and the token is the colon after it.
  private mutating func members(from first: String) throws(QueryPredicateError) -> [EmbeddedMember]
  {
    var members: [EmbeddedMember] = []
    var name = first
    while true {
      guard try take(":") else { throw expected("':'") }
      let span = token.span
      guard !token.isQuantifier, case .operand(let operand) = try side(),
        let content = operand.argument
      else {
        throw QueryPredicateError(
          .syntax, "expected a value, a list or members of '\(name)'", span: span)
      }
      members.append(EmbeddedMember(name, content))
      guard try take(",") else { return members }
      name = try memberName()
    }
  }

  private mutating func memberName() throws(QueryPredicateError) -> String {
    guard case .constant(.string(let name)) = token.kind else {
      throw expected("a member's name in quotes")
    }
    try advance()
    return name
  }

  // MARK: Functions

  /// Parses the call of a function, from its name.
  private mutating func call(
    _ name: String, _ span: TextSpan
  ) throws(QueryPredicateError) -> Side {
    let function = try function(name, span)
    if function == .subquery { return try subqueryCount() }
    let side = try result(of: function, span)
    guard try take(")") else { throw expected("')'") }
    return side
  }

  /// Parses the name of a function and its opening bracket.
  private mutating func function(
    _ name: String, _ span: TextSpan
  ) throws(QueryPredicateError) -> Function {
    guard let function = Function(rawValue: name.lowercased()) else {
      throw orderingWord == nil
        ? Function.unknown(name, span) : expected("a property or a value")
    }
    try advance()
    // The text between the brackets of an identifier is not a token, and must not be read as one.
    switch function {
    case .oid, .uuid, .decimal: break
    default: try advance()
    }
    return function
  }

  /// Parses a subquery and its count.
  private mutating func subqueryCount() throws(QueryPredicateError) -> Side {
    let (subquery, level) = try subquery()
    guard try take(")") else { throw expected("')'") }
    try takeCount()
    let operand = Operand.subquery(subquery)
    return .operand(level == 0 ? operand : .outer(Outer(operand, level: level)))
  }

  /// Parses the arguments of a function that is no subquery, and returns its value.
  private mutating func result(
    of function: Function, _ span: TextSpan
  ) throws(QueryPredicateError) -> Side {
    switch function {
    case .geoBox, .geoCircle, .geoPolygon, .geoMultiPolygon: .shape(try shape(function, span))
    case .oid, .uuid, .decimal: .operand(.value(try identifier(function, span)))
    case .geometry: .operand(.value(try geometryLiteral()))
    case .geoDistance: try nestedDistance()
    case .bin, .binary: .operand(.value(try bytes()))
    case .obj, .objKey: .operand(.object(try object(function)))
    case .list, .map: .operand(try content(function))
    case .subquery: try subqueryCount()
    case .now: .operand(.now(BindingTime()))
    case .year, .month, .day, .hour, .minute, .second:
      .operand(try datePart(function.rawValue))
    }
  }

  /// Reads the argument of a part of a date, such as `opened` in `year(opened)`, and returns the path to the part.
  private mutating func datePart(_ name: String) throws(QueryPredicateError) -> Operand {
    let span = token.span
    var operand = try pathOperand(nil)
    var level = 0
    if case .outer(let outer) = operand { (operand, level) = (outer.operand, outer.level) }
    guard let (_, path) = operand.values else {
      throw QueryPredicateError(
        .syntax, "expected a property with a date in \(name)(…)", span: span)
    }
    let part = Operand.property(path.appending([.part(name)]))
    return level == 0 ? part : .outer(Outer(part, level: level))
  }

  /// Reads a distance; one inside another is refused only after both are read.
  private mutating func nestedDistance() throws(QueryPredicateError) -> Side {
    try enter(&calculations, Self.maximumCalculations, "calculations")
    let distance = try geometryDistance()
    calculations -= 1
    return .operand(.distance(distance))
  }

  /// `SUBQUERY(collection, $variable, predicate)`, from after its opening bracket; the level is that of the object with
  /// the collection, see ``Outer``.
  private mutating func subquery() throws(QueryPredicateError) -> (Subquery, level: Int) {
    try enter(&subqueries, Self.maximumSubqueries, "subqueries")
    defer { subqueries -= 1 }
    let (collection, level) = try collection()
    guard try take(",") else { throw expected("',' and a variable such as $t") }
    guard case .variable(let variable) = token.kind else {
      throw expected("a variable, which starts with '$'")
    }
    // Of the objects round the collection of an outer object, only those round that object are seen.
    let around = variables
    variables.removeLast(level)
    guard !variables.contains(variable) else {
      throw QueryPredicateError(
        .syntax, "the variable '$\(variable)' belongs to the SUBQUERY round this one",
        span: token.span)
    }
    try advance()
    guard try take(",") else { throw expected("',' and a predicate") }
    variables.append(variable)
    let predicate = try predicate()
    variables = around
    return (Subquery(collection, predicate), level)
  }

  /// Parses the path of the collection of a subquery, and the level of its object.
  private mutating func collection() throws(QueryPredicateError) -> (PropertyPath, level: Int) {
    let operand = try pathOperand(nil)
    if let (_, path) = operand.values { return (path, 0) }
    guard case .outer(let outer) = operand, let (_, path) = outer.operand.values else {
      throw expected("the path of a collection")
    }
    return (path, outer.level)
  }

  /// Parses `.@count`, which must follow a subquery.
  private mutating func takeCount() throws(QueryPredicateError) {
    guard try take("."), case .attribute(let name) = token.kind,
      ["count", "size"].contains(name.lowercased())
    else {
      throw expected("'.@count' after SUBQUERY")
    }
    try advance()
  }
}

extension Operand {
  /// Whether the operand is a list of constants, or content, which is no number.
  fileprivate var isList: Bool {
    switch self {
    case .list, .content: true
    default: false
    }
  }
}
