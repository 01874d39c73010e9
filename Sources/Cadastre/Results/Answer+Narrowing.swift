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
    guard query.limit == nil, query.offset == 0 else {
      throw QueryPredicateError(.invalidQuery, "filter before limit, not after it")
    }
    return changed { query, _ in
      query.predicate =
        query.predicate == .constant(true)
        ? added.predicate : .all(query.predicate.conjuncts + added.predicate.conjuncts)
    }
  }

  /// The answer in another order; among elements that are level, an earlier one stays.
  func sorted(_ keys: [SortKey]) -> Answer {
    guard query.limit == nil, query.offset == 0 else {
      Misuse.stop("Cannot sort after limit(_:offset:): sort first.")
    }
    check(keys)
    return keys.isEmpty ? self : changed { _, steps in steps.append(.sort(keys)) }
  }

  /// The first element of each combination of values.
  func distinct(_ paths: [PropertyPath]) -> Answer {
    guard query.limit == nil, query.offset == 0 else {
      Misuse.stop("Cannot make distinct after limit(_:offset:): do it first.")
    }
    check(paths.map { SortKey($0) })
    return paths.isEmpty ? self : changed { _, steps in steps.append(.distinct(paths)) }
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
    do {
      _ = try QuerySession.bound(
        ObjectQuery(query.className, order: keys), to: core.schema, allowsEmbedded: true)
    } catch {
      Misuse.stop("\(error)")
    }
  }

  /// The path by which values are named.
  static let itself = PropertyPath(["self"])
}

extension Answer {
  /// Gives the value at the end of a path of each object to a closure.
  func forEachValue(at path: PropertyPath, _ body: (Value) -> Void) {
    Misuse.orStop {
      try Executor(core.reader, schema: core.schema).forEachValue(
        keys, of: query.className, at: path, body)
    }
  }
}
