/// The arcs of one polygon, ready to be asked about points and rectangles.
///
/// A point is inside a ring when the number of arcs north of it on its meridian is odd, or even if
/// the ring's inside holds what lies beyond the north pole. Rings of every size, over ±180° and
/// around poles are treated alike, and nothing is projected.
///
/// Source: the crossing count is M. Shimrat, "Algorithm 112: Position of point relative to
/// polygon", Communications of the ACM 5, 1962; strips follow F. Preparata and M. Shamos,
/// "Computational Geometry", 1985, section 2.2.2.
final class PreparedPolygon {
  let edges: EdgeModel
  let arcs: UnsafeMutableBufferPointer<Arc>
  private let strips: ArcStrips
  /// The strips' lists, at hand for the test of a point.
  let parts: UnsafePointer<ArcStrips.Part>
  let bounds: UnsafePointer<Int32>
  let start: Double
  let width: Double
  let scale: Double
  let lastStrip: Int
  private let tree: ArcTree
  let base: UInt8
  /// Latitudes between which the region lies.
  let minLatitude: Double
  let maxLatitude: Double
  /// Whether the pole belongs to the region; on the sphere only.
  private let holdsNorthPole: Bool
  private let holdsSouthPole: Bool

  /// Takes over the arcs of a polygon; at least one.
  init(_ collector: ArcCollector) {
    let edges = collector.edges
    self.edges = edges
    let ordered = Self.ordered(collector.arcs)
    arcs = .allocate(capacity: ordered.count)
    _ = arcs.initialize(from: ordered)
    let strips = ArcStrips(arcs: UnsafeBufferPointer(arcs), edges: edges)
    self.strips = strips
    (start, width, scale, lastStrip) = (strips.start, strips.width, strips.scale, strips.count - 1)
    (parts, bounds) = strips.lists
    tree = ArcTree(arcs: UnsafeBufferPointer(arcs), edges: edges)
    base = collector.base.rawValue
    let spherical = edges == .spherical
    let isInside = { (roles: UInt8) in roles & 3 == 1 }
    holdsNorthPole =
      spherical && (isInside(base) || ordered.contains { $0.maxLatitude == 90 && $0.isBorder(90) })
    let south = ordered.reduce(into: base) { roles, arc in
      if arc.west <= strips.start && strips.start < arc.east { roles ^= arc.role.rawValue }
    }
    holdsSouthPole =
      spherical
      && (isInside(south) || ordered.contains { $0.minLatitude == -90 && $0.isBorder(-90) })
    let lowest = ordered.reduce(90) { min($0, $1.minLatitude) }
    let highest = ordered.reduce(-90) { max($0, $1.maxLatitude) }
    minLatitude = holdsSouthPole ? -90 : lowest
    maxLatitude = holdsNorthPole ? 90 : highest
  }

  deinit {
    arcs.deallocate()
  }

  /// Arcs in the order of the rings, but those east of the widest gap first, so that a ring over
  /// ±180° does not jump to and fro between both ends of the map.
  private static func ordered(_ arcs: [Arc]) -> [Arc] {
    guard arcs.contains(where: { $0.west == -180 }), arcs.contains(where: { $0.east == 180 })
    else { return arcs }
    return arcs.filter { $0.west >= 0 } + arcs.filter { $0.west < 0 }
  }

  /// Whether a point is in the polygon or on its border.
  @inline(__always)
  func contains(longitude: Double, latitude: Double) -> Bool {
    guard latitude >= minLatitude, latitude <= maxLatitude, longitude >= -180, longitude <= 180
    else { return false }
    var position = longitude
    if edges == .spherical {
      if abs(latitude) == 90 { return latitude > 0 ? holdsNorthPole : holdsSouthPole }
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
      if latitude > part.maxLatitude { break }
      if position < part.west || position > part.east { continue }
      if latitude < part.minLatitude {
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

  /// How a rectangle lies to the polygon; see `PreparedRegion.relation(to:)`.
  func relation(to rectangle: Envelope) -> EnvelopeRelation {
    guard rectangle.maxLatitude >= minLatitude, rectangle.minLatitude <= maxLatitude
    else { return .disjoint }
    if tree.touches(rectangle) { return .straddles }
    let isInside = contains(
      longitude: rectangle.minLongitude + (rectangle.maxLongitude - rectangle.minLongitude) / 2,
      latitude: rectangle.minLatitude + (rectangle.maxLatitude - rectangle.minLatitude) / 2)
    if isInside { return .inside }
    // A pole on the border is part of the region at whatever longitude a rectangle meets it.
    let meetsPole =
      holdsNorthPole && rectangle.maxLatitude == 90
      || holdsSouthPole && rectangle.minLatitude == -90
    return meetsPole ? .straddles : .disjoint
  }

  /// One or two rectangles that cover the polygon.
  var envelopes: [Envelope] {
    var envelope = Envelope.world
    envelope.minLatitude = minLatitude
    envelope.maxLatitude = maxLatitude
    let isAround = edges == .spherical && (holdsNorthPole || holdsSouthPole)
    if isAround { return [envelope] }
    envelope.minLongitude = strips.start
    // The end is a sum that may be rounded down.
    envelope.maxLongitude = strips.start + strips.width + 1e-12
    if edges == .spherical { return envelope.wrapped }
    envelope.maxLongitude = min(180, envelope.maxLongitude)
    return [envelope]
  }
}

extension Arc {
  /// Whether the arc's end at a pole is there, and not only its widened bound.
  fileprivate func isBorder(_ latitude: Double) -> Bool {
    westLatitude == latitude || eastLatitude == latitude
  }
}
