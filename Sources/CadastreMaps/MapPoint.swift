package import CadastreGeometry

/// A point on a map, in degrees; unlike `GeoPoint` it may be outside the range of valid
/// coordinates.
package struct MapPoint: Hashable, Sendable {
  /// Degrees east of Greenwich, from -180 to 180; outside that range in rings that continue across
  /// the antimeridian.
  package var longitude: Double
  /// Degrees north of the equator, from -90 to 90.
  package var latitude: Double

  /// Creates a point from coordinates in degrees.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  /// Creates a point from a valid location.
  package init(_ point: GeoPoint) {
    self.init(longitude: point.longitude, latitude: point.latitude)
  }

  /// Whether the coordinates are a location on Earth.
  var isValid: Bool { longitude.isFinite && abs(latitude) <= 90 }

  /// Returns the same point with its longitude within 180 degrees of another point's.
  func shifted(near other: MapPoint) -> MapPoint {
    let turns = ((other.longitude - longitude) / 360).rounded()
    return MapPoint(longitude: longitude + turns * 360, latitude: latitude)
  }
}

/// A closed line on a map, and its bounding box.
struct MapRing: Sendable {
  /// The corners in order; the last is joined to the first.
  let corners: [MapPoint]
  /// The range of longitudes, in degrees.
  let longitudes: ClosedRange<Double>
  /// The range of latitudes, in degrees.
  let latitudes: ClosedRange<Double>

  /// Creates a ring from corners; nil if no corner is finite.
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

  /// Creates a ring whose edges span at most 180 degrees of longitude, if need be across the
  /// antimeridian; nil if no corner is finite.
  ///
  /// A ring around a pole gets two corners at the pole, so that the polar cap is inside.
  init?(withShortEdges points: [MapPoint]) {
    var corners = Self.unrolled(points)
    if let first = corners.first, let last = corners.last {
      let closing = first.shifted(near: last)
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

  /// Creates an open line whose edges span at most 180 degrees of longitude, if need be across ±180°;
  /// nil if no position is finite.
  init?(unrolled points: [MapPoint]) { self.init(Self.unrolled(points)) }

  /// Returns the finite points, each with its longitude within 180 degrees of the preceding one.
  private static func unrolled(_ points: [MapPoint]) -> [MapPoint] {
    var corners: [MapPoint] = []
    for point in points where point.longitude.isFinite && point.latitude.isFinite {
      corners.append(corners.last.map { point.shifted(near: $0) } ?? point)
    }
    return corners
  }
}
