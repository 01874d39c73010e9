/// A search for crossing great-circle arcs, for rings that are too large for a gnomonic projection.
struct ArcCrossings {
  private let arcs: [Arc]
  /// The number of pairs of arcs compared so far.
  private(set) var pairsCompared = 0

  init(_ arcs: [Arc]) {
    self.arcs = arcs
  }

  /// Returns a point near which two arcs cross; shared end points are not crossings.
  ///
  /// - Complexity: O(n log n + p) for p pairs of arcs whose envelopes intersect.
  mutating func first() -> Vertex? {
    let tree = EnvelopeTree(arcs: arcs)
    for (index, arc) in arcs.enumerated() {
      var crossing: Vertex?
      _ = tree.contains(intersecting: arc.envelope) { other in
        guard other > index else { return false }
        pairsCompared += 1
        crossing = Self.crossing(arcs[other], arc)
        return crossing != nil
      }
      if let crossing { return crossing }
    }
    return nil
  }

  private static func crossing(_ first: Arc, _ second: Arc) -> Vertex? {
    guard first.south <= second.north, second.south <= first.north
    else { return nil }
    switch (first.kind, second.kind) {
    case (.sloped, .sloped): return slopes(first, second)
    case (.sloped, .meridian): return meridian(second, across: first)
    case (.meridian, .sloped): return meridian(first, across: second)
    case (.sloped, .parallel): return parallel(second, across: first)
    case (.parallel, .sloped): return parallel(first, across: second)
    case (.meridian, .parallel): return parallel(second, acrossMeridian: first)
    case (.parallel, .meridian): return parallel(first, acrossMeridian: second)
    default: return nil
    }
  }

  /// Returns the crossing of two sloped arcs.
  ///
  /// Of two crossing arcs, one is higher at the start and lower at the end of the common longitudes.
  private static func slopes(_ first: Arc, _ second: Arc) -> Vertex? {
    let start = max(first.west, second.west)
    let end = min(first.east, second.east)
    guard start < end else { return nil }
    let before = first.slope(at: start) - second.slope(at: start)
    let after = first.slope(at: end) - second.slope(at: end)
    let margin = 1e-12 * (1 / first.normal.z + 1 / second.normal.z)
    guard abs(before) > margin, abs(after) > margin, (before > 0) != (after > 0)
    else { return nil }
    let longitude = start + (end - start) * (before / (before - after))
    return Vertex(
      longitude: longitude,
      latitude: arcTangent(y: first.slope(at: longitude), x: 1) / radiansPerDegree)
  }

  /// Returns a point of a whole parallel that a sloped arc crosses.
  ///
  /// The arc crosses the parallel if it has an end on each side, or an end on one side and its summit on
  /// the other.
  private static func parallel(_ parallel: Arc, across sloped: Arc) -> Vertex? {
    guard parallel.east - parallel.west == 360 else { return nil }
    let latitude = parallel.westLatitude
    let ends = [sloped.westLatitude, sloped.eastLatitude].filter { $0 != latitude }
    // Both parts of an arc that was split at ±180° have the bounds of the whole arc.
    let (south, north) = (sloped.south, sloped.north)
    let margin = 3 * Arc.latitudeMargin
    let isOver = ends.contains { $0 < latitude } && north > latitude + margin
    let isUnder = ends.contains { $0 > latitude } && south < latitude - margin
    guard isOver || isUnder else { return nil }
    return Vertex(longitude: sloped.west + (sloped.east - sloped.west) / 2, latitude: latitude)
  }

  private static func parallel(_ parallel: Arc, acrossMeridian meridian: Arc) -> Vertex? {
    let latitude = parallel.westLatitude
    guard parallel.east - parallel.west == 360, meridian.south < latitude,
      latitude < meridian.north
    else { return nil }
    return Vertex(longitude: meridian.west, latitude: latitude)
  }

  private static func meridian(_ meridian: Arc, across sloped: Arc) -> Vertex? {
    guard sloped.west < meridian.west, meridian.west < sloped.east else { return nil }
    let latitude = arcTangent(y: sloped.slope(at: meridian.west), x: 1) / radiansPerDegree
    let margin = 1e-11 / sloped.normal.z
    guard meridian.south + margin < latitude, latitude < meridian.north - margin
    else { return nil }
    return Vertex(longitude: meridian.west, latitude: latitude)
  }
}

extension Arc {
  /// Returns the tangent of the great circle's latitude at a longitude.
  fileprivate func slope(at longitude: Double) -> Double {
    let angle = longitude * radiansPerDegree
    return -(normal.x * cosine(angle) + normal.y * sine(angle)) / normal.z
  }
}
