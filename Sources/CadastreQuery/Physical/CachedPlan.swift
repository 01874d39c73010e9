import CadastreModel
import CadastrePredicate

/// What the planner decided for a query, for all queries of the same shape.
///
/// A cached plan is immutable and retains no constant of a query. Where it is no longer valid, another one replaces it.
package final class CachedPlan: Sendable {
  /// The shape.
  let shape: QueryShape
  /// Whether some rule rewrites the predicate.
  let isRewritten: Bool
  /// The kinds of access path that may serve the queries.
  let kinds: [AccessPath.Kind]
  /// The access path that was the cheapest; nil where another one is chosen for each query.
  let choice: Choice?
  /// The program that one statement executes; nil for other plans.
  let lookup: LookupProgram?
  /// Whether a run begins with that program, because some query of the shape had few rows.
  let hasFewRows: Bool

  /// An access path for the terms of a conjunction, and the bounds within which it is used again.
  package struct Choice: Sendable {
    /// The kind.
    let kind: AccessPath.Kind
    /// The indexes of the terms that the access path decides.
    let decided: [Int]
    /// The indexes of the other terms, in the order in which they are tested.
    let filters: [Int]
    /// The number of rows up to which the access path is used with other arguments.
    let mostRows: Double
    /// The state of the store for which the access path was chosen.
    let state: State
  }

  /// The state of a store on which the choice of an access path depends.
  struct State: Equatable, Sendable {
    /// The number of objects, as a power of four.
    let size: Int
    /// The share of the columns of the query that is in memory, in quarters.
    let residency: Int

    /// Classifies a number of objects, and a share from 0 to 1.
    init(objects: Int, cachedShare: Double) {
      size = (Int.bitWidth - max(0, objects).leadingZeroBitCount) / 2
      residency = Int(cachedShare * 4)
    }
  }

  /// The number of rows that are few: their access path is used again whatever else the planner would find.
  static let fewRows = 8.0

  init(
    _ shape: QueryShape, isRewritten: Bool, kinds: [AccessPath.Kind], choice: Choice? = nil,
    lookup: LookupProgram? = nil, hasFewRows: Bool = false
  ) {
    self.shape = shape
    self.isRewritten = isRewritten
    self.kinds = kinds
    self.choice = choice
    self.lookup = lookup
    self.hasFewRows = hasFewRows
  }

  /// Returns the plan of the same shape with another choice.
  func choosing(_ choice: Choice?, _ lookup: LookupProgram?, hasFewRows: Bool) -> CachedPlan {
    CachedPlan(
      shape, isRewritten: isRewritten, kinds: kinds, choice: choice, lookup: lookup,
      hasFewRows: hasFewRows)
  }
}

/// The plans of the queries that ran last, by shape; of one catalogue.
///
/// Texts, type-safe queries, prepared queries, the command line and the server share it.
package struct PlanCache {
  // Invariant: it has cached plans only.
  private let plans: ObjectCache

  /// The plans in a cache of a catalogue.
  init(_ plans: ObjectCache) { self.plans = plans }

  /// Returns the plan for the shape of a query; nil where there is none, or the query has no shape.
  func plan(for query: BoundQuery) -> CachedPlan? {
    QueryShape.withNumbers(of: query) { words, hash in
      guard let object = plans.object(hash) else { return nil }
      let plan = unsafeDowncast(object, to: CachedPlan.self)
      return plan.shape.isShape(of: query.className, words) ? plan : nil
    }
  }

  /// Inserts the plan for its shape, in the place of one that is no longer valid.
  func insert(_ plan: CachedPlan) {
    plans.insert(plan, plan.shape.hash, cost: plan.shape.byteCount)
  }
}
