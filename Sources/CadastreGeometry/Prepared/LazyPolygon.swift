import Synchronization

/// A polygon that is indexed after a number of tests.
///
/// Indexing an arc takes as long as comparing a point with about a hundred arcs. So the first points are
/// compared with all arcs: in a join most polygons are tested with few points.
final class LazyPolygon {
  private let collector: ArcCollector
  /// The extent of the arcs.
  let extent: ArcExtent
  /// One or two envelopes that cover the polygon.
  let envelopes: [Envelope]
  private let indexed = AtomicLazyReference<PreparedPolygon>()
  private let tests = Atomic<Int>(0)

  /// The number of points that are compared with all arcs before the polygon is indexed.
  private static let linearTests = 64

  /// Creates a polygon; without arcs it is the whole sphere.
  init(_ collector: ArcCollector) {
    self.collector = collector
    extent = ArcExtent(collector)
    envelopes = extent.envelopes(collector.edges)
  }

  /// The model of the edges.
  var edges: EdgeModel { collector.edges }

  /// The arcs of the rings.
  var arcs: [Arc] { collector.arcs }

  /// The roles of the rings whose interior contains the north pole.
  var base: Arc.Role { collector.base }

  /// The indexed polygon; nil before the polygon is indexed.
  var indexedPolygon: PreparedPolygon? { indexed.load() }

  /// The indexed polygon, which the first call creates.
  var polygon: PreparedPolygon {
    indexed.load() ?? indexed.storeIfNil(PreparedPolygon(collector, extent))
  }

  /// Returns whether a point in degrees is inside the polygon or on its border.
  ///
  /// - Complexity: O(n) for the first points, then as ``PreparedPolygon``.
  func contains(longitude: Double, latitude: Double) -> Bool {
    if let polygon = indexed.load() {
      return polygon.contains(longitude: longitude, latitude: latitude)
    }
    guard tests.add(1, ordering: .relaxed).oldValue < Self.linearTests else {
      return polygon.contains(longitude: longitude, latitude: latitude)
    }
    return linearlyContains(longitude: longitude, latitude: latitude)
  }

  /// Compares a point with all arcs, by the rules of ``PreparedPolygon``.
  private func linearlyContains(longitude: Double, latitude: Double) -> Bool {
    let edges = edges
    guard longitude >= -180, longitude <= 180 else { return false }
    let position = edges == .spherical && longitude == 180 ? -180 : longitude
    var crossings = CrossingCount(base)
    for arc in arcs where position >= arc.west && position <= arc.east {
      crossings.add(arc, longitude: position, latitude: latitude, edges: edges)
    }
    return isInside(crossings, longitude: position, latitude: latitude)
  }

  /// Returns whether a point is inside the polygon or on its border.
  ///
  /// - Parameters:
  ///   - crossings: The count of all arcs that span the longitude of the point.
  ///   - longitude: The longitude of the point, in degrees.
  ///   - latitude: The latitude of the point, in degrees.
  /// - Returns: Whether the polygon covers the point.
  func isInside(_ crossings: CrossingCount, longitude: Double, latitude: Double) -> Bool {
    guard latitude >= extent.south, latitude <= extent.north else { return false }
    if edges == .spherical, abs(latitude) == 90 {
      return latitude > 0 ? extent.containsNorthPole : extent.containsSouthPole
    }
    return crossings.isInside
  }

  /// Classifies an envelope; see ``PreparedRegion/relation(to:)``.
  func relation(to envelope: Envelope) -> EnvelopeRelation {
    // Most envelopes are disjoint from the envelope of most polygons, so that no index is needed.
    let isNear = envelopes.contains { $0.widened.intersects(envelope) }
    return isNear ? polygon.relation(to: envelope) : .disjoint
  }
}

// Safe because all state is immutable or atomic, the memory behind pointers included.
extension LazyPolygon: @unchecked Sendable {}

/// A count of the arcs north of a point, by the rules of ``PreparedPolygon``.
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
    if latitude > arc.north { return }
    if latitude >= arc.south {
      switch arc.side(longitude: longitude, latitude: latitude, edges: edges) {
      case .north: return
      case .south: break
      case .border: if arc.role == .hole { isOnHole = true } else { isOnBorder = true }
      }
    }
    if longitude < arc.east { roles ^= arc.role.rawValue }
  }

  /// Whether the point is inside the polygon or on its border; valid after all arcs were counted.
  var isInside: Bool { isOnBorder || (isOnHole ? roles & 1 != 0 : roles & 3 == 1) }
}
