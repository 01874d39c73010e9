import CadastreModel

/// Brings comparisons to their regular form.
extension Binder {
  func bind(_ comparison: Comparison) throws(QueryPredicateError) -> BoundPredicate {
    let (first, second) = (comparison.left, comparison.right)
    var operation = comparison.operation
    if let parts = try decomposed(comparison) { return try bind(parts) }
    var left = try bind(first)
    var right = try bind(second)
    if left.comparand == nil, right.comparand == nil { throw Self.twoConstants(comparison) }
    if left.isDistance || right.isDistance { try checkDistance(left, operation, right) }
    if operation == .isIn, right.comparand != nil {
      right = try elements(of: right)
      operation = .equal
    }
    if left.comparand == nil, let mirrored = operation.mirrored, Self.mayMirror(left, right) {
      (left, right) = (right, left)
      operation = mirrored
    }
    guard let comparand = left.comparand else {
      return try bindConstant(left.operand, operation, right, comparison.options)
    }
    try check(operation, comparison.options, against: comparand)
    let bound = BoundComparison(left.operand, operation, right.operand, options: comparison.options)
    if comparand.isTypeName { return try typeTest(bound, comparand, right.comparand) }
    if let other = right.comparand { return try compare(bound, comparand, other) }
    return try compareConstant(bound, comparand).withRangesOfYears
  }

  private static func twoConstants(
    _ comparison: some CustomStringConvertible
  ) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery,
      "Predicate expressions must compare a keypath and another keypath or a constant value, "
        + "found two constants: \(String("\(comparison)".prefix(200)))")
  }

  /// A property on the right of IN: its elements.
  private func elements(of bound: Side) throws(QueryPredicateError) -> Side {
    guard var comparand = bound.comparand else { return bound }
    if comparand.isWholeCollection, case .property(let path) = bound.operand {
      comparand.isWholeCollection = false
      return Side(operand: .elements(.any, path), comparand: comparand)
    }
    if comparand.isToMany { return bound }
    if comparand.type == .any, case .property(let path) = bound.operand {
      comparand.isToMany = true
      return Side(operand: .elements(.any, try resolve(path.path.every)), comparand: comparand)
    }
    throw QueryPredicateError(
      .invalidQuery,
      "operator 'IN' needs a collection or a list such as {1, 2} on its right, and \(comparand.name) "
        + "is of type '\(comparand.typeDescription)'", span: comparand.span)
  }

  /// Whether the sides of a comparison may be swapped: not with different quantifiers.
  private static func mayMirror(_ constant: Side, _ other: Side) -> Bool {
    guard case .constants(let quantifier, _) = constant.operand, other.comparand?.isToMany == true,
      case .elements(let otherQuantifier, _) = other.operand
    else { return true }
    return quantifier == otherQuantifier && quantifier != .none
  }

  // MARK: Constants on the left

  /// A comparison whose constant cannot change sides with the property.
  private func bindConstant(
    _ constant: BoundOperand, _ operation: ComparisonOperator, _ right: Side,
    _ options: StringOptions
  ) throws(QueryPredicateError) -> BoundPredicate {
    guard let comparand = right.comparand else {
      throw Self.twoConstants(BoundComparison(constant, operation, right.operand))
    }
    let isPossible =
      switch constant {
      case .constants: operation.mirrored != nil
      case .value: operation.isSubstring && !operation.takesPattern
      default: false
      }
    guard isPossible else {
      throw QueryPredicateError(
        .invalidQuery, "operator '\(operation.rawValue)' requires a keypath on the left side",
        span: comparand.span)
    }
    try check(operation, options, against: comparand)
    var left = constant
    switch constant {
    case .constants(let quantifier, let values):
      left = .constants(quantifier, try fitted(values, to: comparand, operation))
    case .value(let value): left = .value(try fitted(value, to: comparand, operation))
    default: break
    }
    return .comparison(BoundComparison(left, operation, right.operand, options: options))
  }

  // MARK: Constants on the right

  private func compareConstant(
    _ comparison: BoundComparison, _ comparand: Comparand
  ) throws(QueryPredicateError) -> BoundPredicate {
    let operation = comparison.operation
    var left = comparison.left
    var right = comparison.right
    var isWhole = false
    switch right {
    case .list(let values) where operation.isEquality && comparand.isWholeCollection:
      try checkNoNull(values, comparand)
      right = .list(try fitted(values, to: comparand, operation))
      isWhole = true
    case .objects(let references) where operation.isEquality && comparand.isWholeCollection:
      if comparand.isEmbedded { throw Self.needsMembers(comparand.span) }
      for reference in references { try check(.equal, reference, against: comparand) }
      isWhole = true
    case .value(let value):
      try checkSingle(operation, comparand)
      right = try constant(value, comparand, operation, comparison.options)
    case .object(let reference):
      try checkSingle(operation, comparand)
      try check(operation, reference, against: comparand)
    case .list(let values) where operation == .between:
      right = .list(try bounds(values, comparand))
    case .list(let values) where operation == .isIn:
      right = .list(try fitted(values, to: comparand, operation))
    case .list(let values):
      return try compareConstants(comparison, comparand, .any, values)
    case .constants(let quantifier, let values):
      return try compareConstants(comparison, comparand, quantifier, values)
    case .objects(let references): return try compareObjects(comparison, comparand, references)
    case .property, .elements, .aggregate, .subquery, .outer, .arithmetic, .distance, .pattern:
      throw Self.twoConstants(comparison)
    }
    if !isWhole { left = Self.entered(left, comparand) }
    return .comparison(BoundComparison(left, operation, right, options: comparison.options))
  }

  /// A whole collection that is not compared as one means any of its elements.
  private static func entered(_ operand: BoundOperand, _ comparand: Comparand) -> BoundOperand {
    guard comparand.isWholeCollection, case .property(let path) = operand else {
      return operand
    }
    return .elements(.any, path)
  }

  /// A comparison with some or all of several constants, as IN where that says the same.
  private func compareConstants(
    _ comparison: BoundComparison, _ comparand: Comparand, _ quantifier: Quantifier,
    _ values: [Value]
  ) throws(QueryPredicateError) -> BoundPredicate {
    var bound = comparison
    bound.left = Self.entered(bound.left, comparand)
    if bound.operation == .isIn { bound.operation = .equal }
    guard bound.operation != .between else {
      throw QueryPredicateError(
        .invalidQuery, "operator 'BETWEEN' takes two bounds without a quantifier",
        span: comparand.span)
    }
    let fitted = try fitted(values, to: comparand, bound.operation)
    var membership = bound
    membership.operation = .isIn
    membership.right = .list(fitted)
    switch (bound.operation, quantifier) {
    case (.equal, .any): return .comparison(membership)
    case (.equal, .none) where !comparand.isToMany, (.notEqual, .all) where !comparand.isToMany:
      if case .property = bound.left { return .not(.comparison(membership)) }
    default: break
    }
    bound.right = .constants(quantifier, fitted)
    return .comparison(bound)
  }

  private func compareObjects(
    _ comparison: BoundComparison, _ comparand: Comparand, _ references: [ObjectReference]
  ) throws(QueryPredicateError) -> BoundPredicate {
    for reference in references { try check(.equal, reference, against: comparand) }
    guard comparison.operation == .isIn || comparison.operation == .equal else {
      throw QueryPredicateError(
        .invalidQuery,
        "operator '\(comparison.operation.rawValue)' compares \(comparand.name) with one object, "
          + "found a list", span: comparand.span)
    }
    let left = Self.entered(comparison.left, comparand)
    if case .property = left {
      return .any(
        references.map { reference in
          .comparison(BoundComparison(left, .equal, .object(reference)))
        })
    }
    return .comparison(BoundComparison(left, .isIn, comparison.right))
  }

  // MARK: Properties on both sides

  private func compare(
    _ comparison: BoundComparison, _ first: Comparand, _ second: Comparand
  ) throws(QueryPredicateError) -> BoundPredicate {
    let operation = comparison.operation
    let isAlike =
      first.type == second.type || first.type.isNumeric && second.type.isNumeric
      || first.type == .any || second.type == .any
    let areObjects = first.type == .object && second.type == .object
    guard isAlike, !first.isEmbedded, !second.isEmbedded, !second.isTypeName,
      !areObjects || first.className == second.className,
      operation != .isIn, operation != .between, !operation.takesPattern
    else {
      throw QueryPredicateError(
        .invalidQuery,
        operation.takesPattern
          ? "the pattern of \(operation.rawValue) must be a constant"
          : "Property type mismatch between \(first.quotedName) (\(first.typeDescription)) and "
            + "\(second.quotedName) (\(second.typeDescription))", span: second.span)
    }
    guard !(first.isToMany && second.isToMany && !first.isQuantified && !second.isQuantified) else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(first.name) and \(second.name) are both collections; say of which elements with ANY, ALL "
          + "or NONE", span: second.span)
    }
    try check(operation, comparison.options, against: second)
    if case .distance = comparison.right, !comparison.left.isDistance, !first.isToMany,
      let mirrored = operation.mirrored
    {
      // A spatial index is used only for a distance on the left.
      return .comparison(BoundComparison(comparison.right, mirrored, comparison.left))
    }
    return .comparison(
      BoundComparison(
        Self.entered(comparison.left, first), operation, Self.entered(comparison.right, second),
        options: comparison.options))
  }

  // MARK: Names of types

  /// A comparison of a type's name, with each constant spelled out as the regular names it covers.
  private func typeTest(
    _ comparison: BoundComparison, _ comparand: Comparand, _ other: Comparand?
  ) throws(QueryPredicateError) -> BoundPredicate {
    guard comparison.operation.isEquality || comparison.operation == .isIn,
      comparison.options.isEmpty
    else {
      throw QueryPredicateError(
        .invalidQuery, "a type's name can be compared with ==, != and IN only",
        span: comparand.span)
    }
    if let other {
      guard other.isTypeName else {
        throw QueryPredicateError(
          .invalidQuery,
          "'@type' is compared with names of types or another '@type', not with "
            + other.name, span: other.span)
      }
      return .comparison(comparison)
    }
    var names: [String] = []
    switch comparison.right {
    case .value(let value): names = try meaning(of: value, comparand)
    case .list(let values), .constants(.any, let values):
      for value in values { names += try meaning(of: value, comparand) }
    default:
      throw QueryPredicateError(
        .invalidArgument, "'@type' is compared with names of types in quotes", span: comparand.span)
    }
    var seen: Set<String> = []
    var membership = comparison
    membership.operation = .isIn
    membership.right = .list(names.filter { seen.insert($0).inserted }.map(Value.string))
    guard comparison.operation == .notEqual,
      case .elements(let quantifier, let path) = comparison.left
    else { return .comparison(membership) }
    // Some element is not of the types exactly if not all are.
    membership.left = .elements(quantifier == .any ? .all : .any, path)
    return quantifier == .none
      ? .comparison(BoundComparison(.elements(.all, path), .isIn, membership.right))
      : .not(.comparison(membership))
  }

  private func meaning(
    of value: Value, _ comparand: Comparand
  ) throws(QueryPredicateError) -> [String] {
    guard case .string(let name) = value, let names = TypeName.meaning(of: name) else {
      var name = PredicateText.literal(value)
      if case .string(let text) = value { name = "'\(text)'" }
      throw QueryPredicateError(
        .invalidArgument,
        "Unable to parse the type attribute string \(name), supported are: "
          + "\(TypeName.all.joined(separator: ", "))", span: comparand.span)
    }
    return names
  }
}

extension ComparisonOperator {
  /// Whether the operator is `==` or `!=`.
  package var isEquality: Bool { self == .equal || self == .notEqual }
}

extension Comparand {
  /// The name in messages about two sides.
  var quotedName: String {
    name.hasPrefix("property ") ? String(name.dropFirst("property ".count)) : name
  }
}
