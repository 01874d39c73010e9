/// A geometry of an object: the coordinates of a point, or another geometry prepared for relations.
///
/// Relations between points need no preparation, which saves time and memory in joins.
package enum LocatedGeometry: Sendable {
  /// A point, in degrees.
  case point(longitude: Double, latitude: Double)
  /// A geometry that is not a single point.
  case shape(PreparedGeometry)

  /// Prepares a geometry, unless it is a point; nil if it is empty.
  ///
  /// - Parameters:
  ///   - geometry: The geometry.
  ///   - edges: How the edges run between positions.
  package init?(_ geometry: Geometry, edges: EdgeModel) {
    guard !geometry.isEmpty else { return nil }
    if let point = geometry.point {
      self = .point(longitude: point.longitude, latitude: point.latitude)
    } else {
      self = .shape(PreparedGeometry(geometry, edges: edges))
    }
  }

  /// Creates a point; nil if a coordinate is out of range or NaN.
  package init?(longitude: Double, latitude: Double) {
    guard CoordinateRange.contains(longitude: longitude, latitude: latitude) else { return nil }
    self = .point(longitude: longitude, latitude: latitude)
  }

  /// The point; nil for other geometries.
  package var point: GeoPoint? {
    guard case .point(let longitude, let latitude) = self else { return nil }
    return GeoPoint(uncheckedLatitude: latitude, longitude: longitude, altitude: 0)
  }

  /// The position on a Z-order curve: near geometries have near positions.
  package var positionOnCurve: UInt64 { envelopes.first?.positionOnCurve ?? 0 }

  /// The number of positions.
  package var positionCount: Int {
    if case .shape(let shape) = self { shape.geometry?.positionCount ?? 1 } else { 1 }
  }

  /// Returns the geometry prepared for relations.
  ///
  /// - Parameter edges: How the edges run between positions.
  /// - Returns: The prepared geometry.
  package func prepared(_ edges: EdgeModel) -> PreparedGeometry {
    switch self {
    case .point: PreparedGeometry(point.map { Geometry($0) } ?? Geometry(), edges: edges)
    case .shape(let shape): shape
    }
  }

  /// Returns whether two geometries have a common point.
  ///
  /// - Parameters:
  ///   - other: The other geometry, prepared for the same model of edges.
  ///   - edges: How the edges run between positions.
  /// - Returns: True also if the only common point is on both borders.
  package func intersects(_ other: LocatedGeometry, edges: EdgeModel) -> Bool {
    switch (self, other) {
    case (.point(let longitude, let latitude), .point(let otherLongitude, let otherLatitude)):
      let (first, second) = (
        Vertex(longitude: longitude, latitude: latitude),
        Vertex(longitude: otherLongitude, latitude: otherLatitude)
      )
      return first.canonical(edges) == second.canonical(edges)
    case (.point(let longitude, let latitude), .shape(let shape)),
      (.shape(let shape), .point(let longitude, let latitude)):
      return shape.covers(longitude: longitude, latitude: latitude)
    case (.shape(let first), .shape(let second)): return first.intersects(second)
    }
  }

  /// Returns the least distance to another geometry; 0 if they intersect.
  ///
  /// - Parameters:
  ///   - other: The other geometry, prepared for the same model of edges.
  ///   - edges: How the edges run between positions.
  /// - Returns: The distance along the sphere; infinite if one of them is empty.
  package func distance(to other: LocatedGeometry, edges: EdgeModel) -> Distance {
    if let point, let other = other.point { return point.distance(to: other) }
    return prepared(edges).distance(to: other.prepared(edges)) ?? .greatest
  }

  /// Envelopes whose union contains the geometry, with all longitudes of points at ±180° and at the poles.
  package var envelopes: [Envelope] {
    switch self {
    case .point(let longitude, let latitude):
      return Vertex(longitude: longitude, latitude: latitude).envelopes
    case .shape(let shape): return shape.envelopes.flatMap(\.alternatives)
    }
  }

  /// Returns envelopes that contain all points within a distance of the geometry.
  ///
  /// - Parameter distance: The distance.
  /// - Returns: One or more envelopes.
  package func envelopes(within distance: Distance) -> [Envelope] {
    envelopes.flatMap { $0.expanded(by: distance.radians) }
  }
}

extension LocatedGeometry {
  /// A circle around the geometry, with its radius in radians.
  var circle: (center: Vertex, radius: Double) {
    guard case .shape(let shape) = self else {
      let envelope = envelopes[0]
      return (Vertex(longitude: envelope.west, latitude: envelope.south), 0)
    }
    guard let bounds = shape.bounds else { return (Vertex(longitude: 0, latitude: 0), .pi) }
    return bounds.circle
  }
}

extension Envelope {
  /// The envelope, and its points at ±180° and at the poles with their other longitudes.
  fileprivate var alternatives: [Envelope] {
    var envelopes = [self]
    if east >= 180 { envelopes.append(meridian(-180)) }
    if west <= -180 { envelopes.append(meridian(180)) }
    if north >= 90 { envelopes.append(parallel(90)) }
    if south <= -90 { envelopes.append(parallel(-90)) }
    return envelopes
  }

  private func meridian(_ longitude: Double) -> Envelope {
    var envelope = self
    (envelope.west, envelope.east) = (longitude, longitude)
    return envelope
  }

  private func parallel(_ latitude: Double) -> Envelope {
    var envelope = Envelope.world
    (envelope.south, envelope.north) = (latitude, latitude)
    return envelope
  }

  /// Returns envelopes of all points within an angle of this envelope.
  ///
  /// A circle of radius r around a point at latitude φ has the half width asin(sin r / cos φ) in
  /// longitude, which is greatest at the latitude nearest to a pole.
  func expanded(by angle: Double) -> [Envelope] {
    let reach = angle / radiansPerDegree * (1 + 1e-9) + 1e-9
    var envelope = self
    envelope.south = max(-90, south - reach)
    envelope.north = min(90, north + reach)
    let greatest = max(abs(south), abs(north))
    envelope.west = -180
    envelope.east = 180
    guard greatest + reach < 90 else { return [envelope] }
    let width =
      arcSine(sine(angle) / cosine(latitude: greatest)) / radiansPerDegree * (1 + 1e-9) + 1e-9
    guard east - west + 2 * width < 360 else { return [envelope] }
    envelope.west = west - width
    envelope.east = east + width
    return envelope.wrapped
  }
}
