/// A packed tree of the envelopes of elements, which may be in any order.
///
/// The envelopes are sorted along a curve, so that consecutive ones are near each other. Eight of
/// them form a node, eight nodes a node of the next level, and so on up to one root.
///
/// - Complexity: O(n log n) to build.
package final class EnvelopeIndex {
  /// West, south, negated east and negated north, so that one comparison tests all four sides.
  private typealias Box = SIMD4<Double>

  /// The element of each envelope.
  private let owners: [Int32]
  /// The boxes of all levels, from the envelopes to the root.
  private let boxes: UnsafeMutableBufferPointer<Box>
  /// The index of each level's first box, and the number of all boxes.
  private let levels: [Int]
  private static let fanOut = 8

  /// Indexes elements; nil without envelopes.
  ///
  /// - Parameter elements: The envelopes of each element.
  convenience init?(_ elements: [[Envelope]]) {
    var entries = Entries()
    for (index, envelopes) in elements.enumerated() {
      for envelope in envelopes { entries.append(envelope, of: index) }
    }
    self.init(entries)
  }

  /// The envelopes of an index to be built.
  package struct Entries {
    fileprivate var entries: [(key: UInt64, envelope: Envelope, owner: Int32)] = []

    /// Creates an empty list.
    package init() {}

    /// Adds an envelope of an element.
    ///
    /// - Parameters:
    ///   - envelope: The envelope, in degrees.
    ///   - element: The number of the element, less than 2^31.
    package mutating func append(_ envelope: Envelope, of element: Int) {
      entries.append((envelope.positionOnCurve, envelope, Int32(element)))
    }
  }

  /// Indexes envelopes; nil without any.
  package init?(_ list: Entries) {
    guard !list.entries.isEmpty else { return nil }
    let entries = list.entries.sorted { $0.key < $1.key }
    owners = entries.map(\.owner)
    var levels = [0]
    var size = entries.count
    repeat {
      levels.append(levels[levels.count - 1] + size)
      size = size == 1 ? 0 : (size + Self.fanOut - 1) / Self.fanOut
    } while size > 0
    self.levels = levels
    boxes = .allocate(capacity: levels[levels.count - 1])
    for (index, entry) in entries.enumerated() {
      let envelope = entry.envelope
      boxes.initializeElement(
        at: index,
        to: Box(
          envelope.minLongitude, envelope.minLatitude, -envelope.maxLongitude,
          -envelope.maxLatitude))
    }
    for level in levels.indices.dropFirst().dropLast() {
      for node in levels[level]..<levels[level + 1] {
        let first = levels[level - 1] + (node - levels[level]) * Self.fanOut
        let end = min(first + Self.fanOut, levels[level])
        boxes.initializeElement(
          at: node,
          to: boxes[first..<end].reduce(Box(repeating: .infinity)) { pointwiseMin($0, $1) })
      }
    }
  }

  deinit { boxes.deallocate() }

  /// Returns whether an element near an envelope satisfies a condition; an element may be tested
  /// twice.
  ///
  /// The envelope is widened by less than a millimetre.
  ///
  /// - Parameters:
  ///   - envelope: The envelope, in degrees.
  ///   - condition: Called with the number of each element until it returns true.
  /// - Returns: Whether the condition was true for an element.
  /// - Complexity: O(log n) for small envelopes at a distance from the elements.
  package func contains(
    intersecting envelope: Envelope, where condition: (Int) -> Bool
  ) -> Bool {
    let margin = Arc.latitudeMargin
    let window = Box(
      envelope.maxLongitude + margin, envelope.maxLatitude + margin,
      -envelope.minLongitude + margin, -envelope.minLatitude + margin)
    return contains(window, level: levels.count - 2, index: 0, where: condition)
  }

  private func contains(
    _ window: Box, level: Int, index: Int, where condition: (Int) -> Bool
  ) -> Bool {
    guard all(boxes[levels[level] + index] .<= window) else { return false }
    if level == 0 { return condition(Int(owners[index])) }
    let first = index * Self.fanOut
    let count = levels[level] - levels[level - 1]
    for child in first..<min(first + Self.fanOut, count)
    where contains(window, level: level - 1, index: child, where: condition) {
      return true
    }
    return false
  }

  /// Visits the elements in the order of lower bounds of their distances from a point, roughly:
  /// nearer parts of the tree before farther ones.
  ///
  /// - Parameters:
  ///   - point: The point.
  ///   - isNear: Whether an element at a haversine or more may be of interest; it may become stricter
  ///     during the visit.
  ///   - visit: Called with the number of an element.
  func visit(
    from point: Vertex, nearer isNear: (Double) -> Bool, _ visit: (Int) -> Void
  ) {
    let origin = DistanceOrigin(longitude: point.longitude, latitude: point.latitude)
    self.visit(origin, level: levels.count - 2, index: 0, isNear, visit)
  }

  private func visit(
    _ origin: DistanceOrigin, level: Int, index: Int, _ isNear: (Double) -> Bool,
    _ visit: (Int) -> Void
  ) {
    if level == 0 { return visit(Int(owners[index])) }
    let first = index * Self.fanOut
    let end = min(first + Self.fanOut, levels[level] - levels[level - 1])
    var bounds = SIMD8<Double>(repeating: .infinity)
    for child in first..<end {
      bounds[child - first] = lowerBound(origin, levels[level - 1] + child)
    }
    for _ in first..<end {
      var nearest = 0
      for child in 1..<(end - first) where bounds[child] < bounds[nearest] { nearest = child }
      guard isNear(bounds[nearest]) else { return }
      bounds[nearest] = .infinity
      self.visit(origin, level: level - 1, index: first + nearest, isNear, visit)
    }
  }

  private func lowerBound(_ origin: DistanceOrigin, _ index: Int) -> Double {
    let box = boxes[index]
    let envelope = Envelope(
      minLongitude: box[0], maxLongitude: -box[2], minLatitude: box[1], maxLatitude: -box[3])
    return origin.minimumHaversine(to: envelope) * (1 - 1e-9)
  }

  /// Returns the least angle between an element and a point if it is less than a limit, else the
  /// limit.
  ///
  /// - Parameters:
  ///   - point: The point.
  ///   - reach: The radius in radians of a circle around the point that contains the other shape.
  ///   - limit: The greatest angle.
  ///   - angle: Returns the angle between an element and the other shape.
  /// - Returns: The angle in radians.
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
extension EnvelopeIndex: @unchecked Sendable {}

/// Returns an upper bound of the haversine of an angle.
func haversineBound(_ angle: Double) -> Double {
  let half = sine(min(angle, .pi) / 2)
  return half * half * (1 + 1e-9) + 1e-300
}

extension ArcTree {
  /// Returns the least angle between an arc and a shape around a point if it is less than a limit,
  /// else the limit.
  ///
  /// - Parameters:
  ///   - point: The point.
  ///   - reach: The radius in radians of a circle around the point that contains the shape.
  ///   - limit: The greatest angle.
  ///   - angle: Returns the angle between the shape and the arc with an index.
  /// - Returns: The angle in radians.
  /// - Complexity: O(log n) for points near the arcs.
  func leastAngle(
    from point: Vertex, reach: Double = 0, below limit: Double, angle: (Int) -> Double
  ) -> Double {
    let origin = DistanceOrigin(longitude: point.longitude, latitude: point.latitude)
    var best = limit
    var bound = haversineBound(best + reach)
    visit(nearer: { origin.minimumHaversine(to: $0) * (1 - 1e-9) < bound }) { arc in
      let angle = angle(arc)
      if angle < best {
        best = angle
        bound = haversineBound(best + reach)
      }
    }
    return best
  }
}

extension Envelope {
  /// The position of the middle on a Z-order curve over all longitudes and latitudes.
  var positionOnCurve: UInt64 {
    let column = ((minLongitude + maxLongitude) / 2 + 180) / 360
    let row = ((minLatitude + maxLatitude) / 2 + 90) / 180
    return Self.spread(column) | Self.spread(row) << 1
  }

  /// Returns 32 bits of a fraction from 0 to 1, with a zero bit after each of them.
  private static func spread(_ fraction: Double) -> UInt64 {
    var bits = UInt64(max(0, min(1, fraction)) * 4_294_967_295)
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }
}

extension Vertex {
  /// The envelopes of all coordinates of the point on the sphere: two at ±180°, all longitudes at a
  /// pole.
  var envelopes: [Envelope] {
    let longitudes = isPole ? [(-180.0, 180.0)] : [(longitude, longitude)]
    let opposite = abs(longitude) == 180 && !isPole ? [(-longitude, -longitude)] : []
    return (longitudes + opposite).map {
      Envelope(
        minLongitude: $0.0, maxLongitude: $0.1, minLatitude: latitude, maxLatitude: latitude)
    }
  }
}
