public import CadastreGeometry
public import CadastreModel

/// The form of the parts of a predicate: names as they were written, or what they refer to.
///
/// A ``PredicateTree`` has the same logic, operators and constants in each phase. The predicates of a
/// program are ``NamedPhase``. Binding resolves their names against a schema.
public protocol PredicatePhase {
  /// A path to a property.
  associatedtype Path: Hashable, Sendable
  /// A region in which points may lie.
  associatedtype Region: Hashable, Sendable
  /// The left side of a relation of geometries.
  associatedtype LeftSide: Hashable, Sendable
  /// A region as one side of a relation of geometries.
  associatedtype RegionGeometry: Hashable, Sendable
  /// A geometry as one side of a relation of geometries.
  associatedtype ConstantGeometry: Hashable, Sendable
  /// The content to which an embedded object or a whole collection must be equal.
  associatedtype Content: Hashable, Sendable
  /// The compiled pattern of MATCHES or TEXT.
  associatedtype Pattern: Hashable, Sendable
  /// The time at which the predicate is bound.
  associatedtype Now: Hashable, Sendable

  /// Returns a path as it was written.
  static func written(_ path: Path) -> PropertyPath
  /// Returns whether the path of any of several values is written with a quantifier.
  static func isQuantified(_ path: Path) -> Bool
  /// Returns a region as it was written.
  static func written(_ region: Region) -> GeoShape
  /// Returns the left side of a relation as a side of either kind.
  static func side(_ left: LeftSide) -> PredicateTree<Self>.GeometryRelation.Side
  /// Returns a region as it was written.
  static func written(_ region: RegionGeometry) -> GeoShape
  /// Returns a geometry as it was written.
  static func written(_ geometry: ConstantGeometry) -> Geometry
  /// Returns content as it was written.
  static func written(_ content: Content) -> PredicateArgument
  /// Returns a pattern as it was written.
  static func written(_ pattern: Pattern) -> String
}
