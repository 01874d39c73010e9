import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

extension QueryResult {
  /// Returns the elements that also match a predicate text with arguments.
  func narrowed(
    parsing text: String, _ arguments: [Any?]
  ) throws(QueryPredicateError) -> QueryResult {
    let arguments = try PredicateArgument.arguments(arguments)
    do throws(QueryPredicateError) {
      if embedded != nil {
        return try narrowed(QueryPredicate(parsing: text, arguments: arguments))
      }
      try requireObjects()
      return narrowed(
        to: try core.tables.boundPredicates.bound(
          parsing: text, arguments: arguments, to: query.className, bound))
    } catch {
      throw error.found(in: text)
    }
  }

  /// Returns the elements that also match a prepared predicate.
  func narrowed(
    _ prepared: PreparedPredicate, _ arguments: [PredicateArgument]
  ) throws(QueryPredicateError) -> QueryResult {
    if embedded != nil {
      return try narrowed(QueryPredicate(parsing: prepared.text, arguments: arguments))
    }
    try requireObjects()
    return narrowed(
      to: try prepared.bound(arguments, to: query.className, in: core.tables.boundPredicates, bound)
    )
  }

  /// Returns the elements that also match a predicate, which is evaluated before all sorts.
  func narrowed(_ predicate: QueryPredicate) throws(QueryPredicateError) -> QueryResult {
    if let embedded {
      requireOwnObjects(predicate)
      return QueryResult(try embedded.adding(.filter(predicate)))
    }
    try requireObjects()
    return narrowed(
      to: try core.tables.boundPredicates.bound(predicate, to: query.className, bound))
  }

  private func requireObjects() throws(QueryPredicateError) {
    guard table != nil else {
      throw QueryPredicateError(
        .invalidQuery, "Querying is currently only implemented for arrays of Realm Objects")
    }
  }

  private func requireOwnObjects(_ predicate: QueryPredicate) {
    predicate.forEachObjectReference { reference in
      guard reference.store == nil || reference.store == core.file.path else {
        ProgrammingError.stop(
          "Object must be from the Realm being queried: '\(reference.className)' is not.")
      }
    }
  }

  private func bound(_ predicate: QueryPredicate) throws(QueryPredicateError) -> BoundPredicate {
    requireOwnObjects(predicate)
    let root = try core.schema.queriedClass(query.className, allowsEmbedded: true)
    return try predicate.bound(to: core.schema, root: root)
  }

  private func narrowed(to added: BoundPredicate) -> QueryResult {
    unlimited.changed { query, _ in
      query.predicate =
        query.predicate.isConstant(true) ? added : .all(query.predicate.conjuncts + added.conjuncts)
    }
  }

  /// Returns the result sorted by keys; equal elements keep their order.
  func sorted(_ keys: [SortKey]) throws(QueryPredicateError) -> QueryResult {
    if let embedded { return QueryResult(try embedded.adding(.sort(keys))) }
    let keys = try bound(keys)
    return keys.isEmpty ? self : unlimited.changed { _, steps in steps.append(.sort(keys)) }
  }

  /// Returns the first element for each distinct combination of values.
  func distinct(_ paths: [PropertyPath]) throws(QueryPredicateError) -> QueryResult {
    if let embedded { return QueryResult(try embedded.adding(.distinct(paths))) }
    let paths = try bound(paths.map { SortKey($0) }).map(\.path)
    return paths.isEmpty ? self : unlimited.changed { _, steps in steps.append(.distinct(paths)) }
  }

  /// The result, or for a limited result a new query of its elements.
  private var unlimited: QueryResult {
    query.limit == nil && query.offset == 0 ? self : QueryResult(self)
  }

  /// Returns the result of the predicate, the orderings and the limits of a query text.
  func narrowed(_ text: QueryText) throws(QueryPredicateError) -> QueryResult {
    var result = try narrowed(text.predicate)
    for ordering in text.orderings {
      result =
        switch ordering {
        case .sort(let terms):
          try result.sorted(terms.map(\.key))
        case .distinct(let paths): try result.distinct(paths)
        case .limit(let count): try result.limited(count)
        }
    }
    return result
  }

  /// Returns at most `count` of the elements after the first `offset`.
  ///
  /// - Throws: `QueryPredicateError` for a negative number.
  func limited(_ count: Int, offset: Int = 0) throws(QueryPredicateError) -> QueryResult {
    guard count >= 0, offset >= 0 else {
      throw QueryPredicateError(
        .invalidArgument, "A limit takes no negative numbers, found \(count) and offset \(offset)")
    }
    if let embedded { return QueryResult(try embedded.adding(.limit(count, offset: offset))) }
    return changed { query, _ in
      // An offset that overflows skips all elements.
      let (sum, isGreater) = query.offset.addingReportingOverflow(offset)
      query.offset = isGreater ? .max : sum
      query.limit = min(query.limit.map { max(0, $0 - offset) } ?? count, count)
    }
  }

  /// This result, if its objects can be grouped by a property; else the process is stopped.
  func groupable(by path: PropertyPath) -> QueryResult {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      _ = try bound([SortKey(path)])
      return self
    }
  }

  /// Sort keys with their paths resolved.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  private func bound(_ keys: [SortKey]) throws(QueryPredicateError) -> [BoundSortKey] {
    guard embedded == nil else {
      throw QueryPredicateError(
        .invalidQuery, "Objects that are embedded in the rows of their owners are not grouped")
    }
    guard table != nil else {
      guard keys.count <= 1, keys.allSatisfy({ $0.path == BoundPath.itself.path }) else {
        throw QueryPredicateError(
          .sort,
          "Values can be sorted and made distinct by 'self' only, found "
            + keys.map { "'\($0.path)'" }.joined(separator: ", "))
      }
      return keys.map {
        BoundSortKey(.itself, isAscending: $0.isAscending, by: $0.criterion, nulls: $0.nulls)
      }
    }
    return try ObjectQuery(query.className, order: keys)
      .bound(to: core.schema, allowsEmbedded: true).order
  }
}

extension QueryResult {
  /// Converts a stored value to a Swift value; nil for nil, and for a value that does not fit.
  func made<Result: RealmCollectionValue>(_ value: Value?) -> Result? {
    value.flatMap { Result.make(fromStored: $0, in: StoredContext(core)) }
  }
}
