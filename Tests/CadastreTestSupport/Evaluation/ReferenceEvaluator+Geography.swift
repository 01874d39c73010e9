import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Points in regions, and relations of geometries.
extension ReferenceEvaluator {
  func matches(
    _ subject: any PredicateSubject, _ within: GeoWithin
  ) throws(QueryPredicateError) -> Bool {
    let route = try schema.resolve(within.path, from: root).entered
    if case .value(.geometry) = route.end {
      return try matches(
        subject,
        GeometryRelation(
          .path(within.path), .within, .region(within.shape), edges: within.edges,
          quantifier: within.quantifier))
    }
    guard case .object(let target) = route.end else { return false }
    let points = nodes(route.hops, from: subject)
    if points.isEmpty { return within.quantifier == .none }
    let region: PreparedRegion
    do throws(RegionError) {
      region = try PreparedRegion(within.shape, edges: within.edges)
    } catch {
      throw QueryPredicateError(.invalidArgument, error.description)
    }
    return Self.holds(within.quantifier, points) { point in
      guard case .object(let point, _) = point, let place = Self.place(of: point, target) else {
        return false
      }
      return region.contains(longitude: place.longitude, latitude: place.latitude)
    }
  }

  func matches(
    _ subject: any PredicateSubject, _ relation: GeometryRelation
  ) throws(QueryPredicateError) -> Bool {
    let sides = (
      try geometries(relation.left, subject, relation.edges),
      try geometries(relation.right, subject, relation.edges)
    )
    // Of no geometries, NONE is true and ALL is false.
    if sides.0.isEmpty { return relation.quantifier == .none || relation.kind == .disjoint }
    return Self.holds(relation.quantifier, sides.0) { left in
      guard let left else { return relation.kind == .disjoint }
      if case .objects = relation.right {
        return sides.1.contains { $0.map { Self.holds(relation.kind, left, $0) } ?? false }
      }
      guard let right = sides.1.first ?? nil else { return relation.kind == .disjoint }
      return Self.holds(relation.kind, left, right)
    }
  }

  /// The distances of the left geometries to the right one in metres; none of missing ones.
  func metres(
    _ distance: MeasuredDistance, _ subject: any PredicateSubject
  ) throws(QueryPredicateError) -> [Value] {
    let lefts = try geometries(distance.left, subject, distance.edges)
    guard let right = try geometries(distance.right, subject, distance.edges).first ?? nil else {
      return []
    }
    return lefts.compactMap { left in
      left?.distance(to: right).map { .double($0.asMeters()) }
    }
  }

  /// The geometries of one side; nil for each that is missing.
  private func geometries(
    _ side: GeometryRelation.Side, _ subject: any PredicateSubject, _ edges: EdgeModel
  ) throws(QueryPredicateError) -> [PreparedGeometry?] {
    switch side {
    case .geometry(let geometry): return [PreparedGeometry(geometry, edges: edges)]
    case .region(let shape): return [PreparedGeometry(region: shape, edges: edges)]
    case .objects(let objects):
      guard let target = schema[objects.className] else { return [] }
      let evaluator = ReferenceEvaluator(schema: schema, root: target, primaryKey: primaryKey)
      var found: [PreparedGeometry?] = []
      for object in subject.objects(of: objects.className)
      where try evaluator.matches(object, objects.predicate) {
        found += try evaluator.geometries(.path(objects.path), object, edges)
      }
      return found
    case .path(let path):
      let route = try schema.resolve(path, from: root).entered
      return nodes(route.hops, from: subject).map { node in
        if case .object(let object, _) = node, case .object(let target) = route.end {
          return Self.place(of: object, target).flatMap {
            GeoPoint(latitude: $0.latitude, longitude: $0.longitude)
          }.map { PreparedGeometry(Geometry($0), edges: edges) }
        }
        guard case .geometry(let geometry) = value(of: node) else { return nil }
        return PreparedGeometry(geometry, edges: edges)
      }
    }
  }

  /// Longitude and latitude of an embedded point; nil where it does not hold a valid one.
  private static func place(
    of point: any PredicateSubject, _ schema: ObjectSchema
  ) -> (longitude: Double, latitude: Double)? {
    guard let type = schema[ObjectSchema.pointTypeName],
      let coordinates = schema[ObjectSchema.pointCoordinatesName],
      case .string(let name) = point.value(of: type)
    else { return nil }
    let numbers = point.elements(of: coordinates).compactMap(\.doubleValue)
    guard name.lowercased() == "point", numbers.count >= 2, (-180...180).contains(numbers[0]),
      (-90...90).contains(numbers[1])
    else { return nil }
    return (numbers[0], numbers[1])
  }

  /// Whether two geometries that exist are in a relation.
  ///
  /// CadastreGeometry decides: its relations are compared with S2 and GEOS elsewhere.
  private static func holds(
    _ kind: GeometryRelation.Kind, _ left: PreparedGeometry, _ right: PreparedGeometry
  ) -> Bool {
    switch kind {
    case .intersects: left.intersects(right)
    case .disjoint: !left.intersects(right)
    case .within: right.covers(left)
    case .contains: left.covers(right)
    case .equals: left.equals(right)
    case .touches: isPlanar(left, right) { try $0.touches($1) }
    case .crosses: isPlanar(left, right) { try $0.crosses($1) }
    case .overlaps: isPlanar(left, right) { try $0.overlaps($1) }
    case .distance(let operation, let limit):
      switch (operation, left.distance(to: right)) {
      case (_, nil): false
      case (.less, let distance?): distance < limit
      case (.lessOrEqual, let distance?): distance <= limit
      case (.greater, let distance?): distance > limit
      case (_, let distance?): distance >= limit
      }
    }
  }

  /// Whether GEOS finds a relation; a circle and an invalid geometry are in none.
  private static func isPlanar(
    _ left: PreparedGeometry, _ right: PreparedGeometry,
    _ relation: (Geometry, Geometry) throws -> Bool
  ) -> Bool {
    guard let left = left.geometry, let right = right.geometry else { return false }
    return (try? relation(left, right)) ?? false
  }
}
