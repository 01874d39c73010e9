import CadastreExecutor
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore

extension Answer {
  /// The answer to the same question with one condition more.
  ///
  /// The condition counts before all sorts.
  func narrowed(_ predicate: QueryPredicate) throws(QueryPredicateError) -> Answer {
    guard table != nil else {
      throw QueryPredicateError(
        .invalidQuery, "Querying is currently only implemented for arrays of Realm Objects")
    }
    for reference in predicate.objectReferences where reference.store != nil {
      guard reference.store == core.file.path else {
        Misuse.stop("Object must be from the Realm being queried: '\(reference.className)' is not.")
      }
    }
    let added = try QuerySession.bound(
      ObjectQuery(query.className, where: predicate), to: core.schema, allowsEmbedded: true)
    return uncut.changed { query, _ in
      query.predicate =
        query.predicate == .constant(true)
        ? added.predicate : .all(query.predicate.conjuncts + added.predicate.conjuncts)
    }
  }

  /// The answer in another order; among elements that are level, an earlier one stays.
  func sorted(_ keys: [SortKey]) -> Answer {
    check(keys)
    return keys.isEmpty ? self : uncut.changed { _, steps in steps.append(.sort(keys)) }
  }

  /// The first element of each combination of values.
  func distinct(_ paths: [PropertyPath]) -> Answer {
    check(paths.map { SortKey($0) })
    return paths.isEmpty ? self : uncut.changed { _, steps in steps.append(.distinct(paths)) }
  }

  /// The answer, or where it is cut the elements that were left as a new one to ask.
  private var uncut: Answer { query.limit == nil && query.offset == 0 ? self : Answer(self) }

  /// The answer to a whole text.
  func asked(_ text: QueryText) throws(QueryPredicateError) -> Answer {
    let matching = try narrowed(text.predicate)
    for ordering in text.orderings {
      let paths =
        switch ordering {
        case .sort(let terms): terms.map(\.path)
        case .distinct(let paths): paths
        case .limit: [PropertyPath]()
        }
      try checkOrder(paths.map { SortKey($0) })
    }
    return matching.ordered(text.orderings)
  }

  /// The answer after some steps, one after the other.
  private func ordered(_ orderings: [QueryText.Ordering]) -> Answer {
    orderings.reduce(self) { answer, ordering in
      switch ordering {
      case .sort(let terms):
        answer.sorted(terms.map { SortKey($0.path, isAscending: $0.isAscending) })
      case .distinct(let paths): answer.distinct(paths)
      case .limit(let count): answer.limited(count, offset: 0)
      }
    }
  }

  /// At most `count` of the elements, without the first `offset`.
  func limited(_ count: Int, offset: Int) -> Answer {
    changed { query, _ in
      query.offset += offset
      query.limit = min(query.limit.map { max(0, $0 - offset) } ?? count, count)
    }
  }

  private func check(_ keys: [SortKey]) {
    guard table != nil else {
      guard keys.count <= 1, keys.allSatisfy({ $0.path == Self.itself }) else {
        Misuse.stop(
          "Values can be sorted and made distinct by 'self' only, found "
            + keys.map { "'\($0.path)'" }.joined(separator: ", ") + ".")
      }
      return
    }
    Misuse.orStop { try checkOrder(keys) }
  }

  /// The answer, if a property has values to group by; else the process is stopped.
  func groupable(by path: PropertyPath) -> Answer {
    check([SortKey(path)])
    return self
  }

  private func checkOrder(_ keys: [SortKey]) throws(QueryPredicateError) {
    _ = try QuerySession.bound(
      ObjectQuery(query.className, order: keys), to: core.schema, allowsEmbedded: true)
  }

  /// The path by which values are named.
  static let itself = PropertyPath(["self"])
}

extension Answer {
  /// A stored value as one of Swift; nil for nil, and where it does not fit.
  func made<Result: RealmCollectionValue>(_ value: Value?) -> Result? {
    value.flatMap { Result.make(fromStored: $0, in: StoredContext(core)) }
  }

  /// Gives the column at the end of a path to a closure, batch by batch; false where there is none.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - keys: The keys of the objects; nil for those that were found.
  ///   - body: Called with a column and the numbers of the objects' rows in it.
  /// - Returns: Whether the values stand in a column.
  func forEachColumn(
    at path: PropertyPath, of keys: [Int64]? = nil,
    _ body: (borrowing ColumnVector, [Int32]) -> Void
  ) -> Bool {
    core.read { reader in
      try Executor(reader, schema: core.schema).forEachColumn(
        keys ?? self.keys, of: query.className, at: path, body)
    }
  }

  /// Where the value that the answer is sorted by first becomes another one; nil where that must be found
  /// out in another way.
  func changesOfFirstSort() -> [Int]? {
    guard table != nil, let path = plainQuery.order.first?.path else { return nil }
    return core.read { reader in
      try Executor(reader, schema: core.schema).changes(keys, of: query.className, at: path)
    }
  }

  /// Gives the values at the ends of some paths of each object to a closure.
  func forEachValue(at paths: [PropertyPath], _ body: ([Value]) -> Void) {
    core.read { reader in
      try Executor(reader, schema: core.schema).forEachValue(
        keys, of: query.className, at: paths, body)
    }
  }
}
