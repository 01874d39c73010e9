/// The arcs of a polygon, indexed for tests of points and envelopes.
///
/// A point is inside a ring if the number of arcs north of the point on its meridian is odd. If the
/// interior of the ring contains the north pole, a point is inside if the number is even. Rings of any size,
/// across ±180° and around poles need no special case and no projection.
///
/// Source: M. Shimrat, "Algorithm 112: Position of point relative to polygon", Communications of
/// the ACM 5, 1962, for the crossing count; F. Preparata and M. Shamos, "Computational Geometry",
/// 1985, section 2.2.2, for the strips.
final class PreparedPolygon {
  let edges: EdgeModel
  let arcs: UnsafeMutableBufferPointer<Arc>
  private let strips: ArcStrips
  /// The fields of `strips`, copied here because the test of a point is hot.
  let parts: UnsafePointer<ArcStrips.Part>
  let bounds: UnsafePointer<Int32>
  let start: Double
  let width: Double
  let scale: Double
  let lastStrip: Int
  private let tree: EnvelopeTree
  /// The initial parity; see `ArcCollector.base`.
  let base: UInt8
  /// The lower bound of the region's latitudes, in degrees.
  let south: Double
  /// The upper bound of the region's latitudes, in degrees.
  let north: Double
  private let extent: ArcExtent

  /// Creates a polygon; without arcs it is the whole sphere.
  convenience init(_ collector: ArcCollector) { self.init(collector, ArcExtent(collector)) }

  /// Creates a polygon from arcs and their extent.
  init(_ collector: ArcCollector, _ extent: ArcExtent) {
    edges = collector.edges
    self.extent = extent
    let ordered = Self.ordered(collector.arcs)
    arcs = .allocate(capacity: ordered.count)
    _ = arcs.initialize(from: ordered)
    let strips = ArcStrips(arcs: UnsafeBufferPointer(arcs), extent, edges: edges)
    self.strips = strips
    (start, width, scale, lastStrip) = (extent.start, extent.width, strips.scale, strips.count - 1)
    (parts, bounds) = strips.lists
    tree = EnvelopeTree(arcs: ordered)
    base = collector.base.rawValue
    (south, north) = (extent.south, extent.north)
  }

  deinit {
    arcs.deallocate()
  }

  /// Returns arcs in the order of the rings; if they cross ±180°, the arcs of the eastern hemisphere
  /// first, so that consecutive arcs are near each other.
  private static func ordered(_ arcs: [Arc]) -> [Arc] {
    guard arcs.contains(where: { $0.west == -180 }), arcs.contains(where: { $0.east == 180 })
    else { return arcs }
    return arcs.filter { $0.west >= 0 } + arcs.filter { $0.west < 0 }
  }

  /// Returns whether a point in degrees is inside the polygon or on its border.
  ///
  /// - Complexity: O(1) for round polygons, O(n) in the worst case.
  @inline(__always)
  func contains(longitude: Double, latitude: Double) -> Bool {
    guard latitude >= south, latitude <= north, longitude >= -180, longitude <= 180
    else { return false }
    var position = longitude
    if edges == .spherical {
      if abs(latitude) == 90 {
        return latitude > 0 ? extent.containsNorthPole : extent.containsSouthPole
      }
      if longitude == 180 { position = -180 }
    }
    var offset = position - start
    if offset < 0 {
      if edges == .planar { return false }
      offset += 360
    }
    guard offset <= width else { return base & 3 == 1 }
    let strip = min(Int(offset * scale), lastStrip)
    var next = Int(bounds[strip])
    let end = Int(bounds[strip + 1])
    var roles = base
    var isOnHole = false
    while next < end {
      let part = parts[next]
      next += 1
      if latitude > part.north { break }
      if position < part.west || position > part.east { continue }
      if latitude < part.south {
        if position < part.east { roles ^= part.role }
        continue
      }
      switch arcs[Int(part.arc)].side(longitude: position, latitude: latitude, edges: edges) {
      case .north: break
      case .south: if position < part.east { roles ^= part.role }
      case .border:
        guard part.role == Arc.Role.hole.rawValue else { return true }
        isOnHole = true
        if position < part.east { roles ^= part.role }
      }
    }
    return isOnHole ? roles & 1 != 0 : roles & 3 == 1
  }

  /// Classifies an envelope; see `PreparedRegion.relation(to:)`.
  func relation(to envelope: Envelope) -> EnvelopeRelation {
    guard envelope.north >= south, envelope.south <= north
    else { return .disjoint }
    let isNearBorder = tree.contains(intersecting: envelope) {
      arcs[$0].intersects(envelope, edges: edges)
    }
    if isNearBorder { return .intersects }
    let center = envelope.center
    if contains(longitude: center.longitude, latitude: center.latitude) { return .inside }
    // A pole on the border is in the region at any longitude.
    let containsPole =
      extent.containsNorthPole && envelope.north == 90
      || extent.containsSouthPole && envelope.south == -90
    return containsPole ? .intersects : .disjoint
  }

  /// One or two envelopes that cover the polygon.
  var envelopes: [Envelope] { extent.envelopes(edges) }
}

/// Fast classification of boxes of the size of a point.
extension PreparedPolygon {
  /// Classifies a small box with the arcs of one strip; nil if other arcs are needed, too.
  ///
  /// If no arc is near the box, all of the box is on the same side as its centre.
  @inline(__always)
  func relation(to box: SmallBox) -> EnvelopeRelation? {
    let (south, north) = (box.latitude - box.halfHeight, box.latitude + box.halfHeight)
    let (west, east) = (box.longitude - box.halfWidth, box.longitude + box.halfWidth)
    guard north >= self.south, south <= self.north else { return .disjoint }
    // Points at the poles and at ±180° have several coordinates.
    guard south > -89.9, north < 89.9, west > -180, east < 180 else { return nil }
    var offset = box.longitude - start
    if offset < 0, edges == .spherical { offset += 360 }
    guard offset - box.halfWidth > 0, offset + box.halfWidth < width else {
      let isBeside =
        offset < 0
        ? offset + box.halfWidth < 0
        : offset - box.halfWidth > width + 1e-9 && offset + box.halfWidth < 360 - 1e-9
      guard isBeside else { return nil }
      return base & 3 == 1 ? .inside : .disjoint
    }
    let strip = Int((offset - box.halfWidth) * scale)
    guard strip == Int((offset + box.halfWidth) * scale), strip <= lastStrip else { return nil }
    var roles = base
    var next = Int(bounds[strip])
    let end = Int(bounds[strip + 1])
    while next < end {
      let part = parts[next]
      next += 1
      if south > part.north { break }
      if east < part.west || west > part.east { continue }
      let isOver = box.longitude >= part.west && box.longitude < part.east
      if north < part.south {
        if isOver { roles ^= part.role }
        continue
      }
      guard west > part.west, east < part.east else { return nil }
      switch arcs[Int(part.arc)].side(of: box, edges: edges) {
      case .north: break
      case .south: roles ^= part.role
      case .border: return nil
      }
    }
    return roles & 3 == 1 ? .inside : .disjoint
  }
}
