package import CadastreGeometry
package import CadastreModel

/// The phase of predicates whose names are resolved and whose constants have the types of the properties
/// that they are compared with.
///
/// `QueryPredicate.bound(to:root:)` makes them; planner and executor take nothing else. In a bound
/// comparison the left side is a property wherever one side is a property. The relation `disjoint` is the
/// complement of `intersects`.
package enum Resolved: PredicatePhase {
  /// The resolved path.
  package typealias Path = BoundPath
  /// The region, and the region prepared.
  package typealias Region = PreparedConstant<GeoShape, PreparedRegion>
  /// The path to a geometry or an embedded point, or to several.
  package typealias LeftSide = BoundPath
  /// The region, and the region prepared.
  package typealias RegionGeometry = PreparedConstant<GeoShape, PreparedGeometry>
  /// The geometry, and the geometry prepared.
  package typealias ConstantGeometry = PreparedConstant<Geometry, PreparedGeometry>
  /// None: binding replaces content by comparisons.
  package typealias Content = Never
  /// The compiled pattern.
  package typealias Pattern = CompiledPattern
  /// None: binding replaces the time by a constant.
  package typealias Now = Never

  /// Returns the path as it was written.
  package static func written(_ path: BoundPath) -> PropertyPath { path.path }
  /// Returns whether the path of any of several values is written with a quantifier.
  package static func isQuantified(_ path: BoundPath) -> Bool {
    !path.path.selectsElements && !path.needsNoQuantifier
  }
  /// Returns the region as it was written.
  package static func written(_ region: Region) -> GeoShape { region.written }
  /// Returns the path as a side.
  package static func side(_ left: BoundPath) -> BoundRelation.Side { .path(left) }
  /// Returns the region as it was written.
  package static func written(_ region: RegionGeometry) -> GeoShape { region.written }
  /// Returns the geometry as it was written.
  package static func written(_ geometry: ConstantGeometry) -> Geometry { geometry.written }
  /// Returns nothing: there is no content.
  package static func written(_ content: Never) -> PredicateArgument {}
  /// Returns the pattern as it was written.
  package static func written(_ pattern: CompiledPattern) -> String { pattern.text }
}

/// A bound predicate.
package typealias BoundPredicate = PredicateTree<Resolved>
/// A comparison of resolved operands.
package typealias BoundComparison = BoundPredicate.Comparison
/// One side of a bound comparison.
package typealias BoundOperand = BoundPredicate.Operand
/// One value computed from the elements of a resolved collection.
package typealias BoundAggregate = BoundPredicate.Aggregate
/// The number of the objects of a resolved collection that match a predicate.
package typealias BoundSubquery = BoundPredicate.Subquery
/// A resolved operand of an object around a subquery.
package typealias BoundOuter = BoundPredicate.Outer
/// A number computed from two resolved operands.
package typealias BoundArithmetic = BoundPredicate.Arithmetic
/// The least distance of two resolved geometries.
package typealias BoundDistance = BoundPredicate.MeasuredDistance
/// A test whether the point at the end of a resolved path lies in a region.
package typealias BoundGeoWithin = BoundPredicate.GeoWithin
/// A relation of the geometries at the end of a resolved path to others.
package typealias BoundRelation = BoundPredicate.GeometryRelation
/// The geometries of the objects of a class that match a bound predicate.
package typealias BoundObjectGeometries = BoundPredicate.ObjectGeometries

/// A constant as it was written, and its form for tests of many values.
// A class, because copies of large values of a generic type need its metadata.
package final class PreparedConstant<Written: Hashable & Sendable, Prepared: AnyObject & Sendable>:
  Hashable, Sendable
{
  /// The constant as it was written.
  package let written: Written
  /// The prepared constant.
  package let prepared: Prepared

  /// Takes a constant and its prepared form.
  package init(_ written: Written, _ prepared: Prepared) {
    self.written = written
    self.prepared = prepared
  }

  /// Two are equal when they were written alike.
  package static func == (first: PreparedConstant, second: PreparedConstant) -> Bool {
    first.prepared === second.prepared || first.written == second.written
  }

  /// Hashes the constant as it was written.
  package func hash(into hasher: inout Hasher) { hasher.combine(written) }
}

/// The compiled right side of MATCHES or TEXT.
package enum CompiledPattern: Hashable, Sendable {
  /// The regular expression of MATCHES.
  case expression(RegularExpression)
  /// The words of TEXT, and the text they were read from.
  case words(TextPattern, text: String)

  /// The pattern as it was written.
  package var text: String {
    switch self {
    case .expression(let expression): expression.pattern
    case .words(_, let text): text
    }
  }

  /// Returns whether a text matches the pattern.
  package func matches(_ text: String) -> Bool {
    switch self {
    case .expression(let expression): expression.matches(text)
    case .words(let words, _): words.matches(text)
    }
  }
}

extension BoundOperand {
  /// The constant, or the constants; nil for anything else.
  package var constants: [Value]? {
    switch self {
    case .value(let value): [value]
    case .list(let values): values
    default: nil
    }
  }

  /// Whether this is one or several named objects.
  package var namesObjects: Bool {
    switch self {
    case .object, .objects: true
    default: false
    }
  }
}

extension BoundComparison {
  /// The paths of a comparison that can be evaluated on columns and indexes; nil for others.
  ///
  /// Such a comparison is of a plain property with a constant, constants, an object or another
  /// plain property, whose path is then on the right.
  package var columnComparison: (left: BoundPath, right: BoundPath?)? {
    guard case .property(let path) = left, path.isPlain else { return nil }
    switch right {
    case .property(let other): return other.isPlain ? (path, other) : nil
    case .value, .list, .object: return (path, nil)
    case .objects, .elements, .constants, .aggregate, .subquery, .outer, .arithmetic, .distance,
      .pattern:
      return nil
    }
  }
}

extension BoundRelation {
  /// A relation to a geometry.
  ///
  /// - Parameters:
  ///   - path: The path to the left geometries; at least one must be in the relation.
  ///   - kind: The relation; not `disjoint`.
  ///   - geometry: The right geometry; not a circle.
  ///   - edges: How the edges run between positions.
  package init(
    _ path: BoundPath, _ kind: GeometryRelationKind, _ geometry: LocatedGeometry, edges: EdgeModel
  ) {
    let prepared = geometry.prepared(edges)
    self.init(
      path, kind, .geometry(PreparedConstant(prepared.geometry ?? Geometry(), prepared)),
      edges: edges)
  }
}

extension BoundRelation.Side {
  /// The prepared constant; nil for paths and for geometries of objects.
  package var constant: PreparedGeometry? {
    switch self {
    case .region(let region): region.prepared
    case .geometry(let geometry): geometry.prepared
    case .path, .objects: nil
    }
  }
}

extension BoundObjectGeometries {
  /// The objects as a query.
  package var query: BoundQuery { BoundQuery(className, where: predicate) }
}

extension BoundPredicate {
  /// The predicate with relations to objects of a class replaced.
  ///
  /// - Parameter replacement: Called with each such relation and the objects; nil keeps it.
  /// - Returns: The predicate; the same one where it has no such relation.
  /// - Throws: The error of the closure.
  package func replacingRelationsToObjects(
    _ replacement: (BoundRelation, BoundObjectGeometries) throws -> BoundPredicate?
  ) throws -> BoundPredicate {
    var hasRelations = false
    forEachLeaf { leaf in
      if case .relation(let relation) = leaf, case .objects = relation.right { hasRelations = true }
    }
    guard hasRelations else { return self }
    return try folded { leaf in
      guard case .relation(let relation) = leaf, case .objects(let objects) = relation.right
      else { return leaf }
      return try replacement(relation, objects) ?? leaf
    } node: {
      BoundPredicate($0)
    }
  }
}
