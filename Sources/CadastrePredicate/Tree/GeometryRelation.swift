public import CadastreGeometry

/// The relation of the left geometry to the right one.
///
/// Geometries are closed sets: a line contains its ends, a polygon its rings. An empty or missing
/// geometry is in no relation but `disjoint`.
public enum GeometryRelationKind: Hashable, Sendable {
  /// They have a common point; a common border point is enough.
  case intersects
  /// They have no common point.
  case disjoint
  /// Every point of the left one is a point of the right one.
  case within
  /// Every point of the right one is a point of the left one.
  case contains
  /// They have the same points.
  case equals
  /// They have common points, but their interiors have none. Planar only.
  case touches
  /// Their interiors meet in a part of lower dimension than the greater of theirs. Planar only.
  case crosses
  /// Their interiors meet in a part of their own dimension, and neither contains the other. Planar
  /// only.
  case overlaps
  /// The least distance between them compares with a distance: `less`, `lessOrEqual`, `greater` or
  /// `greaterOrEqual`.
  // Indirect, so that a relation is four words, which are copied without its type's metadata.
  indirect case distance(ComparisonOperator, Distance)
}

extension PredicateTree {
  /// Whether two geometries are in a relation, such as a road that intersects a park.
  public struct GeometryRelation: Hashable, Sendable {
    /// The relation of the left geometry to the right one.
    public typealias Kind = GeometryRelationKind

    /// One side of a relation.
    // Indirect, which keeps predicates, and the stack of recursive functions on them, small.
    public indirect enum Side: Hashable, Sendable {
      /// A geometry, or an embedded object of the GeoJSON point shape, or several of them.
      case path(Phase.Path)
      /// A region.
      case region(Phase.RegionGeometry)
      /// A geometry.
      case geometry(Phase.ConstantGeometry)
      /// The geometries of objects of a class, only on the right; the relation holds if it holds for one.
      case objects(ObjectGeometries)
    }

    /// The left geometry.
    public var left: Phase.LeftSide
    /// The relation.
    public var kind: Kind
    /// The right geometry.
    public var right: Side
    /// How the edges run between positions.
    public var edges: EdgeModel
    /// How many of the left geometries must be in the relation, where its path leads to several.
    public var quantifier: Quantifier

    /// Tests whether two geometries are in a relation.
    ///
    /// - Parameters:
    ///   - left: The left geometry.
    ///   - kind: The relation.
    ///   - right: The right geometry.
    ///   - edges: How the edges run between positions.
    ///   - quantifier: How many of several left geometries must be in the relation.
    @inlinable
    public init(
      _ left: Phase.LeftSide, _ kind: Kind, _ right: Side, edges: EdgeModel = .spherical,
      quantifier: Quantifier = .any
    ) {
      self.left = left
      self.kind = kind
      self.right = right
      self.edges = edges
      self.quantifier = quantifier
    }
  }
}

extension GeometryRelationKind {
  /// The relation with the sides exchanged.
  package var exchanged: GeometryRelationKind {
    switch self {
    case .within: .contains
    case .contains: .within
    case .intersects, .disjoint, .equals, .touches, .crosses, .overlaps, .distance: self
    }
  }

  /// Whether GEOS decides the relation, in the plane only.
  package var isPlanarOnly: Bool {
    switch self {
    case .touches, .crosses, .overlaps: true
    default: false
    }
  }

  /// The relations that the text of predicates names by one word.
  static let named: [GeometryRelationKind] = [
    .intersects, .disjoint, .within, .contains, .equals, .touches, .crosses, .overlaps,
  ]

  /// The word of the relation in the text of predicates; nil for distances.
  var word: Keyword? {
    switch self {
    case .intersects: .geoIntersects
    case .disjoint: .geoDisjoint
    case .within: .geoWithin
    case .contains: .geoContains
    case .equals: .geoEquals
    case .touches: .geoTouches
    case .crosses: .geoCrosses
    case .overlaps: .geoOverlaps
    case .distance: nil
    }
  }
}

extension QueryPredicate {
  /// The relation in its regular form: properties within a region are `geoWithin`.
  package static func regular(_ relation: GeometryRelation) -> QueryPredicate {
    guard relation.kind == .within, case .path(let path) = relation.left,
      case .region(let shape) = relation.right
    else { return .relation(relation) }
    return .geoWithin(
      GeoWithin(path, shape, edges: relation.edges, quantifier: relation.quantifier))
  }
}
