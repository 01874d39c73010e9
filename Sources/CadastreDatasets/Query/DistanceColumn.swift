package import CadastreGeometry
package import CadastreModel
import CadastrePlanner
package import CadastrePredicate
import CadastreStore

/// The distance of objects from a point, as an additional column.
package struct DistanceColumn: Sendable {
  /// The name of the column, which differs from all properties.
  package let path: PropertyPath
  /// The sort key that orders objects by distance.
  package let sortKey: SortKey
  private let origin: GeoPoint

  /// Creates a column with the distance to the first point of a class, or to its first geometry.
  package init(
    _ origin: GeoPoint, _ className: String, _ schema: Schema
  ) throws(QueryPredicateError) {
    guard let property = schema[className]?.place(in: schema) else {
      throw QueryPredicateError(.sort, "class '\(className)' has no point and no geometry")
    }
    self.origin = origin
    path = PropertyPath([schema[className]?["distance"] == nil ? "distance" : "#distance"])
    sortKey = SortKey(distanceOf: PropertyPath([property.name]), from: origin)
  }

  /// Returns a record with the distance in metres, rounded to the millimetre; null without a
  /// location.
  package func added(to record: StoredRecord) -> StoredRecord {
    var record = record
    let meters = distance(to: record.content(sortKey.path))?.asMeters()
    let value = meters.map { Value.double(($0 * 1000).rounded() / 1000) } ?? .null
    record.fields.append((path.names[0], .value(value)))
    return record
  }

  private func distance(to content: StoredRecord.Content) -> Distance? {
    switch content {
    case .point(let content):
      PointShape.location(type: content.type, coordinates: content.coordinates).flatMap {
        GeoPoint(latitude: $0.latitude, longitude: $0.longitude)
      }.map { origin.distance(to: $0) }
    case .value(.geometry(let geometry)): geometry.distance(to: Geometry(origin))
    default: nil
    }
  }
}

extension ObjectSchema {
  /// The first point, or the first geometry of a class without a point.
  package func place(in schema: Schema) -> Property? {
    properties.first(where: schema.isPoint)
      ?? properties.first { $0.type == .geometry && $0.collection == nil }
  }
}
