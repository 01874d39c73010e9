import CadastreGeometry

/// The grouping of the rings of a Shapefile record into polygons.
///
/// A ring inside of an exterior ring is a hole, and a ring inside of a hole is an exterior ring again.
/// The directions of rings, which the format defines, are not used: some programs write all rings in one
/// direction, or both in the wrong one.
struct RingNesting {
  private let rings: [[GeoPosition]]
  /// Twice the area of each ring in longitude and latitude.
  private let areas: [Double]

  /// Creates the grouping of closed rings.
  init(_ rings: [[GeoPosition]]) {
    self.rings = rings
    areas = rings.map { ring in
      abs(
        zip(ring, ring.dropFirst()).reduce(0) {
          $0 + ($1.0.longitude * $1.1.latitude - $1.1.longitude * $1.0.latitude)
        })
    }
  }

  /// The polygons in the order of their exterior rings, each with its holes in their order.
  ///
  /// - Complexity: O(n log n) for n positions, if few bounding boxes of rings are nested.
  var polygons: [[[GeoPosition]]] {
    guard rings.count > 1 else { return rings.map { [$0] } }
    let owners = owners
    var holes: [Int: [[GeoPosition]]] = [:]
    for (index, owner) in owners.enumerated() {
      if let owner { holes[owner, default: []].append(rings[index]) }
    }
    return rings.indices.filter { owners[$0] == nil }.map { [rings[$0]] + holes[$0, default: []] }
  }

  /// The exterior ring of each hole; nil for an exterior ring.
  private var owners: [Int?] {
    // A ring that is too short or open is no polygon, and is refused with the geometry.
    let shapes = rings.map { ring in
      (try? Geometry(.polygon([ring]))).map { PreparedGeometry($0, edges: .planar) }
    }
    var owners = [Int?](repeating: nil, count: rings.count)
    guard let index = EnvelopeIndex(shapes.map { $0?.envelopes ?? [] }) else {
      return owners
    }
    // Larger rings first; equal ones in their order.
    let order = rings.indices.sorted { (-areas[$0], $0) < (-areas[$1], $1) }
    var rank = [Int](repeating: 0, count: rings.count)
    for (place, ring) in order.enumerated() { rank[ring] = place }
    for ring in order {
      guard let shape = shapes[ring], let envelope = shape.bounds else { continue }
      // The smallest ring around this one.
      var innermost: Int?
      _ = index.contains(intersecting: envelope) { other in
        if rank[other] < rank[ring], rank[other] > (innermost.map { rank[$0] } ?? -1),
          let around = shapes[other], around.bounds?.encloses(envelope) == true,
          around.covers(shape)
        {
          innermost = other
        }
        return false
      }
      if let innermost, owners[innermost] == nil { owners[ring] = innermost }
    }
    return owners
  }
}

extension Envelope {
  /// Returns whether another envelope is inside of this one.
  fileprivate func encloses(_ other: Envelope) -> Bool {
    minLongitude <= other.minLongitude && other.maxLongitude <= maxLongitude
      && minLatitude <= other.minLatitude && other.maxLatitude <= maxLatitude
  }
}
