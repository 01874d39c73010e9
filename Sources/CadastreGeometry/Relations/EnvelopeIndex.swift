/// A packed tree of the envelopes of elements, which may be in any order.
///
/// The envelopes are sorted along a curve, so that consecutive ones are near each other. Eight of
/// them form a node, eight nodes a node of the next level, and so on up to one root.
///
/// - Complexity: O(n log n) to build.
package final class EnvelopeIndex {
  /// West, south, negated east and negated north, so that one comparison tests all four sides.
  fileprivate typealias Box = SIMD4<Double>

  /// The element of each envelope.
  let owners: [Int32]
  /// The boxes of all levels, from the envelopes to the root.
  private let boxes: UnsafeMutableBufferPointer<Box>
  /// The index of each level's first box, and the number of all boxes.
  let levels: [Int]
  private static let fanOut = 8

  /// Indexes elements; nil without envelopes.
  ///
  /// - Parameter elements: The envelopes of each element.
  package convenience init?(_ elements: [[Envelope]]) {
    var entries = Entries()
    for (index, envelopes) in elements.enumerated() {
      for envelope in envelopes { entries.append(envelope, of: index) }
    }
    self.init(entries)
  }

  /// The envelopes of an index to be built.
  package struct Entries {
    fileprivate var boxes: [Box] = []
    fileprivate var owners: [Int32] = []
    fileprivate var places: [CurvePlace] = []

    /// Creates an empty list.
    package init() {}

    /// Adds an envelope of an element.
    ///
    /// - Parameters:
    ///   - envelope: The envelope, in degrees.
    ///   - element: The number of the element, less than 2^31.
    package mutating func append(_ envelope: Envelope, of element: Int) {
      places.append(CurvePlace(position: envelope.positionOnCurve, index: Int32(boxes.count)))
      boxes.append(
        Box(
          envelope.minLongitude, envelope.minLatitude, -envelope.maxLongitude,
          -envelope.maxLatitude))
      owners.append(Int32(element))
    }

    /// Adds a point, at each of the longitudes that it has at ±180° and at a pole.
    ///
    /// - Parameters:
    ///   - longitude: The longitude in degrees.
    ///   - latitude: The latitude in degrees.
    ///   - element: The number of the element, less than 2^31.
    package mutating func append(longitude: Double, latitude: Double, of element: Int) {
      guard abs(longitude) < 180, abs(latitude) < 90 else {
        let vertex = Vertex(longitude: longitude, latitude: latitude)
        for envelope in vertex.envelopes { append(envelope, of: element) }
        return
      }
      append(
        Envelope(
          minLongitude: longitude, maxLongitude: longitude, minLatitude: latitude,
          maxLatitude: latitude), of: element)
    }
  }

  /// Indexes envelopes; nil without any.
  package init?(_ list: Entries) {
    guard !list.boxes.isEmpty else { return nil }
    let places = CurvePlace.sorted(list.places)
    owners = places.map { list.owners[Int($0.index)] }
    var levels = [0]
    var size = places.count
    repeat {
      levels.append(levels[levels.count - 1] + size)
      size = size == 1 ? 0 : (size + Self.fanOut - 1) / Self.fanOut
    } while size > 0
    self.levels = levels
    boxes = .allocate(capacity: levels[levels.count - 1])
    for (index, place) in places.enumerated() {
      boxes.initializeElement(at: index, to: list.boxes[Int(place.index)])
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

  /// The envelope of all elements.
  package var bounds: Envelope { envelope(levels[levels.count - 1] - 1) }

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
    let window = Self.window(envelope)
    return contains(window, level: levels.count - 2, index: 0) { condition(Int(owners[$0])) }
  }

  /// The greatest west, south, negated east and negated north of boxes that intersect an envelope.
  static func window(_ envelope: Envelope) -> SIMD4<Double> {
    let margin = Arc.latitudeMargin
    return Box(
      envelope.maxLongitude + margin, envelope.maxLatitude + margin,
      -envelope.minLongitude + margin, -envelope.minLatitude + margin)
  }

  /// Returns whether an envelope of an element in a window satisfies a condition on its index.
  func contains(
    _ window: SIMD4<Double>, level: Int, index: Int, where condition: (Int) -> Bool
  ) -> Bool {
    if level == 0 { return all(boxes[index] .<= window) && condition(index) }
    let (start, end) = (levels[level - 1], levels[level])
    let first = start + index * Self.fanOut
    for child in first..<min(first + Self.fanOut, end) where all(boxes[child] .<= window) {
      let isFound =
        level == 1
        ? condition(child)
        : contains(window, level: level - 1, index: child - start, where: condition)
      if isFound { return true }
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
    origin.minimumHaversine(to: envelope(index)) * (1 - 1e-9)
  }

  /// The box with an index of all levels.
  func envelope(_ index: Int) -> Envelope {
    let box = boxes[index]
    return Envelope(
      minLongitude: box[0], maxLongitude: -box[2], minLatitude: box[1], maxLatitude: -box[3])
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
