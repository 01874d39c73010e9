import CadastreGeometry
import CadastreModel

/// Resolves the paths of relations between geometries.
extension Binder {
  func bind(_ relation: GeometryRelation) throws(QueryPredicateError) -> BoundPredicate {
    if case .objects(let objects) = relation.right { try check(relation, objects) }
    if relation.kind == .disjoint {
      var common = relation
      common.kind = .intersects
      return .not(try bind(common))
    }
    guard !relation.kind.isPlanarOnly || relation.edges == .planar else {
      throw Self.planarError(relation.kind)
    }
    switch (relation.left, relation.right) {
    case (.path(let path), let right): return try bind(path, relation, relation.kind, right)
    case (let left, .path(let path)):
      return try bind(path, relation, relation.kind.exchanged, left)
    case (let left, let right):
      if case .objects(let objects) = right {
        throw QueryPredicateError(
          .invalidQuery, "a relation to objects of a class needs a property on its left",
          span: objects.path.span)
      }
      guard let second = try side(right, relation.edges).constant,
        let first = try side(left, relation.edges).constant
      else { return .constant(false) }
      return .constant(relation.kind.holds(first, second))
    }
  }

  /// The error for a relation that is decided in the plane only.
  static func planarError(_ kind: GeometryRelation.Kind) -> QueryPredicateError {
    let word = kind.word?.rawValue ?? "the relation"
    return QueryPredicateError(
      .invalidQuery,
      "\(word) is decided in the plane only; write \(word)[planar], or geo…(…, edges: .planar)")
  }

  private func bind(
    _ path: PropertyPath, _ relation: GeometryRelation, _ kind: GeometryRelation.Kind,
    _ right: GeometryRelation.Side
  ) throws(QueryPredicateError) -> BoundPredicate {
    let (left, side) = try sides(path, right, relation.edges, relation.quantifier)
    return .relation(
      BoundRelation(
        left, kind, side, edges: relation.edges, quantifier: relation.quantifier))
  }

  /// Resolves the sides of a relation or of a distance; the left one is a path.
  func sides(
    _ path: PropertyPath, _ right: GeometryRelation.Side, _ edges: EdgeModel,
    _ quantifier: Quantifier
  ) throws(QueryPredicateError) -> (BoundPath, BoundRelation.Side) {
    let left = try geometries(at: path)
    guard quantifier == .any || Comparand(left.entered, span: path.span).isToMany else {
      throw Self.quantifierError(path)
    }
    guard case .path(let path) = right else { return (left, try side(right, edges)) }
    let other = try geometries(at: path, .invalidArgument)
    guard other.isSingleValue else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(path)' leads to several geometries; only one can be on the right of a relation",
        span: path.span)
    }
    return (left, .path(other))
  }

  private func side(
    _ side: GeometryRelation.Side, _ edges: EdgeModel
  ) throws(QueryPredicateError) -> BoundRelation.Side {
    switch side {
    case .path(let path): return .path(try geometries(at: path))
    case .objects(let objects): return .objects(try bind(objects))
    case .geometry(let geometry):
      return .geometry(
        PreparedConstant(geometry, PreparedGeometry(geometry, edges: edges)))
    case .region(let shape):
      do throws(RegionError) {
        // The rules for regions are those of GEOWITHIN.
        _ = try PreparedRegions.region(shape, edges: edges)
      } catch {
        throw QueryPredicateError(.invalidArgument, error.description)
      }
      return .region(
        PreparedConstant(shape, PreparedGeometry(region: shape, edges: edges)))
    }
  }

  /// Refuses relations to objects of a class that would hold for almost every pair.
  private func check(
    _ relation: GeometryRelation, _ objects: ObjectGeometries
  ) throws(QueryPredicateError) {
    switch relation.kind {
    case .disjoint, .distance(.greater, _), .distance(.greaterOrEqual, _):
      throw QueryPredicateError(
        .invalidQuery,
        "a relation to any object of '\(objects.className)' cannot be that it is disjoint or far; "
          + "negate one that it intersects or is near: NOT … GEOINTERSECTS ANY …",
        span: objects.path.span)
    default: break
    }
  }

  private func bind(
    _ objects: ObjectGeometries
  ) throws(QueryPredicateError) -> BoundObjectGeometries {
    let target = try schema.queriedClass(objects.className)
    let binder = Binder(schema: schema, root: target, at: now)
    return BoundObjectGeometries(
      of: target.className, at: try binder.geometries(at: objects.path),
      where: try binder.bind(objects.predicate))
  }

  /// Resolves a path that must lead to geometries or embedded points.
  func geometries(
    at path: PropertyPath, _ kind: QueryPredicateError.Kind = .invalidQuery
  ) throws(QueryPredicateError) -> BoundPath {
    let bound = try resolve(path)
    switch bound.entered.end {
    case .value(.geometry), .value(.any): return bound
    case .object(let target) where target.isPointShaped: return bound
    default:
      throw QueryPredicateError(
        kind,
        "'\(path)' is of type \(bound.endDescription); a relation needs a geometry or an embedded "
          + "object in the shape of a GeoJSON point", span: path.span)
    }
  }
}
