import CadastreGeometry
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore

/// The distance of objects from a place, as a column of their own.
struct DistanceColumn {
  /// The column's name; one that no property has.
  let path: PropertyPath
  /// Puts the nearest objects first.
  let sortKey: SortKey
  private let origin: GeoPoint

  /// Measures from a place to the one property of a class that is a place.
  init(
    _ origin: GeoPoint, _ className: String, _ schema: Schema
  ) throws(QueryPredicateError) {
    let places = schema[className]?.properties.filter(schema.isPoint) ?? []
    guard let place = places.first else {
      throw QueryPredicateError(.sort, "class '\(className)' has no property that is a place")
    }
    self.origin = origin
    path = PropertyPath([schema[className]?["distance"] == nil ? "distance" : "#distance"])
    sortKey = SortKey(distanceOf: PropertyPath([place.name]), from: origin)
  }

  /// The record with the distance in metres, to the millimetre; null where it is at no place.
  func added(to record: StoredRecord) -> StoredRecord {
    var record = record
    var distance = Value.null
    if case .point(let content) = record.content(sortKey.path),
      let place = PointShape.location(type: content.type, coordinates: content.coordinates),
      let point = GeoPoint(latitude: place.latitude, longitude: place.longitude)
    {
      distance = .double((origin.distance(to: point).asMeters() * 1000).rounded() / 1000)
    }
    record.fields.append((path.names[0], .value(distance)))
    return record
  }
}
