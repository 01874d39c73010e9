package import CadastrePredicate

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
