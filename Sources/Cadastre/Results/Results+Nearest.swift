public import CadastreGeometry
import CadastreModel
import CadastrePlanner

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
    let schema = answer.core.schema
    let places = schema[answer.query.className]?.properties.filter(schema.isPoint) ?? []
    guard let place = places.first, places.count == 1 else {
      Misuse.stop(
        "'\(answer.query.className)' has \(places.count) properties that are places: name one, as in "
          + "sorted(byDistanceFrom: point, of: \\.location).")
    }
    return sorted(byDistanceFrom: point, path: PropertyPath([place.name]))
  }

  /// The objects nearest to a place, nearest first.
  ///
  /// - Complexity: O(log n) an object through the spatial index, as long as most objects match.
  public func nearest(_ count: Int, to point: GeoPoint) -> Results {
    sorted(byDistanceFrom: point).limit(count)
  }

  private func sorted(byDistanceFrom point: GeoPoint, path: PropertyPath) -> Results {
    Results(answer.sorted([SortKey(distanceOf: path, from: point)]))
  }
}
