/// The relation of an envelope to a region.
package enum EnvelopeRelation: Hashable, Sendable {
  /// No point of the envelope is in the region.
  case disjoint
  /// Every point of the envelope is in the region.
  case inside
  /// The border of the region may intersect the envelope.
  case intersects
}

extension EnvelopeRelation {
  /// Returns the relation to the union of parts.
  static func union<Part>(
    of parts: [Part], _ relation: (Part) -> EnvelopeRelation
  ) -> EnvelopeRelation {
    combined(parts, dominant: .inside, neutral: .disjoint, relation)
  }

  /// Combines the relations of parts: `dominant` if one has it, `neutral` if all have it.
  static func combined<Part>(
    _ parts: [Part], dominant: EnvelopeRelation, neutral: EnvelopeRelation,
    _ relation: (Part) -> EnvelopeRelation
  ) -> EnvelopeRelation {
    var combined = neutral
    for part in parts {
      let relation = relation(part)
      if relation == dominant { return dominant }
      if relation == .intersects { combined = .intersects }
    }
    return combined
  }
}

/// A region that is validated and indexed for tests of many points and envelopes.
///
/// The border belongs to the region. With spherical edges a point within 4e-15 radians
/// (25 nanometres) of an edge is on the border, which is about the resolution of coordinates.
/// Altitudes are ignored.
package final class PreparedRegion {
  /// The region.
  package let shape: GeoShape
  /// The model of the edges.
  package let edges: EdgeModel
  /// One or more envelopes whose union covers the region, bulges of great circles included.
  package let envelopes: [Envelope]
  let body: Body

  /// The forms of a prepared region.
  enum Body {
    case everything
    case circle(PreparedCircle)
    case polygon(PreparedPolygon)
    case polygons([PreparedPolygon])
  }

  /// The maximum number of vertices; a region of 3,000,000 took 24 s and 874 MB.
  static let maximumVertices = 2_000_000

  /// Validates and prepares a region.
  ///
  /// A polygon that GEOS considers valid, in longitude and latitude or on the sphere, is accepted
  /// unless it has spherical edges between antipodes.
  ///
  /// - Parameters:
  ///   - shape: The region.
  ///   - edges: The model of the edges.
  /// - Throws: ``RegionError`` with the violated rule and its location.
  /// - Complexity: O(n log n) for n vertices.
  package init(_ shape: GeoShape, edges: EdgeModel = .spherical) throws(RegionError) {
    self.shape = shape
    self.edges = edges
    let count = shape.vertexCount
    guard count <= Self.maximumVertices else {
      throw RegionError(
        shape: shape.summary,
        reason: .tooManyVertices(count, maximum: Self.maximumVertices))
    }
    do throws(RegionError.Reason) {
      body = try Self.body(of: shape, edges: edges)
    } catch {
      throw RegionError(shape: shape.description, reason: error)
    }
    envelopes =
      switch body {
      case .everything: [.world]
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
      let parts = box.parts(edges: edges)
      guard parts.count > 1 else { return .polygon(PreparedPolygon(try box.arcs(edges: edges))) }
      var prepared: [PreparedPolygon] = []
      for part in parts { prepared.append(PreparedPolygon(try part.arcs(edges: edges))) }
      return .polygons(prepared)
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

  /// Returns whether a point is in the region or on its border.
  ///
  /// - Parameters:
  ///   - longitude: The longitude of the point, in degrees.
  ///   - latitude: The latitude of the point, in degrees.
  /// - Returns: False if a coordinate is out of range or NaN.
  /// - Complexity: O(1) for round polygons; O(n) in the worst case, if one meridian crosses all
  ///   edges.
  package func contains(longitude: Double, latitude: Double) -> Bool {
    guard CoordinateRange.contains(longitude: longitude, latitude: latitude) else { return false }
    switch body {
    case .everything: return true
    case .circle(let circle): return circle.contains(longitude: longitude, latitude: latitude)
    case .polygon(let polygon): return polygon.contains(longitude: longitude, latitude: latitude)
    case .polygons(let polygons):
      for polygon in polygons where polygon.contains(longitude: longitude, latitude: latitude) {
        return true
      }
      return false
    }
  }

  /// Classifies an envelope relative to the region.
  ///
  /// `.inside` and `.disjoint` are exact for all points of the envelope. `.intersects` is
  /// conservative: the distance to the border may be up to a millimetre.
  ///
  /// - Parameter envelope: The envelope in degrees; its part outside ±180° and ±90° is ignored.
  /// - Returns: `.intersects` if a side of the envelope is NaN.
  /// - Complexity: O(log n) for small envelopes, O(n) in the worst case.
  package func relation(to envelope: Envelope) -> EnvelopeRelation {
    guard let envelope = envelope.inRange else { return .intersects }
    switch body {
    case .everything: return .inside
    case .circle(let circle): return circle.relation(to: envelope)
    case .polygon(let polygon): return polygon.relation(to: envelope)
    case .polygons(let polygons):
      return EnvelopeRelation.union(of: polygons) { $0.relation(to: envelope) }
    }
  }
}

// Safe because all state is immutable after initialisation, the memory behind pointers included.
extension PreparedRegion: @unchecked Sendable {}

/// Tests of batches of points or boxes, which dispatch on the form of the region once per batch.
extension PreparedRegion {
  /// Removes the points outside the region from a selection vector; the order does not change.
  ///
  /// - Parameters:
  ///   - selection: Indices into the two columns.
  ///   - longitudes: The longitudes of the points, in degrees.
  ///   - latitudes: The latitudes of the points, in degrees.
  /// - Complexity: O(n) in the number of selected points.
  package func refine(
    _ selection: inout [Int32], longitudes: UnsafeBufferPointer<Double>,
    latitudes: UnsafeBufferPointer<Double>
  ) {
    precondition(
      longitudes.count == latitudes.count,
      "\(longitudes.count) longitudes, but \(latitudes.count) latitudes")
    switch body {
    case .circle(let circle):
      Self.refine(&selection, longitudes, latitudes) {
        CoordinateRange.contains(longitude: $0, latitude: $1)
          && circle.contains(longitude: $0, latitude: $1)
      }
    case .polygon(let polygon):
      Self.refine(&selection, longitudes, latitudes) {
        polygon.contains(longitude: $0, latitude: $1)
      }
    case .everything, .polygons:
      Self.refine(&selection, longitudes, latitudes) { contains(longitude: $0, latitude: $1) }
    }
  }

  @inline(__always)
  private static func refine(
    _ selection: inout [Int32], _ longitudes: UnsafeBufferPointer<Double>,
    _ latitudes: UnsafeBufferPointer<Double>, where isInside: (Double, Double) -> Bool
  ) {
    selection.removeAll { !isInside(longitudes[Int($0)], latitudes[Int($0)]) }
  }

  /// Classifies boxes like `relation(to:)`.
  ///
  /// Boxes of the size of a point are classified by their centres, with a margin.
  ///
  /// - Parameters:
  ///   - boxes: West, east, south and north of each box, in degrees.
  ///   - relations: The results; memory for one per box.
  /// - Complexity: O(n) in the number of boxes of the size of a point.
  package func relations(
    of boxes: UnsafeBufferPointer<SIMD4<Float>>,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    switch body {
    case .circle(let circle):
      for (index, box) in boxes.enumerated() {
        let small = SmallBox(box)
        var relation = small.isSmall ? circle.relation(to: small) : nil
        if relation == nil { relation = Envelope(box).inRange.map(circle.relation) }
        relations[index] = relation ?? .intersects
      }
    case .polygon(let polygon):
      for (index, box) in boxes.enumerated() {
        let small = SmallBox(box)
        var relation = small.isSmall ? polygon.relation(to: small) : nil
        if relation == nil { relation = Envelope(box).inRange.map(polygon.relation) }
        relations[index] = relation ?? .intersects
      }
    case .everything, .polygons:
      for (index, box) in boxes.enumerated() { relations[index] = relation(to: Envelope(box)) }
    }
  }
}
