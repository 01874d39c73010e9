package import CadastreGeometry
package import CadastreModel

/// The relation between the geometries of two classes that are joined, before names are resolved.
package struct JoinCondition: Hashable, Sendable {
  /// The path from the objects on the left.
  package let left: PropertyPath
  /// The relation of the left geometry to the right one.
  package let kind: GeometryRelation.Kind
  /// The path from the objects on the right.
  package let right: PropertyPath
  /// How the edges run between positions.
  package let edges: EdgeModel

  /// Creates a condition from paths.
  package init(
    _ left: PropertyPath, _ kind: GeometryRelation.Kind, _ right: PropertyPath,
    edges: EdgeModel = .spherical
  ) {
    self.left = left
    self.kind = kind
    self.right = right
    self.edges = edges
  }

  /// Creates a condition from a predicate that is one relation between two paths.
  ///
  /// A path may begin with the name of its side; without names, the path on the left of the relation
  /// is that of the left objects.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - names: The names of the sides.
  /// - Throws: ``QueryPredicateError`` for other predicates, and for relations in which nearly all
  ///   pairs are.
  package init(
    _ predicate: QueryPredicate, names: (left: String, right: String)
  ) throws(QueryPredicateError) {
    guard case .relation(let relation) = predicate, case .path(let first) = relation.left,
      case .path(let second) = relation.right
    else {
      throw QueryPredicateError(
        .invalidQuery,
        "a join needs one relation between two geometries, such as 'location GEOWITHIN border' or "
          + "'GEODISTANCE(location, location) < 5km'")
    }
    guard relation.quantifier == .any else {
      throw QueryPredicateError(
        .invalidQuery, "a join takes any of several geometries; ALL and NONE have no meaning in it")
    }
    switch relation.kind {
    case .disjoint, .distance(.greater, _), .distance(.greaterOrEqual, _):
      throw QueryPredicateError(
        .invalidQuery,
        "a join needs a relation of geometries that are near each other; nearly all pairs are "
          + "disjoint")
    default: break
    }
    let isSame = names.left == names.right
    let isExchanged =
      !isSame && (first.names.first == names.right || second.names.first == names.left)
    let (left, right) = isExchanged ? (second, first) : (first, second)
    for (path, name) in [(left, names.right), (right, names.left)]
    where !isSame && path.names.first == name && path.names.count > 1 {
      throw QueryPredicateError(
        .invalidQuery,
        "both sides of the relation are geometries of '\(name)'; a join relates the "
          + "geometries of two objects", span: path.span)
    }
    self.init(
      Self.without(names.left, left), isExchanged ? relation.kind.exchanged : relation.kind,
      Self.without(names.right, right), edges: relation.edges)
  }

  private static func without(_ name: String, _ path: PropertyPath) -> PropertyPath {
    guard path.names.first == name, path.steps.count > 1 else { return path }
    return PropertyPath(steps: Array(path.steps.dropFirst()))
  }
}
