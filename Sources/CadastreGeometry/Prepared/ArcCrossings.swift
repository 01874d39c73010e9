/// Finds edges of the sphere that cross, where no chart can show all of a ring.
struct ArcCrossings {
  private let arcs: [Arc]
  /// Pairs of arcs compared so far.
  private(set) var pairsCompared = 0

  init(_ arcs: [Arc]) {
    self.arcs = arcs
  }

  /// A place near which two arcs cross; ends that touch are not crossings.
  ///
  /// - Complexity: O(n log n) plus the number of pairs whose rectangles meet.
  mutating func first() -> Vertex? {
    arcs.withUnsafeBufferPointer { arcs in
      let tree = ArcTree(arcs: arcs, edges: .spherical)
      for (index, arc) in arcs.enumerated() {
        var place: Vertex?
        let rectangle = Envelope(
          minLongitude: arc.west, maxLongitude: arc.east, minLatitude: arc.minLatitude,
          maxLatitude: arc.maxLatitude)
        _ = tree.contains(meeting: rectangle) { other in
          guard other > index else { return false }
          pairsCompared += 1
          place = Self.crossing(arcs[other], arc)
          return place != nil
        }
        if let place { return place }
      }
      return nil
    }
  }

  private static func crossing(_ first: Arc, _ second: Arc) -> Vertex? {
    guard first.minLatitude <= second.maxLatitude, second.minLatitude <= first.maxLatitude
    else { return nil }
    switch (first.kind, second.kind) {
    case (.sloped, .sloped): return slopes(first, second)
    case (.sloped, .meridian): return meridian(second, across: first)
    case (.meridian, .sloped): return meridian(first, across: second)
    default: return nil
    }
  }

  /// Two graphs cross where the one that is higher at the start is lower at the end.
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

  private static func meridian(_ meridian: Arc, across sloped: Arc) -> Vertex? {
    guard sloped.west < meridian.west, meridian.west < sloped.east else { return nil }
    let latitude = arcTangent(y: sloped.slope(at: meridian.west), x: 1) / radiansPerDegree
    let margin = 1e-11 / sloped.normal.z
    guard meridian.minLatitude + margin < latitude, latitude < meridian.maxLatitude - margin
    else { return nil }
    return Vertex(longitude: meridian.west, latitude: latitude)
  }
}

extension Arc {
  /// The tangent of the great circle's latitude at a longitude.
  fileprivate func slope(at longitude: Double) -> Double {
    let angle = longitude * radiansPerDegree
    return -(normal.x * cosine(angle) + normal.y * sine(angle)) / normal.z
  }
}
