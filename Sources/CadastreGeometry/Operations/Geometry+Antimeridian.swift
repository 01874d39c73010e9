/// The division of geometries at ±180°, for planes in which longitudes do not continue there.
extension Geometry {
  /// Returns the geometry without edges across ±180° as written: lines and polygons are divided there, and a polygon around
  /// a pole gets edges along ±180° to it.
  ///
  /// The new positions are those of the great circles. RFC 7946 describes this form, in section 3.1.9.
  ///
  /// - Returns: The divided geometry; nil where polygons cannot be divided because they contain both poles or neither, or
  ///   have a hole around a pole.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  package func dividedAtAntimeridian() throws(GeometryError) -> Geometry? {
    guard hasEdgeAcrossAntimeridian else { return self }
    switch shape {
    case .point, .multiPoint: return self
    case .lineString(let line): return try Self.divided([line])
    case .multiLineString(let lines): return try Self.divided(lines)
    case .polygon(let rings): return try Self.divided([rings])
    case .multiPolygon(let polygons): return try Self.divided(polygons)
    case .collection(let members):
      var parts: [Geometry] = []
      for member in members {
        guard let part = try member.dividedAtAntimeridian() else { return nil }
        parts.append(part)
      }
      return Geometry(unchecked: .collection(parts))
    }
  }

  private var hasEdgeAcrossAntimeridian: Bool {
    (parts.lines + parts.polygons.joined()).contains { line in
      zip(line, line.dropFirst()).contains { abs($0.longitude - $1.longitude) > 180 }
    }
  }

  private static func divided(_ lines: [[GeoPosition]]) throws(GeometryError) -> Geometry {
    var divided: [[GeoPosition]] = []
    for line in lines {
      let path = ContinuousPath(line)
      for turn in path.turns {
        let image = Geometry(unchecked: .lineString(path.positions))
        divided += try image.part(ofTurn: turn).lines
      }
    }
    return Geometry(
      unchecked: divided.count == 1 ? .lineString(divided[0]) : .multiLineString(divided))
  }

  private static func divided(
    _ polygons: [[[GeoPosition]]]
  ) throws(GeometryError) -> Geometry? {
    var divided: [[[GeoPosition]]] = []
    for rings in polygons where !rings.isEmpty {
      var shell = ContinuousPath(rings[0])
      if shell.turn != 0 {
        guard let closed = ContinuousPath(around: rings) else { return nil }
        shell = closed
      }
      var image = [shell.positions]
      for ring in rings.dropFirst() {
        let hole = ContinuousPath(ring)
        guard hole.turn == 0 else { return nil }
        image.append(hole.shifted(toward: shell).positions)
      }
      for turn in shell.turns {
        divided += try Geometry(unchecked: .polygon(image)).part(ofTurn: turn).polygons
      }
    }
    guard let first = divided.first else { return nil }
    return Geometry(unchecked: divided.count == 1 ? .polygon(first) : .multiPolygon(divided))
  }

  /// Returns the part of an image of continuous longitudes between -180° and 180° of a turn around the Earth.
  private func part(ofTurn turn: Int) throws(GeometryError) -> Parts {
    let middle = ContinuousPath.scaled(360 * Double(turn))
    let (west, east) = (
      middle - ContinuousPath.scaled(180), middle + ContinuousPath.scaled(180)
    )
    let corners = [(west, -90.0), (east, -90), (east, 90), (west, 90), (west, -90)]
    let band = Geometry(
      unchecked: .polygon([
        corners.map { GeoPosition(uncheckedLongitude: $0.0, latitude: $0.1) }
      ]))
    return try intersection(band).mapPositions { position in
      let longitude = ContinuousPath.unscaled(position.longitude - middle)
      return GeoPosition(
        longitude: min(180, max(-180, longitude)), latitude: position.latitude,
        altitude: position.altitude) ?? position
    }.parts
  }
}

/// A line or ring whose longitudes continue across ±180°, with positions where it crosses.
///
/// The longitudes are a quarter of degrees, so that those of two turns around the Earth are in the range of positions.
private struct ContinuousPath {
  /// The positions of the image.
  private(set) var positions: [GeoPosition] = []
  /// The number of times the path leads eastward around the Earth from its start to its end.
  private(set) var turn = 0

  static func scaled(_ longitude: Double) -> Double { longitude / 4 }

  static func unscaled(_ longitude: Double) -> Double { longitude * 4 }

  init(_ line: [GeoPosition]) {
    for (index, position) in line.enumerated() {
      if index > 0 {
        let before = line[index - 1]
        let step = position.longitude - before.longitude
        if abs(step) > 180 {
          let isEastward = step < 0
          let border = 360 * Double(turn) + (isEastward ? 180 : -180)
          add(border, Self.latitude(before, position, at: isEastward ? 180 : -180))
          turn += isEastward ? 1 : -1
        }
      }
      add(position.longitude + 360 * Double(turn), position.latitude, position.altitude)
    }
  }

  /// The turns that contain positions.
  var turns: ClosedRange<Int> {
    let numbers = positions.map { Int((Self.unscaled($0.longitude) / 360).rounded()) }
    return (numbers.min() ?? 0)...(numbers.max() ?? 0)
  }

  private mutating func add(_ longitude: Double, _ latitude: Double, _ altitude: Double? = nil) {
    let position = GeoPosition(
      longitude: Self.scaled(longitude), latitude: latitude, altitude: altitude)
    if let position, position != positions.last { positions.append(position) }
  }

  /// Creates the path of the exterior ring of a polygon around a pole: from ±180° around the Earth, and back along both
  /// sides of that meridian and the pole; nil if the polygon contains both poles or neither.
  init?(around rings: [[GeoPosition]]) {
    let ring = rings[0]
    let poles = [-90.0, 90].filter { latitude in
      Geometry(unchecked: .polygon(rings)).intersects(
        Geometry(unchecked: .point(GeoPosition(uncheckedLongitude: 0, latitude: latitude))))
    }
    let crossing = ring.indices.dropFirst().first {
      abs(ring[$0].longitude - ring[$0 - 1].longitude) > 180
    }
    guard poles.count == 1, let crossing else { return nil }
    let (before, after) = (ring[crossing - 1], ring[crossing])
    let start = after.longitude < before.longitude ? -180.0 : 180
    let latitude = Self.latitude(before, after, at: -start)
    let rest = ContinuousPath(Array(ring[crossing...] + ring[1..<crossing]))
    guard rest.turn == 0 else { return nil }
    add(start, latitude)
    positions += rest.positions.drop { $0 == positions[0] }
    add(-start, latitude)
    add(-start, poles[0])
    add(start, poles[0])
    positions.append(positions[0])
  }

  /// Returns the path a number of turns away, so that its middle is near that of another one.
  func shifted(toward other: ContinuousPath) -> ContinuousPath {
    let shift = Self.scaled(360) * ((other.middle - middle) / Self.scaled(360)).rounded()
    var path = self
    path.positions = positions.map {
      GeoPosition(
        longitude: $0.longitude + shift, latitude: $0.latitude, altitude: $0.altitude) ?? $0
    }
    return path
  }

  private var middle: Double {
    let longitudes = positions.map(\.longitude)
    return ((longitudes.min() ?? 0) + (longitudes.max() ?? 0)) / 2
  }

  /// Returns the latitude at which the great circle between two positions crosses a meridian.
  private static func latitude(
    _ start: GeoPosition, _ end: GeoPosition, at longitude: Double
  ) -> Double {
    if abs(start.latitude) == 90 || abs(end.latitude) == 90 { return start.latitude }
    func tangent(_ degrees: Double) -> Double {
      sine(degrees * radiansPerDegree) / cosine(degrees * radiansPerDegree)
    }
    // The denominator of the formula of two points, sin(λ₂ - λ₁), is no part of the arc tangent.
    let whole = sine((end.longitude - start.longitude) * radiansPerDegree)
    let rise =
      tangent(start.latitude) * sine((end.longitude - longitude) * radiansPerDegree)
      + tangent(end.latitude) * sine((longitude - start.longitude) * radiansPerDegree)
    guard whole != 0 else { return (start.latitude + end.latitude) / 2 }
    return arcTangent(y: rise / whole, x: 1) / radiansPerDegree
  }
}
