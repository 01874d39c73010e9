public import CadastreGeometry
public import CadastreModel

/// The phase of predicates with names as they were written.
public enum NamedPhase: PredicatePhase {
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
  /// The content as an argument.
  public typealias Content = PredicateArgument
  /// None: a pattern is a constant text.
  public typealias Pattern = Never
  /// The time at which the predicate is bound, which is not known yet.
  public typealias Now = BindingTime

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
  /// Returns the content.
  public static func written(_ content: PredicateArgument) -> PredicateArgument { content }
  /// Returns nothing: there are no patterns.
  public static func written(_ pattern: Never) -> String {}
}

/// The time at which a predicate is bound to a Realm, `now()`.
public struct BindingTime: Hashable, Sendable {
  /// Creates the operand `now()`.
  public init() {}
}

/// A condition on the objects of a class, with names as they were written; see ``PredicateTree``.
public typealias QueryPredicate = PredicateTree<NamedPhase>
/// A comparison of two operands, with names as they were written.
public typealias Comparison = QueryPredicate.Comparison
/// One side of a comparison, with names as they were written.
public typealias Operand = QueryPredicate.Operand
/// One value computed from the elements of a collection, with names as they were written.
public typealias Aggregate = QueryPredicate.Aggregate
/// The number of a collection's objects that match a predicate, with names as they were written.
public typealias Subquery = QueryPredicate.Subquery
/// An operand of an object around a subquery, with names as they were written.
public typealias Outer = QueryPredicate.Outer
/// A number computed from two others, with names as they were written.
public typealias Arithmetic = QueryPredicate.Arithmetic
/// The least distance of two geometries, with names as they were written.
public typealias MeasuredDistance = QueryPredicate.MeasuredDistance
/// Whether the point at the end of a path lies in a region, with names as they were written.
public typealias GeoWithin = QueryPredicate.GeoWithin
/// Whether two geometries are in a relation, with names as they were written.
public typealias GeometryRelation = QueryPredicate.GeometryRelation
/// The geometries of the objects of a class, with names as they were written.
public typealias ObjectGeometries = QueryPredicate.ObjectGeometries
