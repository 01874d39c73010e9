/// A geometry of the OGC simple features model: points, lines, polygons, or a collection of them.
///
///     let border = try Geometry(wkt: "LINESTRING (5 47, 16 46, 6 54)")
///     let area = try Geometry(.polygon([[a, b, c, a]]))
///
/// Longitudes come before latitudes in every position. Edges are great-circle arcs or straight lines
/// in longitude and latitude, as each relation or measure chooses with an ``EdgeModel``. The
/// interior of a ring is its smaller side, whatever its orientation. A great-circle edge
/// between two positions of one latitude that differ by 360° of longitude is the whole parallel.
///
/// A geometry may be empty, or invalid in the sense of the standard, for example a polygon whose rings cross;
/// ``invalidityReason(edges:)`` returns the violated rule. Two geometries are equal if they have the same type and the
/// same positions in the same order; ``equals(_:edges:)`` compares sets of points.
///
/// Source: OGC 06-103r4, "Simple feature access, part 1", section 6.1.
public struct Geometry: Hashable, Sendable {
  /// The type and the positions of a geometry.
  public enum Shape: Hashable, Sendable {
    /// A point; nil if it is empty.
    case point(GeoPosition?)
    /// A line through two or more positions; an empty line has no position.
    case lineString([GeoPosition])
    /// Closed rings of four or more positions, the exterior ring first; an empty polygon has no ring.
    case polygon([[GeoPosition]])
    /// Points.
    case multiPoint([GeoPosition])
    /// Lines.
    case multiLineString([[GeoPosition]])
    /// Polygons, each a list of rings.
    case multiPolygon([[[GeoPosition]]])
    /// Geometries of any types.
    case collection([Geometry])
  }

  /// The type and the positions.
  public let shape: Shape

  /// The maximum number of positions of a geometry.
  public static let maximumPositions = 1 << 24

  /// The maximum depth of nested collections.
  public static let maximumDepth = 32

  /// Creates a geometry after a check of its lines and rings; empty parts of multi-geometries are
  /// dropped.
  ///
  /// - Parameter shape: The type and the positions.
  /// - Throws: ``GeometryError`` if a line has one position, a ring is too short or not closed, or
  ///   the geometry is too large or too deep.
  /// - Complexity: O(n) in the number of positions.
  public init(_ shape: Shape) throws(GeometryError) {
    switch shape {
    case .point, .multiPoint: self.shape = shape
    case .lineString(let line):
      try Self.check(line: line, part: 0)
      self.shape = shape
    case .polygon(let rings):
      try Self.check(rings: rings, part: 0)
      self.shape = shape
    case .multiLineString(let lines):
      for (part, line) in lines.enumerated() { try Self.check(line: line, part: part) }
      self.shape = .multiLineString(lines.filter { !$0.isEmpty })
    case .multiPolygon(let polygons):
      for (part, rings) in polygons.enumerated() { try Self.check(rings: rings, part: part) }
      self.shape = .multiPolygon(polygons.filter { !$0.isEmpty })
    case .collection(let parts):
      guard Self.depth(of: parts) < Self.maximumDepth
      else { throw .nestedTooDeeply(maximum: Self.maximumDepth) }
      self.shape = shape
    }
    let count = positionCount
    guard count <= Self.maximumPositions
    else { throw .tooManyPositions(count, maximum: Self.maximumPositions) }
  }

  /// Creates an empty collection.
  public init() { shape = .collection([]) }

  /// Creates a geometry from valid lines and rings, without a check.
  init(unchecked shape: Shape) { self.shape = shape }

  private static func check(line: [GeoPosition], part: Int) throws(GeometryError) {
    guard line.count != 1 else { throw .lineTooShort(part: part) }
  }

  private static func check(rings: [[GeoPosition]], part: Int) throws(GeometryError) {
    for (index, ring) in rings.enumerated() {
      guard ring.count >= 4 else { throw .ringTooShort(part: part, ring: index) }
      guard ring.first == ring.last else { throw .ringNotClosed(part: part, ring: index) }
    }
  }

  private static func depth(of parts: [Geometry]) -> Int {
    1 + (parts.map(\.depth).max() ?? 0)
  }

  private var depth: Int {
    if case .collection(let parts) = shape { Self.depth(of: parts) } else { 0 }
  }
}

extension Geometry {
  /// The type of a geometry.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// One point.
    case point = "Point"
    /// One line.
    case lineString = "LineString"
    /// One polygon.
    case polygon = "Polygon"
    /// Points.
    case multiPoint = "MultiPoint"
    /// Lines.
    case multiLineString = "MultiLineString"
    /// Polygons.
    case multiPolygon = "MultiPolygon"
    /// Geometries of any types.
    case collection = "GeometryCollection"
  }

  /// The type; the raw value is the name in GeoJSON.
  public var kind: Kind {
    switch shape {
    case .point: .point
    case .lineString: .lineString
    case .polygon: .polygon
    case .multiPoint: .multiPoint
    case .multiLineString: .multiLineString
    case .multiPolygon: .multiPolygon
    case .collection: .collection
    }
  }

  /// The greatest dimension of a part: 0 for points, 1 for lines, 2 for polygons; nil if empty.
  ///
  /// - Complexity: O(1), for a collection O(n) in the number of its parts.
  public var dimension: Int? {
    switch shape {
    case .point(let position): position == nil ? nil : 0
    case .multiPoint(let positions): positions.isEmpty ? nil : 0
    case .lineString(let line): line.isEmpty ? nil : 1
    case .multiLineString(let lines): lines.isEmpty ? nil : 1
    case .polygon(let rings): rings.isEmpty ? nil : 2
    case .multiPolygon(let polygons): polygons.isEmpty ? nil : 2
    case .collection(let parts): parts.compactMap(\.dimension).max()
    }
  }

  /// Whether the geometry has no positions.
  public var isEmpty: Bool { dimension == nil }

  /// The number of positions of all parts; the repeated last position of a ring counts.
  ///
  /// - Complexity: O(n) in the number of lines and rings.
  public var positionCount: Int {
    switch shape {
    case .point(let position): position == nil ? 0 : 1
    case .multiPoint(let line), .lineString(let line): line.count
    case .multiLineString(let lines), .polygon(let lines): lines.reduce(0) { $0 + $1.count }
    case .multiPolygon(let polygons):
      polygons.reduce(0) { $1.reduce($0) { $0 + $1.count } }
    case .collection(let parts): parts.reduce(0) { $0 + $1.positionCount }
    }
  }

  /// Whether at least one position has an altitude.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var hasAltitude: Bool {
    switch shape {
    case .point(let position): position?.altitude != nil
    case .multiPoint(let line), .lineString(let line): Self.hasAltitude(line)
    case .multiLineString(let lines), .polygon(let lines): lines.contains(where: Self.hasAltitude)
    case .multiPolygon(let polygons):
      polygons.contains { $0.contains(where: Self.hasAltitude) }
    case .collection(let parts): parts.contains { $0.hasAltitude }
    }
  }

  private static func hasAltitude(_ line: [GeoPosition]) -> Bool {
    line.contains { $0.altitude != nil }
  }

  /// The positions, lines and polygons of all parts, without their grouping.
  package struct Parts: Sendable {
    /// The points.
    package var points: [GeoPosition] = []
    /// The lines, each of at least two positions.
    package var lines: [[GeoPosition]] = []
    /// The polygons, each of at least one ring.
    package var polygons: [[[GeoPosition]]] = []
  }

  /// The points, lines and polygons of all parts, collections included.
  package var parts: Parts {
    var parts = Parts()
    collect(into: &parts)
    return parts
  }

  private func collect(into parts: inout Parts) {
    switch shape {
    case .point(let position): if let position { parts.points.append(position) }
    case .multiPoint(let positions): parts.points += positions
    case .lineString(let line): if !line.isEmpty { parts.lines.append(line) }
    case .multiLineString(let lines): parts.lines += lines
    case .polygon(let rings): if !rings.isEmpty { parts.polygons.append(rings) }
    case .multiPolygon(let polygons): parts.polygons += polygons
    case .collection(let members): for member in members { member.collect(into: &parts) }
    }
  }

  /// Creates a point.
  ///
  /// - Parameter point: The point; an altitude of 0 is omitted.
  public init(_ point: GeoPoint) {
    self.init(unchecked: .point(GeoPosition(point)))
  }

  /// Creates a polygon.
  ///
  /// - Parameter polygon: The polygon; altitudes of 0 are omitted.
  public init(_ polygon: GeoPolygon) {
    self.init(unchecked: .polygon(polygon.rings.map { $0.map(GeoPosition.init) }))
  }

  /// Creates the polygon of the four corners of a box.
  ///
  /// The ring is counter-clockwise if the first corner is the south-western one. With spherical
  /// edges its northern and southern sides are great-circle arcs, like the sides of the box.
  ///
  /// - Parameter box: The box.
  public init(_ box: GeoBox) {
    let (west, south) = (box.bottomLeft.longitude, box.bottomLeft.latitude)
    let (east, north) = (box.topRight.longitude, box.topRight.latitude)
    let ring = [(west, south), (east, south), (east, north), (west, north), (west, south)].map {
      GeoPosition(uncheckedLongitude: $0.0, latitude: $0.1)
    }
    self.init(unchecked: .polygon([ring]))
  }

  /// Creates a regular polygon inside a circle, with its vertices on the circle.
  ///
  /// The greatest distance between the polygon and the circle is about `radius · (1 - cos(π / n))`:
  /// 0.5 % of the radius with 32 vertices.
  ///
  /// - Parameters:
  ///   - circle: The circle; its radius is more than 0 and less than 90°.
  ///   - vertices: The number of vertices; at least 3.
  /// - Throws: ``GeometryError/circleTooLarge(radians:)``, or
  ///   ``GeometryError/ringTooShort(part:ring:)`` for fewer than three vertices.
  public init(_ circle: GeoCircle, vertices: Int = 64) throws(GeometryError) {
    guard circle.radiusInRadians < .pi / 2
    else { throw .circleTooLarge(radians: circle.radiusInRadians) }
    guard vertices >= 3 else { throw .ringTooShort(part: 0, ring: 0) }
    let center = UnitVector(longitude: circle.center.longitude, latitude: circle.center.latitude)
    let projection = GnomonicProjection(center: center)
    let radius = sine(circle.radiusInRadians) / cosine(circle.radiusInRadians)
    var ring = (0..<vertices).map { index in
      let angle = 2 * Double.pi * Double(index) / Double(vertices)
      let direction = projection.direction(
        to: PlanePoint(x: radius * cosine(angle), y: radius * sine(angle)))
      return GeoPosition(
        uncheckedLongitude: direction.longitude, latitude: direction.latitude)
    }
    ring.append(ring[0])
    self.init(unchecked: .polygon([ring]))
  }

  /// The point, if the geometry is one point that is not empty.
  public var point: GeoPoint? {
    if case .point(let position) = shape { position?.point } else { nil }
  }

  /// The region of the polygons; nil for an empty polygon and for a geometry with points or lines.
  ///
  /// The region of a multi-polygon or of a collection of polygons is a multi-polygon.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var region: GeoShape? {
    switch shape {
    case .polygon(let rings): return GeoPolygon(rings).map { .polygon($0) }
    case .multiPolygon(let polygons): return .multiPolygon(polygons.compactMap { GeoPolygon($0) })
    case .collection:
      let parts = parts
      guard parts.points.isEmpty, parts.lines.isEmpty else { return nil }
      return .multiPolygon(parts.polygons.compactMap { GeoPolygon($0) })
    case .point, .multiPoint, .lineString, .multiLineString: return nil
    }
  }
}

extension GeoPolygon {
  /// Creates a polygon from the rings of a geometry; nil without rings.
  fileprivate init?(_ rings: [[GeoPosition]]) {
    let rings = rings.map { $0.map(\.point) }
    guard let exterior = rings.first else { return nil }
    self.init(outerRing: exterior, holes: Array(rings.dropFirst()))
  }
}

/// Coding as a GeoJSON geometry: `{"type": "LineString", "coordinates": [[5, 47], [16, 46]]}`.
///
/// Source: RFC 7946, section 3.1.
extension Geometry: Codable {
  private enum CodingKeys: String, CodingKey {
    case type, coordinates, geometries
  }

  /// Decodes a GeoJSON geometry; numbers after the altitude are ignored.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is not a GeoJSON geometry, a coordinate is out of range, or
  ///   a line or ring is too short or not closed.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let type = try container.decode(String.self, forKey: .type)
    guard let kind = Kind(rawValue: type) else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container,
        debugDescription: "expected the type of a GeoJSON geometry, found \(type)")
    }
    let key = kind == .collection ? CodingKeys.geometries : .coordinates
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try container.decode(type, forKey: key)
    }
    let shape: Shape =
      switch kind {
      case .point:
        .point(
          try decode([Double].self).isEmpty ? nil : try decode(GeoPosition.self))
      case .lineString: .lineString(try decode([GeoPosition].self))
      case .polygon: .polygon(try decode([[GeoPosition]].self))
      case .multiPoint: .multiPoint(try decode([GeoPosition].self))
      case .multiLineString: .multiLineString(try decode([[GeoPosition]].self))
      case .multiPolygon: .multiPolygon(try decode([[[GeoPosition]]].self))
      case .collection: .collection(try decode([Geometry].self))
      }
    do throws(GeometryError) {
      try self.init(shape)
    } catch {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: error.description)
    }
  }

  /// Encodes a GeoJSON geometry.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind.rawValue, forKey: .type)
    switch shape {
    case .point(let position):
      try container.encode(position?.coordinates ?? [], forKey: .coordinates)
    case .lineString(let line), .multiPoint(let line):
      try container.encode(line, forKey: .coordinates)
    case .polygon(let lines), .multiLineString(let lines):
      try container.encode(lines, forKey: .coordinates)
    case .multiPolygon(let polygons): try container.encode(polygons, forKey: .coordinates)
    case .collection(let members): try container.encode(members, forKey: .geometries)
    }
  }
}

extension Geometry: CustomStringConvertible {
  /// The geometry as well-known text.
  public var description: String { wkt }
}

/// The reason why positions do not form a geometry, or why an operation failed.
public enum GeometryError: Error, Hashable, Sendable {
  /// A line string has exactly one position; a valid one has none, or at least two.
  case lineTooShort(part: Int)
  /// A ring has fewer than four positions.
  case ringTooShort(part: Int, ring: Int)
  /// The last position of a ring differs from its first.
  case ringNotClosed(part: Int, ring: Int)
  /// Collections are nested too deeply.
  case nestedTooDeeply(maximum: Int)
  /// The geometry has too many positions.
  case tooManyPositions(Int, maximum: Int)
  /// A circle of 90° or more is not a polygon, because the interior of a ring is its smaller side.
  case circleTooLarge(radians: Double)
  /// The operation of GEOS failed; the message of GEOS.
  case geometryLibrary(String)
}

extension GeometryError: CustomStringConvertible {
  /// One sentence: the rule and the location of the violation; parts and rings are counted from 0.
  public var description: String {
    switch self {
    case .lineTooShort(let part):
      "line \(part) has one position; a line string has at least two, or none"
    case .ringTooShort(let part, let ring):
      "ring \(ring) of polygon \(part) has fewer than four positions"
    case .ringNotClosed(let part, let ring):
      "ring \(ring) of polygon \(part) is not closed: its last position differs from its first"
    case .nestedTooDeeply(let maximum):
      "collections are nested more than \(maximum) deep"
    case .tooManyPositions(let count, let maximum):
      "the geometry has \(count) positions; it may have \(maximum) at most"
    case .circleTooLarge(let radians):
      "a circle with a radius of \(radians) radians is no polygon; the radius must be less than π/2"
    case .geometryLibrary(let text): text
    }
  }
}
