import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows of whose points as many as are wanted lie in a region.
struct PlacesFilter: BatchFilter {
  let points: PathValues
  let region: PreparedRegion
  let quantifier: Quantifier

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) throws -> [Int32] {
    var found: [Int32] = []
    for row in rows where try matches(batch.key(Int(row))) { found.append(row) }
    return found
  }

  private func matches(_ key: Int64) throws -> Bool {
    let places = try points.places(key)
    // Of no points at all, none lies there, and not all do.
    if places.isEmpty { return quantifier == .none }
    return try quantifier.holds(places) { (place) throws in try isInside(place) }
  }

  private func isInside(_ place: Place) throws -> Bool {
    guard case .object(let object) = place, let point = object.point, let row = try object.row(),
      let longitude = row[point.longitude].doubleValue,
      let latitude = row[point.latitude].doubleValue
    else { return false }
    return region.contains(longitude: longitude, latitude: latitude)
  }
}
