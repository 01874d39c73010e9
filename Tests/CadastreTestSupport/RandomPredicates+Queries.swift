import CadastreModel

package import CadastrePredicate

extension RandomPredicates {
  /// A query: a predicate, often with an order, and sometimes with an offset and a limit.
  package func query(depth: Int, _ random: inout SeededGenerator) -> ObjectQuery {
    var query = ObjectQuery(root.className, where: predicate(depth: depth, &random))
    if random.oneIn(3) {
      query.order = (0..<random.below(2) + 1).map { _ in
        SortKey(random.pick(scalars + links).path, isAscending: random.oneIn(2))
      }
    }
    if random.oneIn(3) { query.limit = random.pick([0, 1, 2, 5, 50, 10_000]) }
    if random.oneIn(5) { query.offset = random.pick([1, 3, 40, 10_000]) }
    return query
  }
}
