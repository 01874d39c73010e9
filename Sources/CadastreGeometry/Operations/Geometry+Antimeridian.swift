/// The division of geometries at ±180°, for planes in which longitudes do not continue there.
extension Geometry {
  /// Returns the geometry without edges across ±180° as written: lines and polygons are divided there, and a polygon around
  /// a pole gets edges along ±180° to it.
  ///
  /// The new positions are those of the great circles. RFC 7946 describes this form, in section 3.1.9.
  ///
  /// - Returns: The divided geometry; nil where a polygon cannot be divided, because it is invalid, a ring around the Earth
  ///   contains both poles or neither, or it leads more than twice around the Earth.
  /// - Complexity: O(n log n) in the number of positions.
  package func dividedAtAntimeridian() -> Geometry? {
    guard hasEdgeAcrossAntimeridian else { return self }
    switch shape {
    case .point, .multiPoint: return self
    case .lineString(let line): return Self.divided([line])
    case .multiLineString(let lines): return Self.divided(lines)
    case .polygon(let rings): return Self.divided([rings])
    case .multiPolygon(let polygons): return Self.divided(polygons)
    case .collection(let members):
      var parts: [Geometry] = []
      for member in members {
        guard let part = member.dividedAtAntimeridian() else { return nil }
        parts.append(part)
      }
      return Geometry(unchecked: .collection(parts))
    }
  }

  private var hasEdgeAcrossAntimeridian: Bool {
    (parts.lines + parts.polygons.joined()).contains { line in
      zip(line, line.dropFirst()).contains { $0.0.crossesAntimeridian(to: $0.1) }
    }
  }

  private static func divided(_ lines: [[GeoPosition]]) -> Geometry {
    var divided: [[GeoPosition]] = []
    for line in lines where !line.isEmpty {
      var piece = [line[0]]
      for (start, end) in zip(line, line.dropFirst()) {
        if start.crossesAntimeridian(to: end) {
          let border = end.longitude < start.longitude ? 180.0 : -180
          let latitude = start.latitudeAtAntimeridian(to: end)
          piece.append(GeoPosition(uncheckedLongitude: border, latitude: latitude))
          if piece[0] != piece[1] || piece.count > 2 { divided.append(piece) }
          piece = [GeoPosition(uncheckedLongitude: -border, latitude: latitude)]
        }
        if piece != [end] { piece.append(end) }
      }
      if piece.count > 1 { divided.append(piece) }
    }
    return Geometry(
      unchecked: divided.count == 1 ? .lineString(divided[0]) : .multiLineString(divided))
  }

  private static func divided(_ polygons: [[[GeoPosition]]]) -> Geometry? {
    var divided: [[[GeoPosition]]] = []
    for rings in polygons where !rings.isEmpty {
      guard let parts = try? dividedPolygon(rings), !parts.isEmpty else { return nil }
      divided += parts
    }
    guard let first = divided.first else { return nil }
    return Geometry(unchecked: divided.count == 1 ? .polygon(first) : .multiPolygon(divided))
  }

  /// Returns the parts of a polygon between -180° and 180°; nil where it cannot be divided.
  private static func dividedPolygon(
    _ written: [[GeoPosition]]
  ) throws(GeometryError) -> [[[GeoPosition]]]? {
    let rings = written.map(\.withMeridiansToPoles)
    guard
      rings.contains(where: { ring in
        zip(ring, ring.dropFirst()).contains { $0.0.crossesAntimeridian(to: $0.1) }
      })
    else { return [rings] }
    guard let path = ContinuousPath(rings[0]),
      let shell = path.turn == 0 ? path : ContinuousPath(aroundPole: rings[0])
    else { return nil }
    var image = Geometry(unchecked: .polygon([shell.positions]))
    for ring in rings.dropFirst() {
      guard let path = ContinuousPath(ring),
        let hole = path.turn == 0 ? path : ContinuousPath(aroundPole: ring)
      else { return nil }
      // Beside a pole a hole across ±180° is at both ends of the shell.
      for turn in shell.turns.lowerBound - 1...shell.turns.upperBound + 1 {
        if let part = hole.shifted(toTurn: turn) {
          image = try image.difference(Geometry(unchecked: .polygon([part.positions])))
        }
      }
    }
    var parts: [[[GeoPosition]]] = []
    for turn in shell.turns { parts += try image.polygons(ofTurn: turn) }
    return parts
  }

  /// Returns the part of an image of continuous longitudes between -180° and 180° of a turn around the Earth.
  private func polygons(ofTurn turn: Int) throws(GeometryError) -> [[[GeoPosition]]] {
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
    }.parts.polygons
  }
}

extension GeoPosition {
  /// Returns whether the edge to a position crosses ±180°; one of 360° is a whole parallel, which does not.
  fileprivate func crossesAntimeridian(to other: GeoPosition) -> Bool {
    let step = abs(longitude - other.longitude)
    return step > 180 && step < 360
  }

  /// Returns the latitude at which the great circle to a position crosses ±180°.
  fileprivate func latitudeAtAntimeridian(to other: GeoPosition) -> Double {
    if abs(latitude) == 90 { return latitude }
    if abs(other.latitude) == 90 { return other.latitude }
    func tangent(_ degrees: Double) -> Double {
      sine(degrees * radiansPerDegree) / cosine(degrees * radiansPerDegree)
    }
    let whole = sine((other.longitude - longitude) * radiansPerDegree)
    guard whole != 0 else { return (latitude + other.latitude) / 2 }
    let rise =
      tangent(latitude) * sine((other.longitude - 180) * radiansPerDegree)
      + tangent(other.latitude) * sine((180 - longitude) * radiansPerDegree)
    return arcTangent(y: rise / whole, x: 1) / radiansPerDegree
  }
}

extension [GeoPosition] {
  /// The ring with two positions in place of one at a pole, at the longitudes of its neighbours, because its edges are
  /// meridians.
  fileprivate var withMeridiansToPoles: [GeoPosition] {
    let open = dropLast()
    guard contains(where: { abs($0.latitude) == 90 }),
      open.contains(where: { abs($0.latitude) < 90 })
    else { return self }
    var ring: [GeoPosition] = []
    for index in open.indices {
      guard abs(self[index].latitude) == 90 else {
        ring.append(self[index])
        continue
      }
      for step in [-1, 1] {
        let neighbour = (index + step + open.count) % open.count
        // Of positions at the pole one after the other the first and the last are enough.
        guard abs(self[neighbour].latitude) < 90 else { continue }
        let position = GeoPosition(
          longitude: self[neighbour].longitude, latitude: self[index].latitude,
          altitude: self[index].altitude)
        if let position, position != ring.last { ring.append(position) }
      }
    }
    return ring + ring.prefix(1)
  }
}

/// A ring whose longitudes continue across ±180°, with positions where it crosses.
///
/// The longitudes are a quarter of degrees, so that those of two turns around the Earth are in the range of positions.
private struct ContinuousPath {
  /// The positions of the image.
  private(set) var positions: [GeoPosition] = []
  /// The number of times the path leads eastward around the Earth from its start to its end.
  private(set) var turn = 0

  static func scaled(_ longitude: Double) -> Double { longitude / 4 }

  static func unscaled(_ longitude: Double) -> Double { longitude * 4 }

  /// Creates the path of a ring; nil if it leads too often around the Earth.
  init?(_ ring: [GeoPosition]) {
    for (index, position) in ring.enumerated() {
      if index > 0, ring[index - 1].crossesAntimeridian(to: position) {
        let isEastward = position.longitude < ring[index - 1].longitude
        let border = 360 * Double(turn) + (isEastward ? 180 : -180)
        guard add(border, ring[index - 1].latitudeAtAntimeridian(to: position)) else {
          return nil
        }
        turn += isEastward ? 1 : -1
      }
      let longitude = position.longitude + 360 * Double(turn)
      guard add(longitude, position.latitude, position.altitude) else { return nil }
    }
  }

  /// Creates the path of a ring around a pole: from ±180° around the Earth, and back along both sides of that meridian and the
  /// pole; nil if the ring contains both poles or neither.
  init?(aroundPole ring: [GeoPosition]) {
    let poles = [-90.0, 90].filter { latitude in
      Geometry(unchecked: .polygon([ring])).intersects(
        Geometry(unchecked: .point(GeoPosition(uncheckedLongitude: 0, latitude: latitude))))
    }
    guard poles.count == 1 else { return nil }
    // From the crossing nearest to the pole no other one is in the way.
    let crossings = ring.indices.dropFirst().filter {
      ring[$0 - 1].crossesAntimeridian(to: ring[$0])
    }
    let nearest = crossings.map { index in
      (index: index, latitude: ring[index - 1].latitudeAtAntimeridian(to: ring[index]))
    }.min { abs(poles[0] - $0.latitude) < abs(poles[0] - $1.latitude) }
    guard let (crossing, latitude) = nearest,
      let rest = ContinuousPath(Array(ring[crossing...] + ring[1..<crossing])), rest.turn == 0
    else { return nil }
    let start = ring[crossing].longitude < ring[crossing - 1].longitude ? -180.0 : 180
    _ = add(start, latitude)
    positions += rest.positions.drop { $0 == positions[0] }
    _ = add(-start, latitude)
    _ = add(-start, poles[0])
    _ = add(start, poles[0])
    positions.append(positions[0])
  }

  /// The turns that contain positions.
  var turns: ClosedRange<Int> {
    let numbers = positions.map { Int((Self.unscaled($0.longitude) / 360).rounded()) }
    return (numbers.min() ?? 0)...(numbers.max() ?? 0)
  }

  /// Adds a position; returns false if the longitude is out of range.
  private mutating func add(
    _ longitude: Double, _ latitude: Double, _ altitude: Double? = nil
  ) -> Bool {
    guard
      let position = GeoPosition(
        longitude: Self.scaled(longitude), latitude: latitude, altitude: altitude)
    else { return false }
    if position != positions.last { positions.append(position) }
    return true
  }

  /// Returns the path a number of turns away; nil if its longitudes are out of range.
  func shifted(toTurn turn: Int) -> ContinuousPath? {
    var path = self
    path.positions = positions.compactMap {
      GeoPosition(
        longitude: $0.longitude + Self.scaled(360 * Double(turn)), latitude: $0.latitude,
        altitude: $0.altitude)
    }
    return path.positions.count == positions.count ? path : nil
  }
}
