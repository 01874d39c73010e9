/// The extent of the arcs of a polygon, and whether the polygon contains the poles.
struct ArcExtent {
  /// The western longitude of the shortest interval that contains all arcs, in degrees.
  let start: Double
  /// The width of the interval in degrees; with spherical edges it may cross ±180°.
  let width: Double
  /// The lower bound of the region's latitudes, in degrees.
  let south: Double
  /// The upper bound of the region's latitudes, in degrees.
  let north: Double
  /// Whether the north pole is in the region; false with planar edges.
  let containsNorthPole: Bool
  /// Whether the south pole is in the region; false with planar edges.
  let containsSouthPole: Bool

  /// Computes the extent of the arcs; without arcs the extent is the whole sphere.
  ///
  /// - Complexity: O(n) with planar edges, O(n log n) with spherical ones.
  init(_ collector: ArcCollector) {
    let arcs = collector.arcs
    (start, width) = Self.interval(of: arcs, edges: collector.edges)
    let lowest = arcs.reduce(90) { min($0, $1.south) }
    let highest = arcs.reduce(-90) { max($0, $1.north) }
    guard collector.edges == .spherical else {
      (containsNorthPole, containsSouthPole) = (false, false)
      (south, north) = (lowest, highest)
      return
    }
    let base = collector.base.rawValue
    let isInside = { (roles: UInt8) in roles & 3 == 1 }
    containsNorthPole =
      isInside(base) || arcs.contains { $0.north == 90 && $0.hasEnd(atLatitude: 90) }
    let start = start
    let southPoleRoles = arcs.reduce(into: base) { roles, arc in
      if arc.west <= start && start < arc.east { roles ^= arc.role.rawValue }
    }
    containsSouthPole =
      isInside(southPoleRoles) || arcs.contains { $0.south == -90 && $0.hasEnd(atLatitude: -90) }
    south = containsSouthPole ? -90 : lowest
    north = containsNorthPole ? 90 : highest
  }

  private static func interval(
    of arcs: [Arc], edges: EdgeModel
  ) -> (start: Double, width: Double) {
    guard let first = arcs.first else { return (0, 0) }
    let west = arcs.reduce(first.west) { min($0, $1.west) }
    let east = arcs.reduce(first.east) { max($0, $1.east) }
    // If the arcs span less than half of all longitudes, the widest gap is outside of this span.
    guard edges == .spherical, east - west > 180 else { return (west, east - west) }
    var reach = -Double.infinity
    var (gap, afterGap) = (0.0, west)
    for (west, east) in arcs.map({ ($0.west, $0.east) }).sorted(by: { $0.0 < $1.0 }) {
      if reach.isFinite, west - reach > gap { (gap, afterGap) = (west - reach, west) }
      reach = max(reach, east)
    }
    return 360 - (east - west) >= gap ? (west, east - west) : (afterGap, 360 - gap)
  }

  /// Returns one or two envelopes that cover the polygon.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: The envelopes, in degrees.
  func envelopes(_ edges: EdgeModel) -> [Envelope] {
    var envelope = Envelope.world
    envelope.south = south
    envelope.north = north
    if containsNorthPole || containsSouthPole || width == 360 && edges == .spherical {
      return [envelope]
    }
    envelope.west = start
    // The margin covers the rounding of the sum.
    envelope.east = start + width + 1e-12
    if edges == .spherical { return envelope.wrapped }
    envelope.east = min(180, envelope.east)
    return [envelope]
  }
}

extension Arc {
  /// Returns whether an end of the arc is exactly at a latitude; the bounds of the arc have a margin.
  fileprivate func hasEnd(atLatitude latitude: Double) -> Bool {
    westLatitude == latitude || eastLatitude == latitude
  }
}
