/// A packed tree of envelopes over the arcs of a region, for envelope intersection queries.
///
/// Consecutive arcs of a ring are near each other. So four consecutive arcs form a leaf, four
/// consecutive leaves a node of the next level, and so on up to one root.
///
/// - Complexity: O(n) to build.
final class ArcTree {
  /// West, south, negated east and negated north, so that one comparison tests all four sides.
  private typealias Box = SIMD4<Double>

  private let arcs: UnsafeBufferPointer<Arc>
  private let edges: EdgeModel
  /// The boxes of all levels, from the leaves to the root.
  private let boxes: UnsafeMutablePointer<Box>
  /// The index of each level's first box, and the number of all boxes.
  private let levels: [Int]
  private static let fanOut = 4

  /// Builds a tree over `arcs`, which must outlive it.
  init(arcs: UnsafeBufferPointer<Arc>, edges: EdgeModel) {
    self.arcs = arcs
    self.edges = edges
    var level = arcs.map { Box($0.west, $0.minLatitude, -$0.east, -$0.maxLatitude) }
    // The whole sphere has no border: its tree has one box that nothing intersects.
    if level.isEmpty { level = [Box(repeating: .infinity)] }
    var levels: [[Box]] = []
    repeat {
      level = stride(from: 0, to: level.count, by: Self.fanOut).map { first in
        level[first..<min(first + Self.fanOut, level.count)].reduce(
          Box(repeating: .infinity), pointwiseMin)
      }
      levels.append(level)
    } while level.count > 1
    var starts = [0]
    for level in levels { starts.append(starts[starts.count - 1] + level.count) }
    self.levels = starts
    boxes = .allocate(capacity: starts[starts.count - 1])
    for (level, start) in zip(levels, starts) {
      (boxes + start).initialize(from: level, count: level.count)
    }
  }

  deinit { boxes.deallocate() }

  /// Returns whether an arc may intersect an envelope; a result of false is exact.
  ///
  /// The envelope is widened by less than a millimetre.
  ///
  /// - Complexity: O(log n) for small envelopes at a distance from the border.
  func intersects(_ envelope: Envelope) -> Bool {
    contains(intersecting: envelope) { arcs[$0].intersects(envelope, edges: edges) }
  }

  /// Returns whether an arc near an envelope satisfies a condition.
  ///
  /// - Parameters:
  ///   - envelope: The envelope, in degrees.
  ///   - condition: Called with the index of each arc whose envelope intersects `envelope`, and of
  ///     further arcs in the same leaves, until it returns true.
  /// - Returns: Whether the condition was true for an arc.
  func contains(intersecting envelope: Envelope, where condition: (Int) -> Bool) -> Bool {
    let margin = Arc.latitudeMargin
    let window = Box(
      envelope.maxLongitude, envelope.maxLatitude + margin,
      -envelope.minLongitude, -envelope.minLatitude + margin)
    return levels.withUnsafeBufferPointer { levels in
      contains(window, levels, level: levels.count - 2, index: 0, where: condition)
    }
  }

  /// Visits the arcs of the leaves whose envelopes, and those around them, satisfy a condition.
  ///
  /// - Parameters:
  ///   - isNear: Whether an envelope, in degrees, may contain an arc of interest; it may become
  ///     stricter during the visit.
  ///   - visit: Called with the index of an arc.
  func visit(nearer isNear: (Envelope) -> Bool, _ visit: (Int) -> Void) {
    self.visit(level: levels.count - 2, index: 0, isNear, visit)
  }

  private func visit(
    level: Int, index: Int, _ isNear: (Envelope) -> Bool, _ visit: (Int) -> Void
  ) {
    let box = boxes[levels[level] + index]
    let envelope = Envelope(
      minLongitude: box[0], maxLongitude: -box[2], minLatitude: box[1], maxLatitude: -box[3])
    guard isNear(envelope) else { return }
    let first = index * Self.fanOut
    if level == 0 {
      for arc in first..<min(first + Self.fanOut, arcs.count) { visit(arc) }
      return
    }
    let count = levels[level] - levels[level - 1]
    for child in first..<min(first + Self.fanOut, count) {
      self.visit(level: level - 1, index: child, isNear, visit)
    }
  }

  private func contains(
    _ window: Box, _ levels: UnsafeBufferPointer<Int>, level: Int, index: Int,
    where condition: (Int) -> Bool
  ) -> Bool {
    guard all(boxes[levels[level] + index] .<= window) else { return false }
    let first = index * Self.fanOut
    if level == 0 {
      for arc in first..<min(first + Self.fanOut, arcs.count) where condition(arc) { return true }
      return false
    }
    let count = levels[level] - levels[level - 1]
    for child in first..<min(first + Self.fanOut, count)
    where contains(window, levels, level: level - 1, index: child, where: condition) {
      return true
    }
    return false
  }
}

extension Arc {
  /// Returns whether the arc may intersect an envelope; a result of false is exact.
  func intersects(_ envelope: Envelope, edges: EdgeModel) -> Bool {
    let margin = Self.latitudeMargin
    guard west <= envelope.maxLongitude, east >= envelope.minLongitude,
      minLatitude <= envelope.maxLatitude + margin, maxLatitude >= envelope.minLatitude - margin
    else { return false }
    guard kind == .sloped else { return true }
    let start = max(west, envelope.minLongitude)
    let end = min(east, envelope.maxLongitude)
    switch edges {
    case .planar:
      let bounds = latitudes(from: start, to: end, edges: edges)
      return bounds.0 <= envelope.maxLatitude && bounds.1 >= envelope.minLatitude
    case .spherical:
      return intersectsBand(envelope.minLatitude, envelope.maxLatitude, from: start, to: end)
    }
  }

  /// Returns whether the great circle may enter the band between two parallels, in an interval of
  /// longitudes.
  ///
  /// The height of the point at (x, y) over the arc's plane is cos y · g(x) + normal.z · sin y with
  /// g(x) = normal.x · cos x + normal.y · sin x. If it has the same sign along a whole parallel,
  /// the arc is on one side of that parallel.
  private func intersectsBand(
    _ south: Double, _ north: Double, from start: Double, to end: Double
  ) -> Bool {
    let (first, last) = (start * radiansPerDegree, end * radiansPerDegree)
    let firstValue = normal.x * cosine(first) + normal.y * sine(first)
    let lastValue = normal.x * cosine(last) + normal.y * sine(last)
    var minimum = min(firstValue, lastValue)
    var maximum = max(firstValue, lastValue)
    if let summit = summit(between: start, and: end) {
      let tilt = (normal.x * normal.x + normal.y * normal.y).squareRoot()
      if summit > 0 { minimum = -tilt } else { maximum = tilt }
    }
    let margin = 1e-13
    let isSouth = cosine(latitude: south) * minimum + normal.z * sine(latitude: south) > margin
    let isNorth = cosine(latitude: north) * maximum + normal.z * sine(latitude: north) < -margin
    return !isSouth && !isNorth
  }
}
