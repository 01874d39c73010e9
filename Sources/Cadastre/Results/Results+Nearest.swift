public import CadastreGeometry
import CadastreModel
import CadastrePlanner
import CadastrePredicate

extension Results where Element: ObjectBase {
  /// The objects by their distance from a place, nearest first; those at no place come last.
  ///
  /// - Parameters:
  ///   - point: Where distances are measured from, on the sphere.
  ///   - keyPath: The embedded object in the shape of a GeoJSON point.
  /// - Returns: The same objects; with a limit, found through the spatial index.
  public func sorted<Point: EmbeddedObject>(
    byDistanceFrom point: GeoPoint, of keyPath: KeyPath<Element, Point?>
  ) -> Results {
    sorted(byDistanceFrom: point, path: PropertyPath([PropertyNames.name(of: keyPath)]))
  }

  /// The objects by their distance from a place, for a class with one property that is a place.
  public func sorted(byDistanceFrom point: GeoPoint) -> Results {
    sorted(byDistanceFrom: point, path: onlyPlace("sorted(byDistanceFrom: point, of: \\.location)"))
  }

  /// The objects nearest to a place, nearest first.
  ///
  /// - Complexity: O(log n) an object through the spatial index, as long as most objects match.
  public func nearest(_ count: Int, to point: GeoPoint) -> Results {
    sorted(byDistanceFrom: point).limit(count)
  }

  /// The objects nearest to a place, nearest first, for a class with several properties that are places.
  public func nearest<Point: EmbeddedObject>(
    _ count: Int, to point: GeoPoint, of keyPath: KeyPath<Element, Point?>
  ) -> Results {
    sorted(byDistanceFrom: point, of: keyPath).limit(count)
  }

  /// The objects no further than a distance from a place, for a class with one property that is a place.
  ///
  /// What is exactly so far away belongs to them.
  public func within(_ distance: Distance, of point: GeoPoint) -> Results {
    let path = onlyPlace("where { $0.location.within(distance, of: point) }")
    let circle = GeoCircle(center: point, radius: distance)
    return Misuse.orStop { () throws(QueryPredicateError) in
      try filter(.geoWithin(GeoWithin(path, .circle(circle))))
    }
  }

  private func sorted(byDistanceFrom point: GeoPoint, path: PropertyPath) -> Results {
    Results(queryResult.sorted([SortKey(distanceOf: path, from: point)]))
  }

  // MARK: Distances

  /// The objects beside their distances from a place, in the order of the results.
  ///
  ///     for (airport, distance) in airports.nearest(10, to: paris).withDistances(from: paris) {
  ///       print(airport.name, distance?.asMeters() ?? .nan)
  ///     }
  ///
  /// - Parameters:
  ///   - point: Where distances are measured from, on the sphere.
  ///   - keyPath: The embedded object in the shape of a GeoJSON point.
  /// - Returns: A distance for each object; nil for one that is at no place.
  /// - Complexity: O(n), a row read for each object.
  public func withDistances<Point: EmbeddedObject>(
    from point: GeoPoint, of keyPath: KeyPath<Element, Point?>
  ) -> [(object: Element, distance: Distance?)] {
    withDistances(from: point, path: PropertyPath([PropertyNames.name(of: keyPath)]))
  }

  /// The objects beside their distances from a place, for a class with one property that is a place.
  public func withDistances(
    from point: GeoPoint
  ) -> [(object: Element, distance: Distance?)] {
    withDistances(from: point, path: onlyPlace("withDistances(from: point, of: \\.location)"))
  }

  private func withDistances(
    from point: GeoPoint, path: PropertyPath
  ) -> [(object: Element, distance: Distance?)] {
    let angles = queryResult.angles(from: point, at: path)
    return zip(self, angles).map { object, angle in
      (object, angle.flatMap { Distance.radians($0) })
    }
  }

  /// The one property that is a place; none or several stop the process with a way to name one.
  private func onlyPlace(_ instead: String) -> PropertyPath {
    let schema = queryResult.core.schema
    let places = schema[queryResult.query.className]?.properties.filter(schema.isPoint) ?? []
    guard let place = places.first, places.count == 1 else {
      Misuse.stop(
        "'\(queryResult.query.className)' has \(places.count) properties that are places: name one, as in "
          + "\(instead).")
    }
    return PropertyPath([place.name])
  }
}
