import Synchronization

/// A geometry prepared for relations to other geometries; immutable, so that threads can share it.
///
/// Preparing never fails. Rings are evaluated by the even-odd rule, so an invalid polygon has a
/// defined meaning. An edge between antipodes, which has no unique course, passes over the north
/// pole. Tests of points agree with ``PreparedRegion``.
package final class PreparedGeometry {
  /// The geometry; nil for a circle.
  package let geometry: Geometry?
  /// The model of the edges.
  package let edges: EdgeModel
  /// The points, with canonical coordinates.
  let points: [Vertex]
  /// The vertices of lines, and of rings without an interior.
  let lines: [[Vertex]]
  /// The vertices of rings, without the repeated last one.
  let rings: [[Vertex]]
  /// The latitudes of the whole parallels of lines and rings.
  let parallels: [Double]
  /// The interiors and borders of the polygons.
  let areas: [LazyPolygon]
  /// The lines, for tests of points; nil without lines.
  let border: LazyPolygon?
  private let lazyIndex = AtomicLazyReference<SegmentIndex>()
  /// The spatial index of the points; nil without points.
  let pointIndex: EnvelopeIndex?
  /// The spatial index of the polygons; nil for fewer than eight polygons.
  private let areaIndex: EnvelopeIndex?
  /// The poles that are vertices of lines and rings.
  let poles: [Vertex]
  /// The envelopes, or the envelope of all of them if there are more than eight.
  let extent: [Envelope]
  /// The radius in radians of a circle around the only point; nil for other geometries.
  let radius: Double?
  private let disc: PreparedCircle?

  /// Prepares a geometry.
  ///
  /// - Parameters:
  ///   - geometry: The geometry.
  ///   - edges: How the edges run between positions.
  /// - Complexity: O(n log n) in the number of positions.
  package convenience init(_ geometry: Geometry, edges: EdgeModel) {
    self.init(geometry, geometry.parts, edges: edges)
  }

  /// Prepares a region; a circle is measured on the sphere with either model of edges.
  ///
  /// - Parameters:
  ///   - region: The region.
  ///   - edges: How the edges run between positions.
  package convenience init(region: GeoShape, edges: EdgeModel) {
    switch region {
    case .circle(let circle): self.init(circle, edges: edges)
    case .box(let box): self.init(box, edges: edges)
    case .polygon, .multiPolygon: self.init(region.geometry ?? Geometry(), edges: edges)
    }
  }

  private init(
    _ geometry: Geometry?, _ parts: Geometry.Parts, edges: EdgeModel
  ) {
    self.geometry = geometry
    self.edges = edges
    var builder = Builder(edges: edges)
    builder.add(parts)
    points = builder.points
    lines = builder.lines
    rings = builder.rings
    parallels = builder.parallels
    areas = builder.areas
    border = builder.border.arcs.isEmpty ? nil : LazyPolygon(builder.border)
    radius = nil
    disc = nil
    pointIndex = EnvelopeIndex(points.map(\.envelopes))
    areaIndex =
      areas.count < 8 ? nil : EnvelopeIndex(areas.map(\.envelopes))
    poles = (lines + rings).reduce(into: []) { poles, chain in
      for vertex in chain where vertex.isPole && !poles.contains(vertex) { poles.append(vertex) }
    }
    envelopes = Self.envelopes(points, border, areas)
    extent =
      envelopes.count > 8 ? [Envelope.bounds(of: envelopes)].compactMap(\.self) : envelopes
  }

  private static func envelopes(
    _ points: [Vertex], _ border: LazyPolygon?, _ areas: [LazyPolygon]
  ) -> [Envelope] {
    var envelopes = (border?.envelopes ?? []) + areas.flatMap(\.envelopes)
    if let first = points.first {
      var envelope = Envelope(longitude: first.longitude, latitude: first.latitude)
      for point in points.dropFirst() {
        envelope.formUnion(Envelope(longitude: point.longitude, latitude: point.latitude))
      }
      envelopes.append(envelope)
    }
    return envelopes
  }

  /// Prepares a box, which differs from the polygon of its corners at the poles.
  private convenience init(_ box: GeoBox, edges: EdgeModel) {
    var parts = Geometry.Parts()
    for part in box.parts(edges: edges) {
      parts.polygons += Geometry(part.sorted(edges)).parts.polygons
    }
    self.init(Geometry(box), parts, edges: edges)
  }

  private init(_ circle: GeoCircle, edges: EdgeModel) {
    geometry = nil
    self.edges = edges
    points = [circle.center.vertex.canonical(edges)]
    (lines, rings, parallels, areas, border) = ([], [], [], [], nil)
    radius = circle.radiusInRadians
    let disc = PreparedCircle(circle)
    self.disc = disc
    (pointIndex, areaIndex, poles) = (nil, nil, [])
    envelopes = disc.envelopes
    extent = disc.envelopes
  }

  /// Whether the geometry has no points.
  package var isEmpty: Bool {
    points.isEmpty && lines.isEmpty && parallels.isEmpty && areas.isEmpty
  }

  /// Envelopes whose union contains the geometry, bulges of great circles and poles included; none for an
  /// empty geometry.
  package let envelopes: [Envelope]

  /// The index of the edges of lines and rings, which the first use creates; nil without edges.
  var index: SegmentIndex? {
    if let index = lazyIndex.load() { return index }
    var segments = lines.flatMap { Segment.chain($0, isClosed: false, edges: edges) }
    segments += rings.flatMap { Segment.chain($0, isClosed: true, edges: edges) }
    segments += parallels.map { Segment(parallel: $0) }
    return SegmentIndex(segments, edges: edges).map { lazyIndex.storeIfNil($0) }
  }

  /// Returns whether a point is in the geometry or on its border.
  ///
  /// - Parameters:
  ///   - longitude: The longitude of the point, in degrees.
  ///   - latitude: The latitude of the point, in degrees.
  /// - Returns: False if a coordinate is out of range or NaN.
  package func covers(longitude: Double, latitude: Double) -> Bool {
    guard CoordinateRange.contains(longitude: longitude, latitude: latitude) else { return false }
    if let disc { return disc.contains(longitude: longitude, latitude: latitude) }
    return covers(Vertex(longitude: longitude, latitude: latitude).canonical(edges))
  }

  /// Returns whether a point with canonical coordinates is in the geometry or on its border.
  func covers(_ vertex: Vertex) -> Bool {
    if let disc { return disc.contains(longitude: vertex.longitude, latitude: vertex.latitude) }
    return areasCover(vertex)
      || border?.contains(longitude: vertex.longitude, latitude: vertex.latitude) == true
      || hasPoint(vertex)
  }

  /// Returns whether a point is in a polygon or on its border.
  func areasCover(_ vertex: Vertex) -> Bool {
    let contains = { (area: LazyPolygon) in
      area.contains(longitude: vertex.longitude, latitude: vertex.latitude)
    }
    guard let areaIndex else { return areas.contains(where: contains) }
    return vertex.envelopes.contains { envelope in
      areaIndex.contains(intersecting: envelope) { contains(areas[$0]) }
    }
  }

  private func hasPoint(_ vertex: Vertex) -> Bool {
    guard let pointIndex else { return false }
    return vertex.envelopes.contains { envelope in
      pointIndex.contains(intersecting: envelope) { points[$0] == vertex }
    }
  }

  /// Classifies an envelope: `.inside` if all of its points are in a polygon or a circle, `.disjoint`
  /// if none of its points is in the geometry.
  ///
  /// - Parameter envelope: The envelope, in degrees.
  /// - Returns: `.intersects` in all other cases.
  package func classify(_ envelope: Envelope) -> EnvelopeRelation {
    guard let envelope = envelope.inRange else { return .intersects }
    if let disc { return disc.relation(to: envelope) }
    var relation = EnvelopeRelation.union(of: areas) { $0.relation(to: envelope) }
    if relation == .disjoint, let border, border.relation(to: envelope) != .disjoint {
      relation = .intersects
    }
    if relation == .disjoint, points.contains(where: { $0.isOnSphere(in: envelope) }) {
      relation = .intersects
    }
    return relation
  }
}

// Safe because all state is immutable after initialisation, the memory behind pointers included.
extension PreparedGeometry: @unchecked Sendable {}

extension PreparedGeometry {
  /// The envelope of the vertices with unique coordinates, which every box that contains the geometry
  /// contains.
  ///
  /// A vertex at ±180° has two longitudes, and a pole has all longitudes. Without a vertex with unique
  /// coordinates, and for a circle, the envelope is inverted, so that every box contains it.
  package var coreEnvelope: Envelope {
    var core = Envelope(west: .infinity, south: .infinity, east: -.infinity, north: -.infinity)
    guard let parts = geometry?.parts else { return core }
    let lines = parts.lines + parts.polygons.flatMap(\.self)
    for positions in [parts.points] + lines {
      for position in positions where abs(position.longitude) < 180 && abs(position.latitude) < 90 {
        core.west = min(core.west, position.longitude)
        core.east = max(core.east, position.longitude)
        core.south = min(core.south, position.latitude)
        core.north = max(core.north, position.latitude)
      }
    }
    return core
  }

  /// The smallest envelope that contains the geometry and does not cross ±180°; nil for an empty
  /// geometry.
  package var bounds: Envelope? { Envelope.bounds(of: envelopes) }
}
