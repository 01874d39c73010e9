import CadastreModel

/// Looks at single operands.
extension Binder {
  /// An operand that fits the schema, and its properties as a comparand; constants have none.
  struct Side {
    var operand: BoundOperand
    var comparand: Comparand?
  }

  func bind(_ operand: Operand) throws(QueryPredicateError) -> Side {
    switch operand {
    case .value(.object(let address)):
      return Side(
        operand: .object(
          ObjectReference(className: address.className, identity: .key(address.key))))
    case .value(let value): return Side(operand: .value(value))
    case .list(let values): return Side(operand: .list(values))
    case .constants(let quantifier, let values):
      return Side(operand: .constants(quantifier, values))
    case .object(let reference): return Side(operand: .object(reference))
    case .objects(let references): return Side(operand: .objects(references))
    case .content(let content):
      throw QueryPredicateError(
        .invalidQuery, "\(content) can be compared with == and != only")
    case .property(let path): return try bind(path, quantifier: nil)
    case .elements(let quantifier, let path): return try bind(path, quantifier: quantifier)
    case .aggregate(let aggregate): return try bind(aggregate)
    case .subquery(let subquery): return try bind(subquery)
    case .outer(let outer): return try bind(outer)
    case .arithmetic(let arithmetic): return try bind(arithmetic)
    case .distance(let distance): return try bind(distance)
    case .now: return Side(operand: .value(.date(Timestamp(now))))
    }
  }

  // MARK: Paths

  private func bind(
    _ path: PropertyPath, quantifier: Quantifier?
  ) throws(QueryPredicateError) -> Side {
    let bound = try resolve(path)
    var comparand = Comparand(bound, span: path.span)
    comparand.isQuantified = quantifier != nil
    guard let quantifier else {
      // A whole collection stays one until the other operand is known.
      let isOne = comparand.isWholeCollection || !comparand.isToMany && bound.isOrdinary
      return Side(
        operand: isOne ? .property(bound) : .elements(.any, bound), comparand: comparand)
    }
    comparand.isWholeCollection = false
    try checkQuantifier(path, bound)
    return Side(operand: .elements(quantifier, bound), comparand: comparand)
  }

  /// Refuses a quantifier before a path that always leads to one value.
  func checkQuantifier(
    _ path: PropertyPath, _ bound: BoundPath
  ) throws(QueryPredicateError) {
    guard
      bound.entered.isToMany || bound.entered.isMixed || !path.isPlain || !bound.isOrdinary
    else { throw Self.quantifierError(path) }
  }

  // MARK: Computed values

  private func bind(_ aggregate: Aggregate) throws(QueryPredicateError) -> Side {
    let operation = aggregate.operation
    let span = aggregate.collection.span
    let name = "'\(aggregate.collection).\(operation.rawValue)'"
    let collection = try collection(aggregate.collection, for: operation.rawValue)
    var boundMember: BoundPath?
    var type: PropertyType
    switch (collection.entered.end, aggregate.member) {
    case (.object(let target), let member?):
      let bound = try paths.path(member, from: target, in: schema)
      boundMember = bound
      guard case .value(let memberType) = bound.end, !bound.isToMany else {
        throw QueryPredicateError(
          .invalidQuery, "\(name) needs a single number, date or value, and '\(member)' is none",
          span: member.span ?? span)
      }
      type = memberType
    case (.value(let elementType), nil): type = elementType
    case (.value(.geometry), let member?):
      let bound = try schema.resolveMeasures(member)
      guard case .value(let measureType) = bound.end else {
        throw QueryPredicateError(.invalidQuery, "\(name) needs a measure of the geometries")
      }
      (boundMember, type) = (bound, measureType)
    case (_, nil):
      throw QueryPredicateError(
        .invalidQuery, "\(name) needs a property of the objects after it", span: span)
    case (_, let member?):
      throw QueryPredicateError(
        .invalidQuery, "\(name) works on values, which have no property '\(member)'",
        span: member.span ?? span)
    }
    let isExtreme = operation == .min || operation == .max
    guard type.isNumeric || type == .any || isExtreme && type == .date else {
      throw QueryPredicateError(
        .invalidQuery,
        type == .date
          ? "Cannot sum or average date properties"
          : "Cannot use aggregate '.\(operation.rawValue)' for type '\(type)'", span: span)
    }
    if !isExtreme { type = type == .decimal128 ? .decimal128 : .double }
    return Side(
      operand: .aggregate(
        BoundAggregate(operation, of: collection, member: boundMember)),
      comparand: Comparand(type: type, name: name, span: span))
  }

  private func bind(_ subquery: Subquery) throws(QueryPredicateError) -> Side {
    let collection = try collection(subquery.collection, for: "SUBQUERY")
    guard case .object(let target) = collection.entered.end else {
      throw QueryPredicateError(
        .invalidQuery,
        "SUBQUERY looks at objects, and '\(subquery.collection)' is a collection of values",
        span: subquery.collection.span)
    }
    let inner = try Binder(schema: schema, root: target, at: now, within: enclosing + [self])
      .bind(subquery.predicate)
    var comparand = Comparand(
      type: .int, name: "the count of a SUBQUERY", span: subquery.collection.span)
    comparand.isNullable = false
    return Side(
      operand: .subquery(BoundSubquery(collection, inner)), comparand: comparand)
  }

  private func bind(_ outer: Outer) throws(QueryPredicateError) -> Side {
    guard (1...max(1, enclosing.count)).contains(outer.level), !enclosing.isEmpty else {
      throw QueryPredicateError(
        .invalidQuery, "a property of an outer object can be compared inside SUBQUERY only")
    }
    // Such a predicate is tested object by object, so its cost grows by a factor with each level.
    guard enclosing.count <= Self.maximumOuterDepth else {
      throw QueryPredicateError(
        .invalidQuery,
        "more than \(Self.maximumOuterDepth) subqueries inside each other around a property of an outer object"
      )
    }
    var side = try enclosing[enclosing.count - outer.level].bind(outer.operand)
    if let comparand = side.comparand, comparand.isToMany || comparand.isWholeCollection {
      throw QueryPredicateError(
        .invalidQuery,
        "\(comparand.name) is outside of the SUBQUERY and has several values: compare single values with the "
          + "objects inside", span: comparand.span)
    }
    side.operand = .outer(BoundOuter(side.operand, level: outer.level))
    return side
  }

  /// The path to one collection, through links and embedded objects only.
  private func collection(
    _ path: PropertyPath, for user: String
  ) throws(QueryPredicateError) -> BoundPath {
    let bound = try resolve(path)
    guard case .collection = bound.end else {
      throw QueryPredicateError(
        .invalidQuery, "\(user) must operate on a collection, and '\(path)' is none",
        span: path.span)
    }
    guard !bound.isToMany else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(user) needs one collection, and '\(path)' passes through another one",
        span: path.span)
    }
    return bound
  }
}
