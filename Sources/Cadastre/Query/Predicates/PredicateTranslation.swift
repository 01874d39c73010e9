import CadastreModel
import CadastrePredicate
import Foundation

/// An expression of `#Predicate` with a translation, as have all expressions in it.
protocol TranslatableExpression: PredicateExpression {
  /// Translates the expression.
  func term(in translation: inout PredicateTranslation) throws(QueryPredicateError) -> PredicateTerm
}

extension TranslatableExpression {
  /// Translates a predicate whose expression is of this type.
  ///
  /// A dynamic cast of the expression itself would copy it.
  fileprivate static func condition(
    _ expression: some PredicateExpression, in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> QueryPredicate {
    // Invariant: `PredicateTranslation.predicate` calls the method of the type of the expression.
    try translation.condition(unsafeBitCast(expression, to: Self.self))
  }
}

/// Returns the innermost expression without a translation of its own, for which an expression has none.
private func untranslatable(_ expression: any PredicateExpression) -> any PredicateExpression {
  for child in Mirror(reflecting: expression).children {
    if let inner = child.value as? any PredicateExpression,
      !(inner is any TranslatableExpression)
    {
      return untranslatable(inner)
    }
  }
  return expression
}

/// Translates the expressions of `#Predicate` into a predicate tree.
struct PredicateTranslation {
  /// The translations of the variables of closures.
  // An array, because it rarely has more than two elements.
  private var variables: [(key: PredicateExpressions.VariableID, term: PredicateTerm)]
  /// The nesting level of closures over collections at the current expression.
  private(set) var level = 0

  /// Translates a predicate.
  static func predicate<Input>(
    _ predicate: Foundation.Predicate<Input>
  ) throws(QueryPredicateError) -> QueryPredicate {
    let expression = predicate.expression
    guard let translatable = type(of: expression) as? any TranslatableExpression.Type else {
      throw .unsupported(untranslatable(expression))
    }
    var translation = PredicateTranslation(
      variables: [(predicate.variable.key, .path(PredicatePath(level: 0)))])
    return try translatable.condition(expression, in: &translation)
  }

  private init(variables: [(key: PredicateExpressions.VariableID, term: PredicateTerm)]) {
    self.variables = variables
  }

  // MARK: Terms

  func variable(
    _ key: PredicateExpressions.VariableID
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard let term = variables.last(where: { $0.key == key })?.term else {
      throw .unsupported("a variable of another predicate")
    }
    return term
  }

  /// Translates an expression whose variable is bound to a term.
  mutating func term(
    _ expression: some TranslatableExpression, with key: PredicateExpressions.VariableID,
    as term: PredicateTerm
  ) throws(QueryPredicateError) -> PredicateTerm {
    variables.append((key, term))
    defer { variables.removeLast() }
    return try expression.term(in: &self)
  }

  /// Translates the test of each object in a collection.
  mutating func test(
    _ expression: some TranslatableExpression, with key: PredicateExpressions.VariableID
  ) throws(QueryPredicateError) -> QueryPredicate {
    level += 1
    variables.append((key, .path(PredicatePath(level: level))))
    defer {
      level -= 1
      variables.removeLast()
    }
    return try condition(expression)
  }

  /// Translates the test of the values in a collection, which must be one comparison.
  mutating func test(
    _ quantifier: Quantifier, of path: PredicatePath, _ expression: some TranslatableExpression,
    with key: PredicateExpressions.VariableID
  ) throws(QueryPredicateError) -> QueryPredicate {
    var element = path
    element.quantifier = quantifier
    variables.append((key, .path(element)))
    defer { variables.removeLast() }
    let predicate = try condition(expression)
    guard case .comparison = predicate else {
      throw .unsupported(
        "the elements of '\(path.propertyPath)' are values, which take one comparison")
    }
    return predicate
  }

  // MARK: Operands

  /// Converts a term to one side of a comparison.
  func operand(_ term: PredicateTerm) throws(QueryPredicateError) -> Operand {
    switch term {
    case .path(let path) where path.level < level && path.quantifier == nil && !path.isObject:
      return .outer(Outer(.values(at: path.propertyPath), level: level - path.level))
    case .path(let path):
      let end = try propertyPath(of: path)
      return path.quantifier.map { .elements($0, end) } ?? .values(at: end)
    case .operand(let operand): return operand
    case .constant(let constant): return try Self.operand(ofConstant: constant)
    case .condition, .filtered, .range, .cases, .distance:
      throw .unsupported("a condition, a range or several objects are no value to compare")
    }
  }

  /// Returns the path from the object of the innermost closure.
  func propertyPath(of path: PredicatePath) throws(QueryPredicateError) -> PropertyPath {
    guard path.level == level else {
      throw .unsupported(
        "inside a closure over a collection only single values of the objects round it are seen")
    }
    guard !path.isObject else {
      throw .unsupported(
        "an object is compared by its properties, or as an element of a collection")
    }
    return path.propertyPath
  }

  private static func operand(ofConstant constant: Any?) throws(QueryPredicateError) -> Operand {
    if let constant, let value = DynamicValue.commonScalar(constant) { return .value(value) }
    guard let operand = try PredicateArgument(dynamic: constant).operand else {
      throw .unsupported("query regions with where { $0.place.geoWithin(region) }")
    }
    return operand
  }

  // MARK: Conditions

  /// Translates an expression to a condition.
  mutating func condition(
    _ expression: some TranslatableExpression
  ) throws(QueryPredicateError) -> QueryPredicate {
    try condition(expression.term(in: &self))
  }

  /// Converts a term to a condition; a property is compared with true.
  func condition(_ term: PredicateTerm) throws(QueryPredicateError) -> QueryPredicate {
    switch term {
    case .condition(let predicate): return predicate
    case .constant(let constant as Bool): return .constant(constant)
    case .cases(let cases):
      var parts: [QueryPredicate] = []
      for (guarding, term) in cases { parts.append(.all([guarding, try condition(term)])) }
      return .any(parts)
    default: return try compare(term, .equal, .constant(true))
    }
  }

  /// Compares two terms.
  func compare(
    _ left: PredicateTerm, _ operation: ComparisonOperator, _ right: PredicateTerm
  ) throws(QueryPredicateError) -> QueryPredicate {
    switch (left, right) {
    case (.cases(let cases), _):
      return try any(cases) { (term) throws(QueryPredicateError) in
        try compare(term, operation, right)
      }
    case (_, .cases(let cases)):
      return try any(cases) { (term) throws(QueryPredicateError) in
        try compare(left, operation, term)
      }
    case (.condition(let first), .condition(let second)):
      let same: QueryPredicate = .or([
        .and([first, second]), .and([first.negated, second.negated]),
      ])
      return operation == .equal ? same : same.negated
    case (.condition(let predicate), .constant(let wanted as Bool)),
      (.constant(let wanted as Bool), .condition(let predicate)):
      return (operation == .equal) == wanted ? predicate : predicate.negated
    case (.distance(let left, let right), .constant(let metres)):
      return try relation(left, operation, metres, right)
    case (.constant(let metres), .distance(let left, let right)):
      return try relation(left, operation.mirrored, metres, right)
    case (.distance(let left, let right), let number):
      return .comparison(
        Comparison(.distance(MeasuredDistance(left, right)), operation, try operand(number)))
    case (let number, .distance(let left, let right)):
      return .comparison(
        Comparison(try operand(number), operation, .distance(MeasuredDistance(left, right))))
    case (.path(let path), .constant(nil)), (.constant(nil), .path(let path)):
      if path.isNeverNull { return .constant(operation == .notEqual) }
    default: break
    }
    let (first, second) = (try operand(left), try operand(right))
    if case .value(let one) = first, case .value(let other) = second {
      return .constant(one.matches(operation, other))
    }
    return .comparison(Comparison(first, operation, second))
  }

  private func any(
    _ cases: [(QueryPredicate, PredicateTerm)],
    _ compare: (PredicateTerm) throws(QueryPredicateError) -> QueryPredicate
  ) throws(QueryPredicateError) -> QueryPredicate {
    var parts: [QueryPredicate] = []
    for (guarding, term) in cases { parts.append(.all([guarding, try compare(term)])) }
    return .any(parts)
  }

  /// Returns whether a term is null.
  func isNull(_ term: PredicateTerm) throws(QueryPredicateError) -> QueryPredicate {
    try compare(term, .equal, .constant(nil))
  }
}

/// The translation of an expression of `#Predicate`.
indirect enum PredicateTerm {
  /// The values at the end of a path.
  case path(PredicatePath)
  /// A computed number.
  case operand(Operand)
  /// A constant; nil is null.
  case constant(Any?)
  /// A condition.
  case condition(QueryPredicate)
  /// The matching objects of a collection.
  case filtered(PredicatePath, QueryPredicate)
  /// The distance of two geometries in metres.
  case distance(GeometryRelation.Side, GeometryRelation.Side)
  /// A range between two bounds.
  case range(PredicateTerm, PredicateTerm, isClosed: Bool)
  /// The term of the condition that holds; the conditions exclude each other. If none holds, every comparison
  /// is false.
  case cases([(QueryPredicate, PredicateTerm)])
}

/// A path from the parameter of a closure.
struct PredicatePath: Equatable {
  /// The nesting level of the closure.
  var level: Int
  var steps: [PropertyPath.Step] = []
  /// The quantifier of the values at the end; nil for a single value.
  var quantifier: Quantifier?
  /// Whether the values are never null, so that a comparison with null is constant.
  var isNeverNull = false

  func appending(_ step: PropertyPath.Step) -> PredicatePath {
    var extended = self
    extended.isNeverNull = false
    extended.steps.append(step)
    return extended
  }

  func appending(_ more: [PropertyPath.Step]) -> PredicatePath {
    var extended = self
    extended.isNeverNull = false
    // The steps of a single property share the memory of all its uses.
    extended.steps = steps.isEmpty ? more : steps + more
    return extended
  }

  /// Whether the path is the object itself.
  var isObject: Bool { steps.isEmpty }

  var propertyPath: PropertyPath { PropertyPath(steps: steps) }
}

extension PredicateTerm {
  /// Transforms the term, or each of several cases.
  func mapped(
    _ change: (PredicateTerm) throws(QueryPredicateError) -> PredicateTerm
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard case .cases(let cases) = self else { return try change(self) }
    var changed: [(QueryPredicate, PredicateTerm)] = []
    for (condition, term) in cases { changed.append((condition, try term.mapped(change))) }
    return .cases(changed)
  }
}

extension QueryPredicateError {
  /// Returns the error for an expression without a translation.
  static func unsupported(_ what: String) -> QueryPredicateError {
    QueryPredicateError(.invalidQuery, "#Predicate cannot be translated here: \(what)")
  }

  /// Returns the error for a kind of expression without a translation.
  static func unsupported(_ expression: any PredicateExpression) -> QueryPredicateError {
    let name = "\(type(of: expression))".prefix { $0 != "<" }
    return unsupported("'\(name)' has no meaning in a query")
  }
}
