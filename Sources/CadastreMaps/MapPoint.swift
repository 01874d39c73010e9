/// A place on a map, in degrees.
package struct MapPoint: Hashable, Sendable {
  /// East of Greenwich, from -180 to 180; more where a ring goes on past the antimeridian.
  package var longitude: Double
  /// North of the equator, from -90 to 90.
  package var latitude: Double

  /// States a place.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  /// The same place, its longitude within 180 degrees of another's.
  func turned(near other: MapPoint) -> MapPoint {
    let turns = ((other.longitude - longitude) / 360).rounded()
    return MapPoint(longitude: longitude + turns * 360, latitude: latitude)
  }
}

/// A closed line on a map.
struct MapRing: Sendable {
  /// The corners in order; the last is joined to the first.
  let corners: [MapPoint]
  let longitudes: ClosedRange<Double>
  let latitudes: ClosedRange<Double>

  /// Makes a ring whose corners are taken as they are; nil without a finite corner.
  init?(_ points: [MapPoint]) {
    let corners = points.filter { $0.longitude.isFinite && $0.latitude.isFinite }
    guard let first = corners.first else { return nil }
    var (west, east) = (first.longitude, first.longitude)
    var (south, north) = (first.latitude, first.latitude)
    for corner in corners {
      (west, east) = (min(west, corner.longitude), max(east, corner.longitude))
      (south, north) = (min(south, corner.latitude), max(north, corner.latitude))
    }
    self.corners = corners
    longitudes = west...east
    latitudes = south...north
  }

  /// Makes a ring that goes the short way from corner to corner, also past the antimeridian.
  ///
  /// A ring that goes around a pole is led along it, so that the cap is inside.
  init?(joiningTheShortWay points: [MapPoint]) {
    var corners: [MapPoint] = []
    for point in points where point.longitude.isFinite && point.latitude.isFinite {
      corners.append(corners.last.map { point.turned(near: $0) } ?? point)
    }
    if let first = corners.first, let last = corners.last {
      let closing = first.turned(near: last)
      if abs(closing.longitude - first.longitude) > 180 {
        let pole = corners.lazy.map(\.latitude).reduce(0, +) < 0 ? -90.0 : 90
        corners += [
          closing,
          MapPoint(longitude: closing.longitude, latitude: pole),
          MapPoint(longitude: first.longitude, latitude: pole),
        ]
      }
    }
    self.init(corners)
  }
}
