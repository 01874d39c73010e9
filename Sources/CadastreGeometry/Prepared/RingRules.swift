/// The validation of rings: they may not cross, touch themselves or leave the exterior ring.
///
/// GEOS validates rings in the plane. With spherical edges a polygon is accepted if it is valid in
/// one of these: longitude and latitude as given, longitudes continued across ±180°, or a gnomonic
/// chart. Rings that are too large for a chart, contain a pole or have a whole parallel are rejected only
/// if two of their edges cross.
struct RingRules {
  /// The rings as given.
  let written: [[Vertex]]
  /// The rings with canonical coordinates.
  let rings: [[Vertex]]
  /// The model of the edges.
  let edges: EdgeModel
  private let hasParallels: Bool

  /// Creates the rules for the rings of a polygon.
  init(_ borders: GeoPolygon.Borders, edges: EdgeModel) {
    written = borders.written
    rings = borders.loops
    self.edges = edges
    hasParallels = borders.hasParallels
  }

  /// Validates the rings.
  ///
  /// - Parameter collector: The arcs of the rings.
  /// - Throws: `RegionError.Reason` with the location in longitude and latitude.
  func check(_ collector: ArcCollector) throws(RegionError.Reason) {
    switch edges {
    case .planar:
      try validate(rings, chart: nil)
    case .spherical:
      if Self.isValid(written) { return }
      if !hasParallels, let unwrapped = unwrappedRings, Self.isValid(unwrapped) { return }
      if !hasParallels, let chart = GnomonicChart(around: rings.joined()) {
        try validate(rings, chart: chart)
      } else {
        var crossings = ArcCrossings(collector.arcs)
        guard let crossing = crossings.first() else { return }
        throw .selfCrossing(longitude: crossing.longitude, latitude: crossing.latitude)
      }
    }
  }

  /// Returns whether GEOS considers rings valid in longitude and latitude.
  static func isValid(_ rings: [[Vertex]]) -> Bool {
    let rules = RingRules(
      GeoPolygon.Borders(written: rings, loops: rings, courses: []), edges: .planar)
    return (try? rules.validate(rings, chart: nil)) != nil
  }

  /// Validates the rings with GEOS, on a chart or in longitude and latitude.
  private func validate(_ rings: [[Vertex]], chart: GnomonicChart?) throws(RegionError.Reason) {
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

  /// Converts a fault that GEOS reported, on a chart or in the plane, to longitude and latitude.
  private func reason(
    for fault: GEOSPolygon.Fault, chart: GnomonicChart?
  ) -> RegionError.Reason {
    var (longitude, latitude) = (fault.location.x, fault.location.y)
    if let chart {
      let direction = chart.direction(to: fault.location)
      (longitude, latitude) = (direction.longitude, direction.latitude)
    }
    if let edge = duplicateEdge {
      return .duplicateEdge(longitude: edge.longitude, latitude: edge.latitude)
    }
    return switch fault.kind {
    case .selfCrossing: .selfCrossing(longitude: longitude, latitude: latitude)
    case .holeOutsideShell: .holeOutsideShell(longitude: longitude, latitude: latitude)
    case .nestedHoles: .nestedHoles(longitude: longitude, latitude: latitude)
    case .insideDisconnected: .insideDisconnected(longitude: longitude, latitude: latitude)
    case .other(let text): .geometryLibrary(text)
    }
  }

  /// The start of the first edge that occurs twice, in either direction.
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

  /// The rings with longitudes that continue across ±180°; nil if a ring touches or contains a
  /// pole.
  private var unwrappedRings: [[Vertex]]? {
    var unwrapped: [[Vertex]] = []
    for ring in rings {
      guard var next = Self.unwrapped(ring) else { return nil }
      if let exterior = unwrapped.first {
        let shift = ((Self.middle(exterior) - Self.middle(next)) / 360).rounded() * 360
        for index in next.indices { next[index].longitude += shift }
      }
      unwrapped.append(next)
    }
    return unwrapped
  }

  private static func unwrapped(_ ring: [Vertex]) -> [Vertex]? {
    var shift = 0.0
    var unwrapped: [Vertex] = []
    unwrapped.reserveCapacity(ring.count)
    for index in ring.indices {
      let vertex = ring[index]
      unwrapped.append(Vertex(longitude: vertex.longitude + shift, latitude: vertex.latitude))
      let step = ring[(index + 1) % ring.count].longitude - vertex.longitude
      if vertex.isPole { return nil }
      if step > 180 { shift -= 360 }
      if step < -180 { shift += 360 }
    }
    return shift == 0 ? unwrapped : nil
  }

  private static func middle(_ ring: [Vertex]) -> Double {
    let longitudes = ring.map(\.longitude)
    return ((longitudes.min() ?? 0) + (longitudes.max() ?? 0)) / 2
  }
}
