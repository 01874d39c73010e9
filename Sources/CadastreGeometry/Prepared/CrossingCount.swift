/// The arcs north of a point that were counted so far, by the rules of ``PreparedPolygon``.
struct CrossingCount {
  private var roles: UInt8
  private var isOnBorder = false
  private var isOnHole = false

  /// Creates a count without arcs.
  ///
  /// - Parameter base: The roles of the rings whose interior contains the north pole.
  init(_ base: Arc.Role) { roles = base.rawValue }

  /// Counts an arc that spans the longitude of the point.
  @inline(__always)
  mutating func add(_ arc: Arc, longitude: Double, latitude: Double, edges: EdgeModel) {
    if latitude > arc.maxLatitude { return }
    if latitude >= arc.minLatitude {
      switch arc.side(longitude: longitude, latitude: latitude, edges: edges) {
      case .north: return
      case .south: break
      case .border: if arc.role == .hole { isOnHole = true } else { isOnBorder = true }
      }
    }
    if longitude < arc.east { roles ^= arc.role.rawValue }
  }

  /// Whether the point is inside the polygon or on its border, after all arcs.
  var isInside: Bool { isOnBorder || (isOnHole ? roles & 1 != 0 : roles & 3 == 1) }
}
