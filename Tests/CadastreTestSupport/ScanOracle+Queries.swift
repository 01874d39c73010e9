package import CadastreModel
package import CadastrePredicate

extension ScanOracle {
  /// The keys of the objects that match a query, in its order.
  package func keys(_ query: BoundQuery) throws -> [Int64] {
    let terms = query.order.map { SortTerm($0.path.path, isAscending: $0.isAscending) }
    let keys = try sorted(
      matching(query.className, query.predicate), query.className, terms)
    return Array(keys.dropFirst(query.offset).prefix(query.limit ?? .max))
  }

  /// The keys of the objects of a class that match a bound predicate, ascending.
  package func matching(_ className: String, _ predicate: BoundPredicate) throws -> [Int64] {
    try matching(className, predicate.named)
  }
}

extension ObjectQuery {
  /// The query bound to a schema; unlike those of users it may be ordered by links too.
  package func boundWithAnyOrder(
    to schema: Schema
  ) throws(QueryPredicateError) -> BoundQuery {
    let root = try schema.queriedClass(className)
    var query = self
    query.order = []
    var bound = try query.bound(to: schema)
    for key in order {
      bound.order.append(
        BoundSortKey(
          try schema.shapes.path(key.path, from: root, in: schema), isAscending: key.isAscending,
          by: key.criterion))
    }
    return bound
  }
}
