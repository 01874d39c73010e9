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
}
