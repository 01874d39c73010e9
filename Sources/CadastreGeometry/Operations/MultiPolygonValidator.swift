/// A validator of the polygons of a multi-polygon on the sphere.
///
/// Polygons may touch in points. Their interiors are disjoint. They have no part of an edge in common,
/// except along ±180°, where RFC 7946 divides polygons.
///
/// Only edges near the bounding box of another polygon are compared. Between two consecutive contacts
/// a ring is inside or outside of another polygon as a whole, so one point between them is tested.
struct MultiPolygonValidator {
  private let areas: [LazyPolygon]
  private let areaIndex: EnvelopeIndex
  /// The rings of the polygons that are near others, as ranges of `segments`.
  private var rings: [(part: Int, edges: Range<Int>)] = []
  private var segments: [Segment] = []
  /// The polygon of each segment.
  private var owners: [Int] = []
  /// Whether a segment is near the bounding box of another polygon.
  private var isNear: [Bool] = []
  private let segmentIndex: EnvelopeIndex

  /// Collects the edges of valid polygons that are near others; nil if no polygon is near another one.
  init?(_ parts: [(borders: GeoPolygon.Borders, arcs: ArcCollector)]) {
    guard parts.count > 1 else { return nil }
    areas = parts.map { LazyPolygon($0.arcs) }
    guard let areaIndex = EnvelopeIndex(areas.map(\.envelopes)) else { return nil }
    self.areaIndex = areaIndex
    var entries = EnvelopeIndex.Entries()
    for (part, area) in areas.enumerated() {
      let hasOthers = { (envelope: Envelope) in
        areaIndex.contains(intersecting: envelope) { $0 != part }
      }
      guard area.envelopes.contains(where: hasOthers) else { continue }
      var arcs = ArcCollector(edges: .spherical)
      for segments in parts[part].borders.segments {
        let first = self.segments.count
        for segment in segments {
          var isNear = false
          let start = arcs.arcs.count
          arcs.addLine(segment)
          for arc in arcs.arcs[start...] where hasOthers(arc.envelope) {
            entries.append(arc.envelope, of: self.segments.count)
            isNear = true
          }
          self.segments.append(segment)
          owners.append(part)
          self.isNear.append(isNear)
        }
        rings.append((part, first..<self.segments.count))
      }
    }
    // The whole sphere has no edges; the edges of all other polygons are near it.
    guard let segmentIndex = EnvelopeIndex(entries) else { return nil }
    self.segmentIndex = segmentIndex
  }

  /// Checks the polygons.
  ///
  /// - Throws: `RegionError.Reason` with a point at which polygons overlap or have an edge in common.
  func check() throws(RegionError.Reason) {
    for ring in rings {
      // Whether a point was tested since the last contact with another polygon.
      var isTested = false
      for index in ring.edges {
        guard isNear[index] else {
          isTested = true
          continue
        }
        let contacts = try contacts(of: index)
        if contacts.isEmpty, isTested { continue }
        for position in contacts.middles(segments[index].length(.spherical)) {
          let point = segments[index].point(at: position, edges: .spherical)
          if isInside(point, ofOthersThan: ring.part) { throw Self.fault(at: point) }
        }
        isTested = contacts.isEmpty
      }
    }
  }

  /// The contacts of an edge with other polygons, as positions along the edge.
  private struct Contacts {
    var positions: [Double] = []
    /// The parts of the edge that are on edges of other polygons.
    var common: [ClosedRange<Double>] = []
    /// Whether an end of the edge touches another polygon, perhaps at a pole.
    var isAtEnd = false

    var isEmpty: Bool { positions.isEmpty && common.isEmpty && !isAtEnd }

    /// The middles of the parts of the edge between contacts.
    func middles(_ length: Double) -> [Double] {
      let ends = ([0, length] + positions + common.flatMap { [$0.lowerBound, $0.upperBound] })
        .filter { $0 >= 0 && $0 <= length }.sorted()
      return zip(ends, ends.dropFirst()).compactMap { start, end in
        guard end - start > length * 1e-12 else { return nil }
        let middle = start + (end - start) / 2
        return common.contains { $0.contains(middle) } ? nil : middle
      }
    }
  }

  private func contacts(of index: Int) throws(RegionError.Reason) -> Contacts {
    let segment = segments[index]
    var contacts = Contacts()
    contacts.isAtEnd = segment.start.isPole || segment.end.isPole
    var fault: Vertex?
    for envelope in segment.envelopes(.spherical) where fault == nil {
      _ = segmentIndex.contains(intersecting: envelope) { other in
        guard owners[other] != owners[index] else { return false }
        fault = Self.compare(segment, segments[other], &contacts)
        return fault != nil
      }
    }
    if let fault { throw Self.fault(at: fault) }
    return contacts
  }

  /// Adds the contacts of an edge with an edge of another polygon, or returns a point at which the edges
  /// cross or coincide.
  private static func compare(
    _ segment: Segment, _ other: Segment, _ contacts: inout Contacts
  ) -> Vertex? {
    let length = segment.length(.spherical)
    if segment.isCollinear(with: other, edges: .spherical) {
      for part in segment.parts(on: other, edges: .spherical) {
        let (start, end) = (max(0, part.lowerBound), min(length, part.upperBound))
        // Positions of the same point differ by rounding errors of less than 6 micrometres.
        if end - start > 1e-12 {
          guard segment.isOnSeam, other.isOnSeam else {
            return segment.point(at: start + (end - start) / 2, edges: .spherical)
          }
          contacts.common.append(start...end)
        } else if end - start > -1e-12 {
          contacts.isAtEnd = true
        }
      }
      return nil
    }
    if let crossing = segment.positions(ofCrossings: other, edges: .spherical).first {
      return segment.point(at: crossing, edges: .spherical)
    }
    for vertex in [other.start, other.end] where segment.contains(vertex, edges: .spherical) {
      contacts.positions.append(segment.position(of: vertex, edges: .spherical))
    }
    for vertex in [segment.start, segment.end] where other.contains(vertex, edges: .spherical) {
      contacts.isAtEnd = true
    }
    return nil
  }

  /// Returns whether a point is inside of another polygon, and farther from its border than the tolerance.
  private func isInside(_ point: Vertex, ofOthersThan part: Int) -> Bool {
    let envelopes = point.onSphere.envelopes
    let isCovered = envelopes.contains { envelope in
      areaIndex.contains(intersecting: envelope) {
        $0 != part && areas[$0].contains(longitude: point.longitude, latitude: point.latitude)
      }
    }
    return isCovered
      && !envelopes.contains { envelope in
        segmentIndex.contains(intersecting: envelope) {
          owners[$0] != part && segments[$0].contains(point, edges: .spherical)
        }
      }
  }

  private static func fault(at point: Vertex) -> RegionError.Reason {
    .overlappingPolygons(longitude: point.longitude, latitude: point.latitude)
  }
}

extension GeoPolygon.Borders {
  /// The edges on the sphere, grouped by loop; each whole parallel is a group.
  var segments: [[Segment]] {
    loops.map { Segment.chain($0, isClosed: true, edges: .spherical) }
      + courses.flatMap(\.borders).map { [Segment(parallel: $0)] }
  }
}

extension Segment {
  /// Whether the edge is a part of the meridian ±180°.
  fileprivate var isOnSeam: Bool {
    !isParallel && [start, end].allSatisfy { $0.isPole || $0.longitude == -180 }
  }
}
