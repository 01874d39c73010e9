package import CadastreModel
package import CadastrePredicate

/// What the planner knows of a store: its indexes, and cardinality estimates from bounded dives
/// into them.
package protocol Catalog {
  /// The plans that were made for the same classes and indexes.
  var plans: PlanCache { get }
  /// Compiles a plan that one statement executes; nil for other plans.
  func lookup(_ plan: Plan, _ choice: CachedPlan.Choice) -> LookupProgram?
  /// The number of objects of a class.
  func objectCount(_ className: String) -> Int
  /// The share of a class's rows, from 0 to 1, for which the columns at some paths are in memory.
  func cachedShare(_ className: String, _ paths: @autoclosure () -> [BoundPath]) -> Double
  /// The ordered index on the property at a path; nil where there is none.
  func valueIndex(_ path: BoundPath) -> IndexReference?
  /// The compound indexes of a class.
  func compoundIndexes(_ className: String) -> [CompoundIndex]
  /// Whether the entries that an access path reads contain the values at some paths.
  func covers(_ access: AccessPath, _ paths: [BoundPath]) -> Bool
  /// The spatial index on the point or geometry at a path; nil where there is none.
  func spatialIndex(_ path: BoundPath) -> IndexReference?
  /// The full-text index on the property at a path; nil where there is none.
  func textIndex(_ path: BoundPath) -> IndexReference?
  /// The least and the greatest value of a numeric property in a class, without NaN; nil if they cannot be read at
  /// little cost.
  func bounds(_ path: BoundPath) -> ClosedRange<Double>?
  /// The estimated number of objects in ranges of an ordered index, which are those that match a predicate.
  func estimatedRows(
    _ index: IndexReference, _ ranges: [EntryRange], where predicate: BoundPredicate
  ) -> Double
  /// The rows of a sample of a class that match a predicate; nil where it reads other tables or large values.
  func sample(_ className: String, _ predicate: BoundPredicate) -> RowSample?
  /// The number of entries that have the same value as the entry at a position in ranges of an ordered index, which
  /// ascend; nil for many. Positions count from 1, and end with the last entry.
  func ties(
    _ index: IndexReference, _ ranges: [EntryRange], isAscending: Bool, at position: Int
  ) -> Int?
  /// The estimated number of objects that have the words of a pattern.
  func estimatedRows(_ index: IndexReference, _ pattern: TextPattern) -> Double
  /// The estimated number of objects whose point satisfies a predicate on its position.
  func estimatedRows(_ index: IndexReference, _ inside: PositionPredicate) -> Double
  /// The estimated number of objects whose geometry is in a relation to a constant.
  func estimatedRows(_ index: IndexReference, _ relation: BoundRelation) -> Double
}
