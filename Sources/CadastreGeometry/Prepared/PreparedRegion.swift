/// How a rectangle lies to a region.
package enum EnvelopeRelation: Hashable, Sendable {
  /// No point of the rectangle is in the region.
  case disjoint
  /// Every point of the rectangle is in the region.
  case inside
  /// The border may pass through the rectangle.
  case straddles
}

/// A region checked and prepared once, then asked about many points and rectangles.
///
/// The border belongs to the region; on the sphere a point closer to an edge than 4e-15 radians
/// (25 nanometres) is on it, because finer coordinates have no doubles. Altitudes are ignored.
package final class PreparedRegion {
  /// The region as given.
  package let shape: GeoShape
  /// What its edges are.
  package let edges: EdgeModel
  /// One or more rectangles that together cover the region, bulges of great circles included.
  package let envelopes: [Envelope]
  let body: Body

  /// The forms a region can take once prepared.
  enum Body {
    case everything
    case band(Envelope)
    case circle(PreparedCircle)
    case polygon(PreparedPolygon)
    case polygons([PreparedPolygon])
  }

  /// Checks and prepares a region.
  ///
  /// - Throws: What is wrong with the shape, and where. A polygon that GEOS calls valid, in
  ///   longitude and latitude or on the sphere, is never refused, except for edges between
  ///   antipodes with spherical edges.
  /// - Complexity: O(n log n) for n vertices.
  package init(_ shape: GeoShape, edges: EdgeModel = .spherical) throws(RegionError) {
    self.shape = shape
    self.edges = edges
    do throws(RegionError.Reason) {
      body = try Self.body(of: shape, edges: edges)
    } catch {
      throw RegionError(shape: shape.description, reason: error)
    }
    envelopes =
      switch body {
      case .everything: [.world]
      case .band(let envelope): [envelope]
      case .circle(let circle): circle.envelopes
      case .polygon(let polygon): polygon.envelopes
      case .polygons(let polygons): polygons.flatMap(\.envelopes)
      }
  }

  private static func body(
    of shape: GeoShape, edges: EdgeModel
  ) throws(RegionError.Reason) -> Body {
    switch shape {
    case .circle(let circle):
      return circle.radiusInRadians >= .pi ? .everything : .circle(PreparedCircle(circle))
    case .box(let box):
      if let band = box.band(edges: edges) { return .band(band) }
      return .polygon(PreparedPolygon(try box.arcs(edges: edges)))
    case .polygon(let polygon):
      return .polygon(PreparedPolygon(try polygon.checkedArcs(edges: edges)))
    case .multiPolygon(let polygons):
      guard !polygons.isEmpty else { throw .empty }
      var prepared: [PreparedPolygon] = []
      for polygon in polygons {
        prepared.append(PreparedPolygon(try polygon.checkedArcs(edges: edges)))
      }
      return .polygons(prepared)
    }
  }

  /// Whether a place in degrees is in the region or on its border.
  ///
  /// Coordinates out of range and NaN are in no region.
  /// - Complexity: O(1) for round polygons, O(n) at worst, when one meridian meets all edges.
  package func contains(longitude: Double, latitude: Double) -> Bool {
    guard CoordinateRange.contains(longitude: longitude, latitude: latitude) else { return false }
    switch body {
    case .everything: return true
    case .band(let band): return band.contains(longitude: longitude, latitude: latitude)
    case .circle(let circle): return circle.contains(longitude: longitude, latitude: latitude)
    case .polygon(let polygon): return polygon.contains(longitude: longitude, latitude: latitude)
    case .polygons(let polygons):
      for polygon in polygons where polygon.contains(longitude: longitude, latitude: latitude) {
        return true
      }
      return false
    }
  }

  /// How a rectangle of longitudes and latitudes lies to the region.
  ///
  /// The answer is safe rather than sharp: `.inside` and `.disjoint` are certain for all places,
  /// `.straddles` may be said of a rectangle that only comes within a millimetre of the border.
  /// Parts of the rectangle beyond ±180° or ±90° do not count. A rectangle with NaN straddles.
  package func relation(to envelope: Envelope) -> EnvelopeRelation {
    guard let rectangle = envelope.onEarth else { return .straddles }
    switch body {
    case .everything: return .inside
    case .band(let band): return band.relation(to: rectangle)
    case .circle(let circle): return circle.relation(to: rectangle)
    case .polygon(let polygon): return polygon.relation(to: rectangle)
    case .polygons(let polygons):
      var relation = EnvelopeRelation.disjoint
      for polygon in polygons {
        switch polygon.relation(to: rectangle) {
        case .inside: return .inside
        case .straddles: relation = .straddles
        case .disjoint: break
        }
      }
      return relation
    }
  }
}

// Safe because nothing in it changes once it is made, the memory behind its pointers included.
extension PreparedRegion: @unchecked Sendable {}

extension Envelope {
  /// The part of the rectangle that has places; nil where there is none, or one of its sides is NaN.
  @inline(__always)
  var onEarth: Envelope? {
    let part = Envelope(
      minLongitude: max(-180, minLongitude), maxLongitude: min(180, maxLongitude),
      minLatitude: max(-90, minLatitude), maxLatitude: min(90, maxLatitude))
    return part.minLongitude <= part.maxLongitude && part.minLatitude <= part.maxLatitude
      ? part : nil
  }

  /// How another rectangle lies to this one.
  fileprivate func relation(to other: Envelope) -> EnvelopeRelation {
    guard intersects(other) else { return .disjoint }
    let isInside =
      minLongitude <= other.minLongitude && other.maxLongitude <= maxLongitude
      && minLatitude <= other.minLatitude && other.maxLatitude <= maxLatitude
    return isInside ? .inside : .straddles
  }
}
