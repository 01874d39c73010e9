import Synchronization

/// The arcs of a polygon, which are indexed when they have been tested often.
///
/// To index an arc takes as long as to compare a point with about a hundred arcs. So the first points
/// are compared with all arcs, which suits joins, where most polygons meet few points.
final class LazyPolygon {
  private let collector: ArcCollector
  /// The extent of the arcs.
  let extent: ArcExtent
  private let indexed = AtomicLazyReference<PreparedPolygon>()
  private let tests = Atomic<Int>(0)

  /// The number of points that are compared with all arcs.
  private static let linearTests = 64

  /// Creates a polygon from at least one arc.
  init(_ collector: ArcCollector) {
    self.collector = collector
    extent = ArcExtent(collector)
  }

  /// The polygon with its indexes.
  var polygon: PreparedPolygon {
    indexed.load() ?? indexed.storeIfNil(PreparedPolygon(collector, extent))
  }

  /// One or two envelopes that cover the polygon.
  var envelopes: [Envelope] { extent.envelopes(collector.edges) }

  /// Returns whether a point in degrees is inside the polygon or on its border.
  ///
  /// - Complexity: O(n) for the first points, then that of ``PreparedPolygon``.
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
    let edges = collector.edges
    guard latitude >= extent.minLatitude, latitude <= extent.maxLatitude, longitude >= -180,
      longitude <= 180
    else { return false }
    var position = longitude
    if edges == .spherical {
      if abs(latitude) == 90 {
        return latitude > 0 ? extent.containsNorthPole : extent.containsSouthPole
      }
      if longitude == 180 { position = -180 }
    }
    var roles = collector.base.rawValue
    var isOnHole = false
    for arc in collector.arcs {
      if position < arc.west || position > arc.east || latitude > arc.maxLatitude { continue }
      if latitude < arc.minLatitude {
        if position < arc.east { roles ^= arc.role.rawValue }
        continue
      }
      switch arc.side(longitude: position, latitude: latitude, edges: edges) {
      case .north: break
      case .south: if position < arc.east { roles ^= arc.role.rawValue }
      case .border:
        guard arc.role == .hole else { return true }
        isOnHole = true
        if position < arc.east { roles ^= arc.role.rawValue }
      }
    }
    return isOnHole ? roles & 1 != 0 : roles & 3 == 1
  }
}

// Safe because all state is immutable or atomic, the memory behind pointers included.
extension LazyPolygon: @unchecked Sendable {}
