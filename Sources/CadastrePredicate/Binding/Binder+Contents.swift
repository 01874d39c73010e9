import CadastreModel

/// Replaces comparisons with whole contents by comparisons of members and elements.
///
/// An embedded object is equal member by member, a list element by element in order, a set as a set, a map by
/// keys and values. Each part is an ordinary comparison, so that it can use its index.
extension Binder {
  /// Returns the comparisons of members and elements that mean the same as a comparison with content; nil for
  /// another comparison.
  ///
  /// - Throws: ``QueryPredicateError`` for content that does not fit the path.
  func decomposed(
    _ comparison: Comparison
  ) throws(QueryPredicateError) -> QueryPredicate? {
    let operation = comparison.operation
    switch (comparison.left, comparison.right) {
    case (let left, .content(let content)):
      try content.checkSize(left.values?.1.span)
      return try compare(left, operation, content)
    case (.content(let content), let right):
      try content.checkSize(right.values?.1.span)
      guard operation == .isIn else { return try compare(right, operation, content) }
      return try compare(content, isIn: right)
    case (.property(let path), let constant), (let constant, .property(let path)):
      guard operation.isEquality, constant.mayBeContent,
        try resolve(path).isContent(constant)
      else { return nil }
      return try compare(.property(path), operation, constant.argument ?? .list([]))
    default: return nil
    }
  }

  /// Returns the condition that content is equal to any element of a collection, or of a list or map in a value of
  /// any type.
  private func compare(
    _ content: PredicateArgument, isIn operand: Operand
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard let (_, path) = operand.values, try resolve(path).entered.isMixed else {
      return try compare(operand, .equal, content)
    }
    guard let value = content.mixedValue else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(path)' can be searched for values only, not for content with objects: compare one element "
          + "with it", span: path.span)
    }
    return .comparison(Comparison(.value(value), .isIn, operand))
  }

  private func compare(
    _ operand: Operand, _ operation: ComparisonOperator, _ content: PredicateArgument
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard let (quantifier, path) = operand.values else {
      throw QueryPredicateError(
        .invalidQuery, "\(content) can be compared with properties only")
    }
    if operation == .isIn, case .elements(let elements) = content {
      return try isEqual(operand, toOneOf: elements)
    }
    guard operation.isEquality else {
      throw QueryPredicateError(
        .invalidQuery, "operator '\(operation.rawValue)' cannot compare \(content.kindDescription)",
        span: path.span)
    }
    let bound = try resolve(path)
    let isQuantified = if case .elements = operand { true } else { false }
    if case .members(let members) = content, bound.entered.isToMany,
      case .object(let target) = bound.entered.end
    {
      return try compare(
        members, of: target, isQuantified ? quantifier : nil, operation, at: path, bound)
    }
    guard !bound.isToMany else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(path)' leads to any number of values, and \(content.kindDescription) is compared with one",
        span: path.span)
    }
    if isQuantified {
      if case .collection = bound.end {
        throw QueryPredicateError(
          .invalidQuery,
          "\(quantifier.rawValue) compares elements, and \(content.kindDescription) is compared with "
            + "the whole of '\(path)'", span: path.span)
      }
      try checkQuantifier(path, bound)
    }
    let equality = try equality(path, content)
    return try Self.quantified(quantifier, operation) { (operation) throws(QueryPredicateError) in
      operation == .equal ? equality : try complement(of: equality, at: path, bound)
    }
  }

  /// Returns a comparison with a quantifier in terms of comparisons with any value.
  ///
  /// - Parameters:
  ///   - quantifier: The quantifier.
  ///   - operation: Equal or not equal.
  ///   - anyIs: Returns the condition that any value is equal, or not equal.
  /// - Returns: The condition, or its complement.
  /// - Throws: The error of the closure.
  private static func quantified(
    _ quantifier: Quantifier, _ operation: ComparisonOperator,
    _ anyIs: (ComparisonOperator) throws(QueryPredicateError) -> QueryPredicate
  ) throws(QueryPredicateError) -> QueryPredicate {
    switch quantifier {
    case .any: try anyIs(operation)
    case .none: .not(try anyIs(operation))
    case .all: .not(try anyIs(operation == .equal ? .notEqual : .equal))
    }
  }

  /// Returns the condition that a value is equal to one of several.
  private func isEqual(
    _ operand: Operand, toOneOf elements: [PredicateArgument]
  ) throws(QueryPredicateError) -> QueryPredicate {
    var equal = operand
    if case .elements(let quantifier, let path) = operand {
      guard quantifier != .all else {
        throw QueryPredicateError(
          .invalidQuery,
          "'ALL \(path) IN' needs values only, or objects only: use NOT ANY and comparisons",
          span: path.span)
      }
      equal = .elements(.any, path)
      if quantifier == .none { return .not(try isEqual(equal, toOneOf: elements)) }
    }
    return .any(
      elements.compactMap(\.operand).map { .comparison(Comparison(equal, .equal, $0)) })
  }

  /// Returns the comparison of the embedded objects of a collection with members.
  ///
  /// Without a quantifier, `==` means that an element is equal, and `!=` that there are elements and none is equal.
  private func compare(
    _ members: [EmbeddedMember], of target: ObjectSchema, _ quantifier: Quantifier?,
    _ operation: ComparisonOperator, at path: PropertyPath, _ bound: BoundPath
  ) throws(QueryPredicateError) -> QueryPredicate {
    let matching = QueryPredicate.all(
      try Binder(schema: schema, root: target).equalities(members, of: nil, span: path.span))
    guard let quantifier else {
      let isThere = QueryPredicate.compareCount(of: path, where: matching, .greater, .int(0))
      if operation == .equal { return isThere }
      return .and([
        .compareCount(of: path, .greater, .int(0)),
        .compareCount(of: path, where: matching, .equal, .int(0)),
      ])
    }
    // A count of objects leaves out null, which has no members.
    let nulls =
      bound.entered.isNullable ? [QueryPredicate.compare(.any, path, .equal, .null)] : []
    return try Self.quantified(quantifier, operation) { operation in
      operation == .equal
        ? .compareCount(of: path, where: matching, .greater, .int(0))
        : .any([.compareCount(of: path, where: .not(matching), .greater, .int(0))] + nulls)
    }
  }

  /// Returns the condition that the content is not equal; a missing element of a list does not match.
  private func complement(
    of equality: QueryPredicate, at path: PropertyPath, _ bound: BoundPath
  ) throws(QueryPredicateError) -> QueryPredicate {
    if bound.isMixed {
      if bound.isPlain { return .not(equality) }
      let type = Operand.elements(.any, path.appending([.type]))
      let null = Value.string(TypeName.of(.null))
      return .and([
        .or([
          .comparison(Comparison(type, .equal, .value(null))),
          .comparison(Comparison(type, .notEqual, .value(null))),
        ]),
        .not(equality),
      ])
    }
    guard let index = path.steps.lastIndex(where: \.isPosition) else { return .not(equality) }
    let element = PropertyPath(steps: Array(path.steps[...index]), span: path.span)
    return .and([.compareCount(of: element, .equal, .int(1)), .not(equality)])
  }
}

extension Operand {
  /// Whether the operand is a constant of a kind that may be the content of a whole collection.
  fileprivate var mayBeContent: Bool {
    switch self {
    case .list([]), .value(.map): true
    default: false
    }
  }
}

extension PredicateArgument {
  /// The content as a value of any type, with members as the entries of a map; nil where it includes an object.
  fileprivate var mixedValue: Value? {
    switch self {
    case .value(let value): return value
    case .list(let values): return .list(values)
    case .elements(let elements):
      let values = elements.compactMap(\.mixedValue)
      return values.count == elements.count ? .list(values) : nil
    case .members(let entries), .entries(let entries):
      let values = entries.compactMap { entry in
        entry.content.mixedValue.map { (entry.name, $0) }
      }
      return values.count == entries.count ? .map(ValueMap(values)) : nil
    case .object, .objects, .shape: return nil
    }
  }

  /// The kind of the content in messages.
  var kindDescription: String {
    switch self {
    case .members: "members of an embedded object"
    case .list, .objects, .elements: "a list"
    case .entries, .value(.map): "a map"
    case .object: "an object"
    case .shape: "a region"
    case .value(let value): PredicateText.literal(value)
    }
  }
}

extension BoundPath {
  /// Whether the path leads to a whole collection, which is compared with a constant element by element.
  fileprivate func isContent(_ constant: Operand) -> Bool {
    guard !isToMany, case .collection(let property, let target) = end,
      property.type != .linkingObjects
    else { return false }
    if case .list = constant { return target != nil || property.isMap }
    return property.isMap
  }
}

extension PropertyPath.Step {
  /// Whether the step leads to one element of a list.
  fileprivate var isPosition: Bool {
    switch self {
    case .index, .first, .last: true
    default: false
    }
  }
}
