/// A geometry of the OGC simple features model: points, lines, polygons, or a collection of them.
///
///     let border = try Geometry(wkt: "LINESTRING (5 47, 16 46, 6 54)")
///     let area = try Geometry(.polygon([[a, b, c, a]]))
///
/// Longitudes come before latitudes in every position. Edges are great-circle arcs or straight lines
/// in longitude and latitude, as each relation or measure chooses with an ``EdgeModel``. The
/// interior of a ring is its smaller side; its orientation is kept and ignored. A great-circle edge
/// between two positions of one latitude that differ by 360° of longitude is the whole parallel.
///
/// A geometry may be empty. It may be invalid in the sense of the standard, for example a polygon
/// whose rings cross: ``fault(edges:)`` tells. Two geometries are equal if they have the same
/// type and the same positions in the same order; ``equals(_:edges:)`` compares sets of points.
///
/// Source: OGC 06-103r4, "Simple feature access, part 1", section 6.1.
public struct Geometry: Hashable, Sendable {
  /// The type and the positions of a geometry.
  public enum Shape: Hashable, Sendable {
    /// A point; nil if it is empty.
    case point(GeoPosition?)
    /// A line through two or more positions, or none.
    case lineString([GeoPosition])
    /// Closed rings of four or more positions, the exterior ring first, or none.
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

  /// Creates a geometry whose lines and rings are known to be correct.
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
