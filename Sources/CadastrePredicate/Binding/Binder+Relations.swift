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
      guard let second = try side(right, relation).constant,
        let first = try side(left, relation).constant
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
    let left = try geometries(at: path)
    guard relation.quantifier == .any || Comparand(left.entered, span: path.span).isToMany else {
      throw Self.quantifierError(path)
    }
    let side: BoundRelation.Side
    if case .path(let path) = right {
      let path = try geometries(at: path, .invalidArgument)
      guard path.isSingleValue else {
        throw QueryPredicateError(
          .invalidQuery,
          "'\(path)' leads to several geometries; only one can be on the right of a "
            + "relation", span: path.path.span)
      }
      side = .path(path)
    } else {
      side = try self.side(right, relation)
    }
    return .relation(
      BoundRelation(
        left, kind, side, edges: relation.edges, quantifier: relation.quantifier))
  }

  private func side(
    _ side: GeometryRelation.Side, _ relation: GeometryRelation
  ) throws(QueryPredicateError) -> BoundRelation.Side {
    switch side {
    case .path(let path): return .path(try geometries(at: path))
    case .objects(let objects): return .objects(try bind(objects))
    case .geometry(let geometry):
      return .geometry(
        PreparedConstant(geometry, PreparedGeometry(geometry, edges: relation.edges)))
    case .region(let shape):
      do throws(RegionError) {
        // The rules for regions are those of GEOWITHIN.
        _ = try PreparedRegions.region(shape, edges: relation.edges)
      } catch {
        throw QueryPredicateError(.invalidArgument, error.description)
      }
      return .region(
        PreparedConstant(shape, PreparedGeometry(region: shape, edges: relation.edges)))
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
    let binder = Binder(schema: schema, root: target)
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
