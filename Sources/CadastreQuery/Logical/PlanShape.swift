import CadastreModel
import CadastrePredicate

/// What the plans of all queries of one shape have in common, whatever their constants are.
final class PlanShape: Sendable {
  /// Whether some rule rewrites the predicate.
  let isRewritten: Bool
  /// The kinds of access path that may serve the query.
  let kinds: [AccessPath.Kind]
  /// The access path that yielded a few rows for the last query of the shape; nil where none did.
  let selective = Guarded<SelectiveTerm?>(nil)
  /// A query of the shape, whose paths stay alive: the key of the shape contains their addresses.
  private let example: BoundQuery

  init(of query: BoundQuery, isRewritten: Bool, kinds: [AccessPath.Kind]) {
    example = query
    self.isRewritten = isRewritten
    self.kinds = kinds
  }
}

/// A term for which an ordered index yielded a few rows.
///
/// Nothing costs much less than to read a few rows, so that other queries of the shape need no other
/// candidate while the index yields a few rows for their constants too.
struct SelectiveTerm: Sendable {
  /// The index of the term in the conjunction.
  let term: Int
  /// The indexes of the other terms, in the order in which they are tested.
  let filters: [Int]

  /// The most rows that are a few.
  static let mostRows = 8.0
}

/// The shapes of the queries that were planned last for some classes and indexes.
package final class PlanShapes: Sendable {
  private let shapes = Guarded(
    BoundedCache<PlanShapeKey, PlanShape>(maximumCount: 256, maximumCost: 1 << 20))

  /// Makes an empty cache.
  package init() {}

  func shape(_ key: PlanShapeKey) -> PlanShape? { shapes.withLock { $0.value(for: key) } }

  func insert(_ shape: PlanShape, _ key: PlanShapeKey) {
    shapes.withLock { $0.insert(shape, for: key, cost: key.byteCount) }
  }
}
