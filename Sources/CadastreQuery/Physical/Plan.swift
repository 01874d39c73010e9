package import CadastrePredicate

/// The execution plan of a query, as data.
///
/// Rows come from one access path, pass the filters in their order, are sorted, and are cut to
/// offset and limit.
package struct Plan: Hashable, Sendable {
  /// The query.
  package var query: BoundQuery
  /// The access path.
  package var access: AccessPath
  /// The residual filters, the cheapest first.
  package var filters: [BoundPredicate]
  /// The planner's estimate.
  package var estimate: Estimate
  /// The candidates that cost more.
  package var rejected: [Candidate]
  /// How the columns that the query yields are read.
  package var output = OutputAccess.nothing
  /// Whether a query of the same shape was planned before.
  package var reusesShape = false
  /// The inner queries that a run executes first.
  package var initPlans: [InitPlan] = []
}

extension Plan {
  /// Whether the rows are sorted, because the access path does not yield them in the order of the query.
  var isSorted: Bool { access.needsSort(by: query.order) }

  /// Whether the columns that the query yields are kept for all matching rows while these are sorted.
  var gathersAll: Bool {
    output == .rows && isSorted && query.rowsNeeded == nil
  }

  /// The plan that scans all rows for the same query.
  package var scan: Plan {
    Plan(
      query, by: .scan(className: query.className),
      filters: FilterOrder.cheapestFirst(
        query.predicate.conjuncts.filter { !$0.isConstant(true) }))
  }

  /// The plans by the access paths that were considered and cost more.
  package var alternatives: [Plan] { rejected.map { Plan(query, by: $0, rejected: []) } }

  /// The plan by one of the candidates for a query that the rules have rewritten.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - candidate: The candidate.
  ///   - rejected: The other candidates.
  init(_ query: BoundQuery, by candidate: Candidate, rejected: [Candidate]) {
    let terms = query.predicate.conjuncts
    let open = terms.indices.filter {
      !candidate.decided.contains($0) && !terms[$0].isConstant(true)
    }
    self.init(
      query: query, access: candidate.access,
      filters: FilterOrder.cheapestFirst(open.map { terms[$0] }),
      estimate: candidate.estimate, rejected: rejected, output: candidate.output)
  }

  /// A plan that no planner has made, without an estimate.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - access: The access path.
  ///   - filters: The conditions that the access path does not decide.
  package init(_ query: BoundQuery, by access: AccessPath, filters: [BoundPredicate]) {
    self.init(
      query: query, access: access, filters: filters, estimate: Estimate(rows: 0, cost: 0),
      rejected: [])
    guard query.yieldsColumns else { return }
    let isStreamed = if case .scan = access { query.order.isEmpty } else { false }
    output = isStreamed ? .scan : .keys(areCached: false)
  }
}

/// A cardinality and cost estimate.
package struct Estimate: Hashable, Sendable {
  /// The number of rows.
  package var rows: Double
  /// The cost in row reads, see `CostModel`.
  package var cost: Double
}

/// An access path that was considered.
package struct Candidate: Hashable, Sendable {
  /// The access path.
  package var access: AccessPath
  /// The indexes of the terms that the access path decides exactly.
  package var decided: Set<Int>
  /// The rows that it yields, and the cost of the whole plan with it.
  package var estimate: Estimate
  /// How the columns that the query yields are read.
  package var output = OutputAccess.nothing
}

/// How a plan reads the columns that its query yields.
package enum OutputAccess: Hashable, Sendable {
  /// The query yields no columns.
  case nothing
  /// A scan reads them while it finds the objects.
  case scan
  /// The entries of the index contain them.
  case entries
  /// They are read together with the columns of conditions and order.
  case rows
  /// They are read by key for the objects of the result, from memory where most of them are cached.
  case keys(areCached: Bool)

  /// The name in a plan.
  package var name: String {
    switch self {
    case .nothing: "nothing"
    case .scan: "in the scan"
    case .entries: "from the index"
    case .rows: "with the rows"
    case .keys(areCached: true): "by key, from memory"
    case .keys(areCached: false): "by key"
    }
  }
}

/// An inner query of a plan, which a run executes before the plan: the objects of a class to whose geometries a
/// condition relates.
///
/// The geometries of few objects become constants, which a spatial index is searched for. Those of more objects are
/// found by a tree in memory, while the rows are scanned. A run decides when it has the objects.
package struct InitPlan: Hashable, Sendable {
  /// The relation.
  package let relation: BoundRelation
  /// The plan of the objects: of one more than become constants.
  package let plan: Plan
  /// The spatial index on the left geometry of the relation; nil where there is none.
  package let index: IndexReference?
  /// The number of objects that a run found; nil without a run.
  package var objects: Int?

  /// The greatest number of objects whose geometries become constants.
  package static let mostConstants = 16
}
