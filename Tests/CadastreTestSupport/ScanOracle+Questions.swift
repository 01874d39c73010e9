package import CadastrePlanner
import CadastrePredicate

extension ScanOracle {
  /// The keys of the objects that a question finds, in its order.
  package func keys(_ query: ObjectQuery) throws -> [Int64] {
    let terms = query.order.map { SortTerm($0.path, isAscending: $0.isAscending) }
    let keys = try sorted(
      matching(query.className, query.predicate), query.className, terms)
    return Array(keys.dropFirst(query.offset).prefix(query.limit ?? .max))
  }
}
