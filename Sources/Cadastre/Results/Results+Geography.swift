public import CadastreGeometry
import CadastreModel
public import CadastrePredicate
import CadastreQuery

extension Results where Element: ObjectBase {
  /// Returns the objects by ascending distance from a point; objects without a location are last.
  ///
  /// - Parameters:
  ///   - point: The point from which distances are measured, along the sphere.
  ///   - keyPath: An embedded object in the shape of a GeoJSON point, or a geometry, whose nearest point is
  ///     used. A collection stops the process.
  /// - Returns: The sorted objects; with a limit, the spatial index is used.
  public func sorted<Property: GeometryProperty>(
    byDistanceFrom point: GeoPoint, of keyPath: KeyPath<Element, Property>
  ) -> Results {
    sorted(byDistanceFrom: point, path: PropertyPath([PropertyNames.name(of: keyPath)]))
  }

  /// Returns the objects by ascending distance from a point, for a class with one geographic property.
  public func sorted(byDistanceFrom point: GeoPoint) -> Results {
    sorted(
      byDistanceFrom: point,
      path: onlyGeographicProperty("sorted(byDistanceFrom: point, of: \\.location)"))
  }

  /// Returns the objects nearest to a point, nearest first.
  ///
  /// A negative number stops the process; for numbers from outside see ``nearest(checking:to:)``.
  ///
  /// - Complexity: O(log n) per object with the spatial index, if most objects match.
  public func nearest(_ count: Int, to point: GeoPoint) -> Results {
    sorted(byDistanceFrom: point).limit(count)
  }

  /// Returns the objects nearest to a point, nearest first, for a class with several point
  /// properties.
  public func nearest<Property: GeometryProperty>(
    _ count: Int, to point: GeoPoint, of keyPath: KeyPath<Element, Property>
  ) -> Results {
    sorted(byDistanceFrom: point, of: keyPath).limit(count)
  }

  /// Returns the objects nearest to a point, nearest first; the number may come from outside the
  /// program.
  ///
  /// - Throws: `QueryPredicateError` for a negative number.
  public func nearest(
    checking count: Int, to point: GeoPoint
  ) throws(QueryPredicateError) -> Results {
    try sorted(byDistanceFrom: point).limit(checking: count)
  }

  /// Returns the objects nearest to a point, nearest first, for a class with several point
  /// properties; the number may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a negative number.
  public func nearest<Property: GeometryProperty>(
    checking count: Int, to point: GeoPoint, of keyPath: KeyPath<Element, Property>
  ) throws(QueryPredicateError) -> Results {
    try sorted(byDistanceFrom: point, of: keyPath).limit(checking: count)
  }

  /// Returns the objects within a distance of a point, for a class with one point property.
  ///
  /// Objects at exactly the distance are included.
  public func within(_ distance: Distance, of point: GeoPoint) -> Results {
    let path = onlyGeographicProperty("where { $0.location.within(distance, of: point) }")
    let circle = GeoCircle(center: point, radius: distance)
    return ProgrammingError.orStop { () throws(QueryPredicateError) in
      try filter(.geoWithin(GeoWithin(path, .circle(circle))))
    }
  }

  private func sorted(byDistanceFrom point: GeoPoint, path: PropertyPath) -> Results {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      Results(try queryResult.sorted([SortKey(path, by: .distance(from: point))]))
    }
  }

  // MARK: Distances

  /// Returns the objects with their distances from a point, in the order of the results.
  ///
  ///     for (airport, distance) in airports.nearest(10, to: paris).withDistances(from: paris) {
  ///       print(airport.name, distance?.asMeters() ?? .nan)
  ///     }
  ///
  /// - Parameters:
  ///   - point: The point from which distances are measured, along the sphere.
  ///   - keyPath: An embedded object in the shape of a GeoJSON point, or a geometry.
  /// - Returns: The distance of each object; nil for an object without a location.
  /// - Complexity: O(n); reads a row for each object.
  public func withDistances<Property: GeometryProperty>(
    from point: GeoPoint, of keyPath: KeyPath<Element, Property>
  ) -> [(object: Element, distance: Distance?)] {
    withDistances(from: point, path: PropertyPath([PropertyNames.name(of: keyPath)]))
  }

  /// Returns the objects with their distances from a point, for a class with one point property.
  public func withDistances(
    from point: GeoPoint
  ) -> [(object: Element, distance: Distance?)] {
    withDistances(
      from: point, path: onlyGeographicProperty("withDistances(from: point, of: \\.location)"))
  }

  private func withDistances(
    from point: GeoPoint, path: PropertyPath
  ) -> [(object: Element, distance: Distance?)] {
    let angles = queryResult.read(or: []) {
      try $0.session().angles($0.keys, of: $0.query.className, at: path, from: point)
    }
    return zip(self, angles).map { object, angle in
      (object, angle.flatMap { Distance.radians($0) })
    }
  }

  /// Returns the only point property, or the only geometry property of a class without points; a class
  /// without exactly one stops the process.
  private func onlyGeographicProperty(_ instead: String) -> PropertyPath {
    let schema = queryResult.core.schema
    let properties = schema[queryResult.query.className]?.properties ?? []
    let points = properties.filter(schema.isPoint)
    let candidates =
      points.isEmpty
      ? properties.filter { $0.type == .geometry && $0.collection == nil } : points
    guard let place = candidates.first, candidates.count == 1 else {
      ProgrammingError.stop(
        "'\(queryResult.query.className)' has \(candidates.count) geographic properties: name one, as in "
          + "\(instead).")
    }
    return PropertyPath([place.name])
  }
}

/// The geometries of the objects of a result; a relation holds if it holds for at least one of them.
public struct ResultGeometries: GeometryOperand {
  /// The geometries as a side of a relation.
  public let relationSide: GeometryRelation.Side
}

extension Results where Element: ObjectBase {
  /// Returns the geometries of the objects, for a relation to any of them.
  ///
  ///     let parks = realm.objects(Park.self).where { $0.isOpen }
  ///     realm.objects(Tree.self).where { $0.location.geoWithin(parks.any(of: \.border)) }
  ///
  /// The query uses the matching objects at its execution, and its result depends on them. It is evaluated in
  /// the Realm of the query. Results with a limit, an order or distinct values, and results of collections,
  /// stop the process.
  ///
  /// - Parameter keyPath: The key path to a geometry, an embedded object in the shape of a GeoJSON point,
  ///   or a collection of them.
  /// - Returns: The geometries, as an argument of `geoWithin`, `geoIntersects` and other relations.
  public func any<Property: GeometryProperty>(
    of keyPath: KeyPath<Element, Property>
  ) -> ResultGeometries {
    guard let query = queryResult.classQuery else {
      ProgrammingError.stop(
        "The geometries of any object in a relation are those of a class and its conditions: take them "
          + "from results without a limit, an order, distinct values, and not from a collection.")
    }
    let path = PropertyPath(PropertyNames.name(of: keyPath))
    return ResultGeometries(
      relationSide: .objects(
        ObjectGeometries(of: query.className, at: path, where: query.predicate.named)))
  }
}
