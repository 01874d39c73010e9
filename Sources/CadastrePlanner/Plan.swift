package import CadastrePredicate

/// How a question will be answered, as data.
///
/// Rows come from one access path, pass the filters in their order, are put in order, and are cut.
package struct Plan: Hashable, Sendable {
  /// The question.
  package var query: BoundQuery
  /// Where rows come from.
  package var access: AccessPath
  /// What the access path leaves open, cheapest first.
  package var filters: [BoundPredicate]
  /// What the planner expected.
  package var estimate: Estimate
  /// The ways that cost more.
  package var rejected: [Candidate]
}

/// What a step is expected to give and to cost.
package struct Estimate: Hashable, Sendable {
  /// Rows that come out.
  package var rows: Double
  /// Cost in row reads, see `CostModel`.
  package var cost: Double
}

/// An access path that was considered.
package struct Candidate: Hashable, Sendable {
  /// The way.
  package var access: AccessPath
  /// The terms of the predicate that it decides by itself.
  package var decided: Set<Int>
  /// What it gives and what the whole plan would cost.
  package var estimate: Estimate
}
