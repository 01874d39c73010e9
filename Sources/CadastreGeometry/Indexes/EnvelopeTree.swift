/// A packed tree of envelopes.
///
/// Consecutive envelopes form a leaf, consecutive leaves a node of the next level, and so on up to one
/// root. Searches are fast if consecutive envelopes are near each other.
///
/// - Complexity: O(n) to build.
final class EnvelopeTree {
  /// West, south, negated east and negated north, so that one comparison tests all four sides.
  typealias Box = SIMD4<Double>

  /// The number of envelopes.
  private let count: Int
  /// The number of envelopes of a leaf.
  private let leafSize: Int
  /// The number of children of a node.
  private let fanOut: Int
  /// The boxes of all levels, from the leaves to the root.
  private let boxes: UnsafeMutablePointer<Box>
  /// The index of each level's first box, and the number of all boxes.
  private let levels: [Int]

  /// Builds a tree of envelopes in their order.
  ///
  /// - Parameters:
  ///   - envelopes: The envelopes as boxes.
  ///   - leafSize: The number of envelopes of a leaf; searches test or visit all of them.
  ///   - fanOut: The number of children of a node, from 2 to 8.
  init(_ envelopes: [Box], leafSize: Int, fanOut: Int) {
    count = envelopes.count
    self.leafSize = leafSize
    self.fanOut = fanOut
    var levels = [0]
    // A tree without envelopes has one box that intersects no window.
    var size = max(1, (count + leafSize - 1) / leafSize)
    repeat {
      levels.append(levels[levels.count - 1] + size)
      size = size == 1 ? 0 : (size + fanOut - 1) / fanOut
    } while size > 0
    self.levels = levels
    boxes = .allocate(capacity: levels[levels.count - 1])
    envelopes.withUnsafeBufferPointer { envelopes in
      Self.fill(boxes, with: levels[0]..<levels[1], unionsOf: envelopes, leafSize)
    }
    for level in levels.indices.dropFirst().dropLast() {
      let children = UnsafeBufferPointer(
        start: boxes + levels[level - 1], count: levels[level] - levels[level - 1])
      Self.fill(boxes, with: levels[level]..<levels[level + 1], unionsOf: children, fanOut)
    }
  }

  /// Builds a tree of arcs in the order of rings.
  convenience init(arcs: [Arc]) {
    self.init(arcs.map { Self.box($0.envelope) }, leafSize: 4, fanOut: 4)
  }

  deinit { boxes.deallocate() }

  /// Initialises the boxes of a level, each with the union of a number of consecutive children.
  private static func fill(
    _ boxes: UnsafeMutablePointer<Box>, with level: Range<Int>,
    unionsOf children: UnsafeBufferPointer<Box>, _ size: Int
  ) {
    for node in level {
      let first = (node - level.lowerBound) * size
      (boxes + node).initialize(
        to: children[first..<min(first + size, children.count)].reduce(
          Box(repeating: .infinity), pointwiseMin))
    }
  }

  /// Returns an envelope as a box.
  static func box(_ envelope: Envelope) -> Box {
    Box(
      envelope.west, envelope.south, -envelope.east, -envelope.north)
  }

  private static func envelope(_ box: Box) -> Envelope {
    Envelope(west: box[0], south: box[1], east: -box[2], north: -box[3])
  }

  /// The union of all envelopes.
  var bounds: Envelope { Self.envelope(boxes[levels[levels.count - 1] - 1]) }

  /// Returns the envelope of a leaf.
  func envelope(ofLeaf leaf: Int) -> Envelope { Self.envelope(boxes[leaf]) }

  // MARK: Intersection

  /// Returns whether an element near an envelope satisfies a condition.
  ///
  /// The envelope is widened by less than a millimetre.
  ///
  /// - Parameters:
  ///   - envelope: The envelope, in degrees.
  ///   - condition: Called with the index of each element in a leaf whose box intersects `envelope`,
  ///     until it returns true.
  /// - Returns: Whether the condition was true for an element.
  /// - Complexity: O(log n) for small envelopes at a distance from the elements.
  func contains(intersecting envelope: Envelope, where condition: (Int) -> Bool) -> Bool {
    let margin = Arc.latitudeMargin
    // The greatest sides of boxes that intersect the envelope.
    let window = Box(
      envelope.east + margin, envelope.north + margin,
      -envelope.west + margin, -envelope.south + margin)
    return levels.withUnsafeBufferPointer { levels in
      let root = levels.count - 2
      guard all(boxes[levels[root]] .<= window) else { return false }
      return contains(window, levels, level: root, index: 0, where: condition)
    }
  }

  /// Searches a node whose box intersects the window.
  private func contains(
    _ window: Box, _ levels: UnsafeBufferPointer<Int>, level: Int, index: Int,
    where condition: (Int) -> Bool
  ) -> Bool {
    if level == 0 { return contains(leaf: index, where: condition) }
    let (start, end) = (levels[level - 1], levels[level])
    let first = start + index * fanOut
    for child in first..<min(first + fanOut, end) where all(boxes[child] .<= window) {
      let isFound =
        level == 1
        ? contains(leaf: child - start, where: condition)
        : contains(window, levels, level: level - 1, index: child - start, where: condition)
      if isFound { return true }
    }
    return false
  }

  @inline(__always)
  private func contains(leaf: Int, where condition: (Int) -> Bool) -> Bool {
    let first = leaf * leafSize
    for element in first..<min(first + leafSize, count) where condition(element) { return true }
    return false
  }

  // MARK: Distance

  /// Visits the elements in the approximate order of their distances from a point: nearer nodes before
  /// farther ones.
  ///
  /// - Parameters:
  ///   - point: The point.
  ///   - isNear: Whether elements at a haversine or more are to be visited; the condition may become
  ///     stricter during the visit.
  ///   - visit: Called with the index of an element.
  func visit(from point: Vertex, nearer isNear: (Double) -> Bool, _ visit: (Int) -> Void) {
    let origin = DistanceOrigin(point)
    self.visit(origin, level: levels.count - 2, index: 0, isNear, visit)
  }

  private func visit(
    _ origin: DistanceOrigin, level: Int, index: Int, _ isNear: (Double) -> Bool,
    _ visit: (Int) -> Void
  ) {
    if level == 0 {
      let first = index * leafSize
      for element in first..<min(first + leafSize, count) { visit(element) }
      return
    }
    let first = index * fanOut
    let end = min(first + fanOut, levels[level] - levels[level - 1])
    var bounds = SIMD8<Double>(repeating: .infinity)
    for child in first..<end {
      let envelope = Self.envelope(boxes[levels[level - 1] + child])
      bounds[child - first] = origin.minimumHaversine(to: envelope) * (1 - 1e-9)
    }
    for _ in first..<end {
      var nearest = 0
      for child in 1..<(end - first) where bounds[child] < bounds[nearest] { nearest = child }
      guard isNear(bounds[nearest]) else { return }
      bounds[nearest] = .infinity
      self.visit(origin, level: level - 1, index: first + nearest, isNear, visit)
    }
  }

  /// Returns the least angle between an element and a shape around a point if it is less than a limit,
  /// else the limit.
  ///
  /// - Parameters:
  ///   - point: The point.
  ///   - reach: The radius in radians of a circle around the point that contains the shape.
  ///   - limit: The greatest angle.
  ///   - angle: Returns the angle between the shape and the element with an index.
  /// - Returns: The angle in radians.
  /// - Complexity: O(log n) for points near the elements.
  func leastAngle(
    from point: Vertex, reach: Double = 0, below limit: Double, angle: (Int) -> Double
  ) -> Double {
    var best = limit
    var bound = haversineBound(best + reach)
    visit(from: point, nearer: { $0 < bound }) { element in
      let angle = angle(element)
      if angle < best {
        best = angle
        bound = haversineBound(best + reach)
      }
    }
    return best
  }
}

// Safe because all state is immutable after initialisation.
extension EnvelopeTree: @unchecked Sendable {}
