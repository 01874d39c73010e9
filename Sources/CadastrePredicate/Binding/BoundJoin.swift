package import CadastreGeometry
package import CadastreModel

/// A join of the objects of two classes by their geometries, resolved against a schema.
package struct BoundJoin: Sendable {
  /// Which objects are partners.
  package enum Criterion: Hashable, Sendable {
    /// Those whose geometries are in a relation.
    case relation(GeometryRelation.Kind)
    /// For each left object, the nearest right objects within a distance.
    case nearest(Int, within: Distance)
  }

  /// The path to the geometry of the left objects.
  package let left: BoundPath
  /// Which objects are partners.
  package let criterion: Criterion
  /// The path to the geometry of the right objects.
  package let right: BoundPath
  /// How the edges run between positions.
  package let edges: EdgeModel

  /// Whether the classes are the same.
  package var isOfOneClass: Bool { left.root.className == right.root.className }

  /// Resolves the paths of a join.
  ///
  /// - Parameters:
  ///   - condition: The relation; of a nearest join, the distance that limits it.
  ///   - nearest: The number of nearest objects; nil for all that are in the relation.
  ///   - schema: The classes.
  ///   - classes: The names of the classes.
  /// - Throws: ``QueryPredicateError`` at a path that leads to no geometry.
  package init(
    _ condition: JoinCondition, nearest: Int? = nil, in schema: Schema,
    _ classes: (left: String, right: String)
  ) throws(QueryPredicateError) {
    left = try schema.geometries(at: condition.left, from: classes.left)
    right = try schema.geometries(at: condition.right, from: classes.right)
    edges = condition.edges
    if condition.kind.isPlanarOnly, edges != .planar {
      throw Binder.planarError(condition.kind)
    }
    guard let nearest else {
      criterion = .relation(condition.kind)
      return
    }
    guard case .distance(.lessOrEqual, let limit) = condition.kind else {
      throw QueryPredicateError(
        .invalidQuery,
        "the nearest objects are limited by a distance, such as 'GEODISTANCE(location, location) <= "
          + "5km'")
    }
    criterion = .nearest(nearest, within: limit)
  }
}

/// A right object that is a partner of a left one.
package struct JoinPartner: Hashable, Sendable {
  /// The key of the object.
  package let key: Int64
  /// The distance, in a join of nearest objects; else nil.
  package let distance: Distance?

  /// Creates a partner.
  package init(key: Int64, distance: Distance? = nil) {
    self.key = key
    self.distance = distance
  }
}

extension BoundJoin: CustomStringConvertible {
  /// The relation as text, the right path after the name of its class.
  package var description: String {
    let right = PropertyPath([self.right.root.className] + self.right.path.names)
    switch criterion {
    case .relation(let kind):
      return
        "\(QueryPredicate.relation(GeometryRelation(.path(left.path), kind, .path(right), edges: edges)))"
    case .nearest(let count, let limit):
      let limited =
        limit.radians.isFinite ? " within \(limit.asKilometers()) km" : ""
      return "\(count) nearest by GEODISTANCE(\(left.path), \(right))\(limited)"
    }
  }
}

extension Schema {
  /// Resolves a path that must lead to geometries or embedded points.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - className: The class from which it begins.
  /// - Returns: The bound path.
  /// - Throws: ``QueryPredicateError`` at a name that does not fit.
  package func geometries(
    at path: PropertyPath, from className: String
  ) throws(QueryPredicateError) -> BoundPath {
    try Binder(schema: self, root: try queriedClass(className)).geometries(at: path)
  }
}
