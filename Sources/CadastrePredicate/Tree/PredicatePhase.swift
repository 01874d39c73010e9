public import CadastreGeometry
public import CadastreModel

/// The form of the parts of a predicate: names as they were written, or what they refer to.
///
/// A ``PredicateTree`` has the same logic, operators and constants in each phase. The predicates of a
/// program are ``Named``. Binding resolves their names against a schema.
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
  /// The members to which an embedded object must be equal.
  associatedtype Members: Hashable, Sendable
  /// The compiled pattern of MATCHES or TEXT.
  associatedtype Pattern: Hashable, Sendable

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
  /// Returns members as they were written.
  static func written(_ members: Members) -> [EmbeddedMember]
  /// Returns a pattern as it was written.
  static func written(_ pattern: Pattern) -> String
}

/// The phase of predicates with names as they were written.
public enum Named: PredicatePhase {
  /// The names on the path.
  public typealias Path = PropertyPath
  /// The region.
  public typealias Region = GeoShape
  /// A path or a constant.
  public typealias LeftSide = QueryPredicate.GeometryRelation.Side
  /// The region.
  public typealias RegionGeometry = GeoShape
  /// The geometry.
  public typealias ConstantGeometry = Geometry
  /// The names and contents of the members.
  public typealias Members = [EmbeddedMember]
  /// None: a pattern is a constant text.
  public typealias Pattern = Never

  /// Returns the path.
  public static func written(_ path: PropertyPath) -> PropertyPath { path }
  /// Returns whether the path of any of several values is written with a quantifier.
  public static func isQuantified(_ path: PropertyPath) -> Bool { !path.selectsElements }
  /// Returns the region.
  public static func written(_ region: GeoShape) -> GeoShape { region }
  /// Returns the side.
  public static func side(_ left: LeftSide) -> LeftSide { left }
  /// Returns the geometry.
  public static func written(_ geometry: Geometry) -> Geometry { geometry }
  /// Returns the members.
  public static func written(_ members: [EmbeddedMember]) -> [EmbeddedMember] { members }
  /// Returns nothing: there are no patterns.
  public static func written(_ pattern: Never) -> String {}
}

/// A predicate with names as they were written; see ``PredicateTree``.
public typealias QueryPredicate = PredicateTree<Named>
/// A comparison of two operands, with names as they were written.
public typealias Comparison = QueryPredicate.Comparison
/// One side of a comparison, with names as they were written.
public typealias Operand = QueryPredicate.Operand
/// One value computed from the elements of a collection, with names as they were written.
public typealias Aggregate = QueryPredicate.Aggregate
/// The number of a collection's objects that match a predicate, with names as they were written.
public typealias Subquery = QueryPredicate.Subquery
/// A number computed from two others, with names as they were written.
public typealias Arithmetic = QueryPredicate.Arithmetic
/// Whether the point at the end of a path lies in a region, with names as they were written.
public typealias GeoWithin = QueryPredicate.GeoWithin
/// Whether two geometries are in a relation, with names as they were written.
public typealias GeometryRelation = QueryPredicate.GeometryRelation
/// The geometries of the objects of a class, with names as they were written.
public typealias ObjectGeometries = QueryPredicate.ObjectGeometries
