/// What the rings of a polygon may not do: cross, touch themselves, leave the shell.
///
/// GEOS is the judge. A polygon passes if it is valid in plain longitude and latitude, as it is written
/// or with longitudes counted on across ±180°, or on the sphere, seen on a gnomonic chart. Rings too
/// large for a chart or around a pole are refused only if two of their edges truly cross.
struct RingRules {
  /// The rings as they are written.
  let written: [[Vertex]]
  /// The same with one name for each place.
  let rings: [[Vertex]]
  let edges: EdgeModel

  /// - Throws: What GEOS objects to, with the place in longitude and latitude.
  func check(_ collector: ArcCollector) throws(RegionError.Reason) {
    switch edges {
    case .planar:
      try judge(rings, chart: nil)
    case .spherical:
      if Self.isValid(written) { return }
      if let unrolled = unrolledRings, Self.isValid(unrolled) { return }
      if let chart = GnomonicChart(around: rings.joined()) {
        try judge(rings, chart: chart)
      } else {
        var crossings = ArcCrossings(collector.arcs)
        guard let crossing = crossings.first() else { return }
        throw .selfCrossing(longitude: crossing.longitude, latitude: crossing.latitude)
      }
    }
  }

  /// Whether GEOS calls rings valid in longitude and latitude.
  static func isValid(_ rings: [[Vertex]]) -> Bool {
    let rules = RingRules(written: rings, rings: rings, edges: .planar)
    return (try? rules.judge(rings, chart: nil)) != nil
  }

  /// Asks GEOS about the rings, on a chart or as they are.
  private func judge(_ rings: [[Vertex]], chart: GnomonicChart?) throws(RegionError.Reason) {
    var planes: [[PlanePoint]] = []
    for ring in rings {
      var points: [PlanePoint] = []
      points.reserveCapacity(ring.count + 1)
      for vertex in ring {
        points.append(
          chart?.project(vertex.unitVector) ?? PlanePoint(x: vertex.longitude, y: vertex.latitude))
      }
      points.append(points[0])
      planes.append(points)
    }
    let fault: GEOSPolygon.Fault?
    do throws(GEOSError) {
      fault = try GEOSPolygon(rings: planes).fault()
    } catch {
      throw .geometryLibrary(error.message)
    }
    if let fault { throw reason(for: fault, chart: chart) }
  }

  /// Says in longitude and latitude what GEOS said of a chart.
  private func reason(
    for fault: GEOSPolygon.Fault, chart: GnomonicChart?
  ) -> RegionError.Reason {
    var place = Vertex(longitude: fault.location.x, latitude: fault.location.y)
    if let chart {
      let direction = chart.direction(to: fault.location)
      place = Vertex(longitude: direction.longitude, latitude: direction.latitude)
    }
    if let twice = duplicateEdge {
      return .duplicateEdge(longitude: twice.longitude, latitude: twice.latitude)
    }
    return switch fault.kind {
    case .selfCrossing: .selfCrossing(longitude: place.longitude, latitude: place.latitude)
    case .holeOutsideShell:
      .holeOutsideShell(longitude: place.longitude, latitude: place.latitude)
    case .nestedHoles: .nestedHoles(longitude: place.longitude, latitude: place.latitude)
    case .insideDisconnected:
      .insideDisconnected(longitude: place.longitude, latitude: place.latitude)
    case .other(let text): .geometryLibrary(text)
    }
  }

  /// The first edge that occurs twice, in either direction.
  private var duplicateEdge: Vertex? {
    var seen: Set<Set<Vertex>> = []
    for ring in rings {
      for index in ring.indices {
        let next = ring[(index + 1) % ring.count]
        if !seen.insert([ring[index], next]).inserted { return ring[index] }
      }
    }
    return nil
  }

  /// The rings with longitudes that go on beyond ±180°; nil if a ring meets or rounds a pole.
  private var unrolledRings: [[Vertex]]? {
    var unrolled: [[Vertex]] = []
    for ring in rings {
      guard var next = Self.unrolled(ring) else { return nil }
      if let shell = unrolled.first {
        let shift = ((Self.middle(shell) - Self.middle(next)) / 360).rounded() * 360
        for index in next.indices { next[index].longitude += shift }
      }
      unrolled.append(next)
    }
    return unrolled
  }

  private static func unrolled(_ ring: [Vertex]) -> [Vertex]? {
    var turns = 0.0
    var unrolled: [Vertex] = []
    unrolled.reserveCapacity(ring.count)
    for index in ring.indices {
      let vertex = ring[index]
      unrolled.append(Vertex(longitude: vertex.longitude + turns, latitude: vertex.latitude))
      let step = ring[(index + 1) % ring.count].longitude - vertex.longitude
      if vertex.isPole { return nil }
      if step > 180 { turns -= 360 }
      if step < -180 { turns += 360 }
    }
    return turns == 0 ? unrolled : nil
  }

  private static func middle(_ ring: [Vertex]) -> Double {
    let longitudes = ring.map(\.longitude)
    return ((longitudes.min() ?? 0) + (longitudes.max() ?? 0)) / 2
  }
}
