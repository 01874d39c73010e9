import CadastreGeometry
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore

/// The distance of objects from a point, as an additional column.
struct DistanceColumn {
  /// The name of the column, which differs from all properties.
  let path: PropertyPath
  /// The sort key that orders objects by distance.
  let sortKey: SortKey
  private let origin: GeoPoint

  /// Creates a column with the distance to the first point property of a class.
  init(
    _ origin: GeoPoint, _ className: String, _ schema: Schema
  ) throws(QueryPredicateError) {
    guard let property = schema[className]?.properties.first(where: schema.isPoint) else {
      throw QueryPredicateError(.sort, "class '\(className)' has no point property")
    }
    self.origin = origin
    path = PropertyPath([schema[className]?["distance"] == nil ? "distance" : "#distance"])
    sortKey = SortKey(distanceOf: PropertyPath([property.name]), from: origin)
  }

  /// Returns a record with the distance in metres, rounded to the millimetre; null without a
  /// location.
  func added(to record: StoredRecord) -> StoredRecord {
    var record = record
    var distance = Value.null
    if case .point(let content) = record.content(sortKey.path),
      let location = PointShape.location(type: content.type, coordinates: content.coordinates),
      let point = GeoPoint(latitude: location.latitude, longitude: location.longitude)
    {
      distance = .double((origin.distance(to: point).asMeters() * 1000).rounded() / 1000)
    }
    record.fields.append((path.names[0], .value(distance)))
    return record
  }
}
