package import CadastreModel
package import CadastrePredicate

/// What the planner may know of a store: its indexes, and guesses from bounded looks into them.
package protocol Catalog {
  /// The classes.
  var schema: Schema { get }
  /// The number of objects of a class.
  func objectCount(_ className: String) -> Int
  /// The share of a class, from 0 to 1, of which the properties at some paths are in memory.
  func shareInMemory(_ className: String, _ paths: [PropertyPath]) -> Double
  /// Whether the property at a path has an ordered index.
  func hasValueIndex(_ className: String, _ path: PropertyPath) -> Bool
  /// Whether the place at a path has a spatial index.
  func hasSpatialIndex(_ className: String, _ path: PropertyPath) -> Bool
  /// About how many objects lie in ranges of an ordered index.
  func estimatedRows(_ className: String, _ path: PropertyPath, _ ranges: [ValueRange]) -> Double
  /// Whether the property at a path has a full-text index.
  func hasTextIndex(_ className: String, _ path: PropertyPath) -> Bool
  /// About how many objects have the words of a pattern.
  func estimatedRows(_ className: String, _ path: PropertyPath, _ pattern: TextPattern) -> Double
  /// About how many objects have a point that lies as a predicate says that asks for nothing else.
  func estimatedRows(_ className: String, _ path: PropertyPath, _ inside: QueryPredicate) -> Double
}
