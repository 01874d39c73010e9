/// Measures on the sphere with the radius ``Distance/earthRadiusMeters``, with great-circle edges.
extension Geometry {
  /// The length of the lines in metres; 0 without lines.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var length: Double {
    parts.lines.reduce(0) { $0 + Self.length($1.map(\.vertex)) } * Distance.earthRadiusMeters
  }

  /// The length of the rings of the polygons in metres, holes included; 0 without polygons.
  ///
  /// The parts of ±180° that a band of latitudes or a polar cap follows in both directions do not count.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var perimeter: Double {
    parts.polygons.reduce(0) { sum, rings in
      rings.reduce(sum) { $0 + Self.length(of: RingCourse($1.map(\.vertex))) }
    } * Distance.earthRadiusMeters
  }

  /// The area of the polygons in square metres, without their holes; 0 without polygons.
  ///
  /// The interior of a ring is its smaller side, unless it has an edge of 360° of longitude. Overlapping
  /// polygons count twice. The relative error is about 1e-12 for rings of a kilometre and more.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var area: Double {
    parts.polygons.reduce(0) { sum, rings in
      let areas = rings.map { SphericalArea.area(of: RingCourse($0.map(\.vertex))) }
      return sum + max(0, areas[0] - areas.dropFirst().reduce(0, +))
    } * Distance.earthRadiusMeters * Distance.earthRadiusMeters
  }

  /// The mean of the points of the parts with the greatest dimension; nil if the geometry is empty or its
  /// points balance each other.
  ///
  /// The mean of the directions, weighted by length or area, is projected to the sphere. The error is
  /// below a tenth of a millimetre, except for slivers.
  ///
  /// Source: S2, "s2centroids.h", for the integrals over edges.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var centroid: GeoPoint? {
    let parts = parts
    var sum = UnitVector(x: 0, y: 0, z: 0)
    // The magnitude of the sum without cancellation.
    let size: Double
    if !parts.polygons.isEmpty {
      for rings in parts.polygons {
        for (index, ring) in rings.enumerated() {
          let moment = SphericalArea.moment(of: RingCourse(ring.map(\.vertex)))
          sum = index == 0 ? sum + moment : sum - moment
        }
      }
      let extent = perimeter / Distance.earthRadiusMeters
      size = extent * extent
    } else if !parts.lines.isEmpty {
      for line in parts.lines.map({ $0.map(\.vertex) }) {
        for parallel in line.wholeParallels {
          sum.z += parallel.length * sine(latitude: parallel.latitude)
        }
        let vertices = line.onSphere
        for (start, end) in zip(vertices, vertices.dropFirst()) {
          let (from, to) = (start.unitVector, end.unitVector)
          let middle = from + to
          guard middle.length > 0 else { continue }
          // The integral of the direction along the edge.
          let weight = 2 * sine(start.angle(to: end) / 2) / middle.length
          sum = sum + middle * weight
        }
      }
      size = length / Distance.earthRadiusMeters
    } else {
      for point in parts.points { sum = sum + point.direction }
      size = Double(parts.points.count)
    }
    guard let mean = sum.normalized, sum.length > size * 1e-15 else { return nil }
    return GeoPoint(latitude: mean.latitude, longitude: mean.longitude)
  }

  /// Returns the smallest box of longitudes and latitudes, which may cross ±180°; nil for an empty geometry.
  ///
  /// With spherical edges the box contains the bulges of great circles, and the poles in the geometry.
  ///
  /// - Parameter edges: How the edges run between positions.
  /// - Returns: The box from its south-western to its north-eastern corner.
  /// - Complexity: O(n log n) in the number of positions.
  public func boundingBox(edges: EdgeModel = .spherical) -> GeoBox? {
    let envelopes = PreparedGeometry(self, edges: edges).envelopes
    guard var bounds = Envelope.bounds(of: envelopes, wraps: edges == .spherical) else {
      return nil
    }
    removeMargin(of: &bounds)
    return GeoBox(
      bottomLeft: (latitude: bounds.south, longitude: bounds.west),
      topRight: (latitude: bounds.north, longitude: bounds.east))
  }

  /// Moves the sides of a box that are positions but for the margin of the bounds of arcs to these positions.
  private func removeMargin(of box: inout Envelope) {
    let margin = 2 * Arc.latitudeMargin
    var (west, south, east, north): (Double?, Double?, Double?, Double?) = (nil, nil, nil, nil)
    _ = mapPositions { position in
      let (longitude, latitude) = (position.longitude, position.latitude)
      // Of several positions the farthest one counts. A pole is no position of the polygons that contain it.
      if box.south > -90, abs(latitude - box.south) <= margin {
        south = min(south ?? latitude, latitude)
      }
      if box.north < 90, abs(latitude - box.north) <= margin {
        north = max(north ?? latitude, latitude)
      }
      // The margin may lead across ±180°.
      if abs((longitude - box.west).remainder(dividingBy: 360)) <= margin {
        west = abs(longitude) == 180 ? -180 : min(west ?? longitude, longitude)
      }
      if abs((longitude - box.east).remainder(dividingBy: 360)) <= margin {
        east = abs(longitude) == 180 ? 180 : max(east ?? longitude, longitude)
      }
      return position
    }
    box = Envelope(
      west: west ?? box.west, south: south ?? box.south, east: east ?? box.east,
      north: north ?? box.north)
  }

  /// Returns the length of a line as written, in radians.
  private static func length(_ line: [Vertex]) -> Double {
    edgeLength(line) + line.wholeParallels.reduce(0) { $0 + $1.length }
  }

  private static func length(of course: RingCourse) -> Double {
    edgeLength(course.vertices) + course.parallels.reduce(0) { $0 + $1.length }
  }

  private static func edgeLength(_ vertices: [Vertex]) -> Double {
    zip(vertices, vertices.dropFirst()).reduce(0) { $0 + $1.0.angle(to: $1.1) }
  }

  /// An envelope that contains the geometry with edges of either model; nil if the geometry is empty.
  ///
  /// The envelope of a geometry that crosses ±180° has all longitudes.
  ///
  /// - Complexity: O(n) in the number of positions.
  package var indexEnvelope: Envelope? {
    if let point { return Envelope(longitude: point.longitude, latitude: point.latitude) }
    return Envelope.bounds(
      of: EdgeModel.allCases.flatMap { PreparedGeometry(self, edges: $0).envelopes })
  }

  /// The envelope with planar edges; nil if the geometry is empty.
  ///
  /// The envelope of a geometry that crosses ±180° has all longitudes.
  ///
  /// - Complexity: O(n) in the number of positions.
  package var planarEnvelope: Envelope? { PreparedGeometry(self, edges: .planar).bounds }
}
