/// A tree of rectangles over the arcs of a region, for finding those that meet a rectangle.
///
/// Neighbours in a ring are neighbours on the ground, so the arcs are grouped by four in the order
/// of the rings, the groups by four again, and so on. Building is O(n).
final class ArcTree {
  /// West, south, and east and north with changed sign, so that one comparison tests all four.
  private typealias Box = SIMD4<Double>

  private let arcs: UnsafeBufferPointer<Arc>
  private let edges: EdgeModel
  /// All levels end to end: the first groups arcs, each further one the boxes of the one before; the
  /// last is one box.
  private let boxes: UnsafeMutablePointer<Box>
  /// Where each level begins, and the end of the last.
  private let levels: [Int]
  private static let fanOut = 4

  /// Keeps `arcs`, which must outlive the tree.
  init(arcs: UnsafeBufferPointer<Arc>, edges: EdgeModel) {
    self.arcs = arcs
    self.edges = edges
    var level = arcs.map { Box($0.west, $0.minLatitude, -$0.east, -$0.maxLatitude) }
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

  /// Whether some arc may share a point with the rectangle; never false if one does.
  ///
  /// The rectangle is widened by less than a millimetre.
  /// - Complexity: O(log n) for rectangles that are small and clear of the border.
  func touches(_ rectangle: Envelope) -> Bool {
    contains(meeting: rectangle) { arcs[$0].touches(rectangle, edges: edges) }
  }

  /// Whether some arc is wanted among those whose own rectangles may meet a rectangle, and perhaps some
  /// that lie near them.
  func contains(meeting rectangle: Envelope, where isWanted: (Int) -> Bool) -> Bool {
    let margin = Arc.latitudeMargin
    let window = Box(
      rectangle.maxLongitude, rectangle.maxLatitude + margin,
      -rectangle.minLongitude, -rectangle.minLatitude + margin)
    return levels.withUnsafeBufferPointer { levels in
      contains(window, levels, level: levels.count - 2, index: 0, where: isWanted)
    }
  }

  private func contains(
    _ window: Box, _ levels: UnsafeBufferPointer<Int>, level: Int, index: Int,
    where isWanted: (Int) -> Bool
  ) -> Bool {
    guard all(boxes[levels[level] + index] .<= window) else { return false }
    let first = index * Self.fanOut
    if level == 0 {
      for arc in first..<min(first + Self.fanOut, arcs.count) where isWanted(arc) { return true }
      return false
    }
    let count = levels[level] - levels[level - 1]
    for child in first..<min(first + Self.fanOut, count)
    where contains(window, levels, level: level - 1, index: child, where: isWanted) {
      return true
    }
    return false
  }
}

extension Arc {
  /// Whether the arc may share a point with a rectangle; never false if it does.
  func touches(_ rectangle: Envelope, edges: EdgeModel) -> Bool {
    let margin = Self.latitudeMargin
    guard west <= rectangle.maxLongitude, east >= rectangle.minLongitude,
      minLatitude <= rectangle.maxLatitude + margin, maxLatitude >= rectangle.minLatitude - margin
    else { return false }
    guard kind == .sloped else { return true }
    let start = max(west, rectangle.minLongitude)
    let end = min(east, rectangle.maxLongitude)
    switch edges {
    case .planar:
      let bounds = latitudes(from: start, to: end, edges: edges)
      return bounds.0 <= rectangle.maxLatitude && bounds.1 >= rectangle.minLatitude
    case .spherical:
      return meetsParallels(
        rectangle.minLatitude, rectangle.maxLatitude, from: start, to: end)
    }
  }

  /// Whether the great circle may come between two parallels within an interval of longitudes.
  ///
  /// The height over the arc's plane of the point at (x, y) is cos y · g(x) + normal.z · sin y with
  /// g(x) = normal.x · cos x + normal.y · sin x. Where it has one sign along a whole parallel,
  /// the arc stays on one side of it.
  private func meetsParallels(
    _ south: Double, _ north: Double, from start: Double, to end: Double
  ) -> Bool {
    let (first, last) = (start * radiansPerDegree, end * radiansPerDegree)
    let firstValue = normal.x * cosine(first) + normal.y * sine(first)
    let lastValue = normal.x * cosine(last) + normal.y * sine(last)
    var least = min(firstValue, lastValue)
    var most = max(firstValue, lastValue)
    if let summit = summit(between: start, and: end) {
      let tilt = (normal.x * normal.x + normal.y * normal.y).squareRoot()
      if summit > 0 { least = -tilt } else { most = tilt }
    }
    let margin = 1e-13
    let southClear = cosine(latitude: south) * least + normal.z * sine(latitude: south) > margin
    let northClear = cosine(latitude: north) * most + normal.z * sine(latitude: north) < -margin
    return !southClear && !northClear
  }
}
