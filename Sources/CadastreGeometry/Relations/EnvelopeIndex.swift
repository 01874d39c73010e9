/// A tree of the envelopes of elements, which may be in any order.
///
/// - Complexity: O(n log n) to build.
final class EnvelopeIndex {
  private let boxes: UnsafeMutableBufferPointer<Arc>
  /// The index of the element of each box.
  private let owners: [Int32]
  private let tree: ArcTree

  /// Indexes elements; nil without envelopes.
  ///
  /// - Parameters:
  ///   - elements: The envelopes of each element.
  ///   - edges: The model of the edges.
  init?(_ elements: [[Envelope]], edges: EdgeModel) {
    var entries: [(key: UInt64, envelope: Envelope, owner: Int32)] = []
    for (index, envelopes) in elements.enumerated() {
      for envelope in envelopes {
        entries.append((envelope.positionOnCurve, envelope, Int32(index)))
      }
    }
    guard !entries.isEmpty else { return nil }
    entries.sort { $0.key < $1.key }
    owners = entries.map(\.owner)
    boxes = .allocate(capacity: entries.count)
    // The tree uses the bounds of arcs only.
    _ = boxes.initialize(
      from: entries.lazy.map { entry in
        let envelope = entry.envelope
        return Arc(
          west: envelope.minLongitude, east: envelope.maxLongitude,
          westLatitude: envelope.minLatitude, eastLatitude: envelope.maxLatitude,
          minLatitude: envelope.minLatitude, maxLatitude: envelope.maxLatitude, kind: .meridian,
          role: .line)
      })
    tree = ArcTree(arcs: UnsafeBufferPointer(boxes), edges: edges)
  }

  deinit { boxes.deallocate() }

  /// Returns whether an element near an envelope satisfies a condition; an element may be tested
  /// twice.
  func contains(intersecting envelope: Envelope, where condition: (Int) -> Bool) -> Bool {
    tree.contains(intersecting: envelope) { condition(Int(owners[$0])) }
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
    tree.leastAngle(from: point, reach: reach, below: limit) { angle(Int(owners[$0])) }
  }
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
    let haversine = { (angle: Double) in
      let half = sine(min(angle, .pi) / 2)
      return half * half * (1 + 1e-9) + 1e-300
    }
    var best = limit
    var bound = haversine(best + reach)
    visit(nearer: { origin.minimumHaversine(to: $0) * (1 - 1e-9) < bound }) { arc in
      let angle = angle(arc)
      if angle < best {
        best = angle
        bound = haversine(best + reach)
      }
    }
    return best
  }
}

extension Envelope {
  /// The position of the middle on a Z-order curve over all longitudes and latitudes.
  fileprivate var positionOnCurve: UInt64 {
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
