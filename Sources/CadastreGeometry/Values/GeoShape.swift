/// A region of a query: a box, a circle, a polygon or several polygons.
///
///     let region = try GeoShape(wkt: "POLYGON ((5 47, 16 46, 6 54, 5 47))")
public enum GeoShape: Hashable, Sendable {
  /// The region between two corners.
  case box(GeoBox)
  /// A circle on the sphere.
  case circle(GeoCircle)
  /// An exterior ring with holes.
  case polygon(GeoPolygon)
  /// The union of polygons, which may touch and overlap.
  case multiPolygon([GeoPolygon])
}

extension GeoShape: CustomStringConvertible {
  /// The shape in the syntax of predicates, longitude first; numbers round-trip exactly.
  public var description: String {
    switch self {
    case .box(let box): box.description
    case .circle(let circle): circle.description
    case .polygon(let polygon): polygon.description
    case .multiPolygon(let polygons):
      "geoMultiPolygon(" + polygons.map(\.description).joined(separator: ", ") + ")"
    }
  }
}

/// A type whose values can be the region of a query.
public protocol GeoRegion: Sendable {
  /// The region as a shape.
  var shape: GeoShape { get }
}

extension GeoShape: GeoRegion {
  /// The shape itself.
  public var shape: GeoShape { self }
}

extension GeoBox: GeoRegion {
  /// The box as a shape.
  public var shape: GeoShape { .box(self) }
}

extension GeoCircle: GeoRegion {
  /// The circle as a shape.
  public var shape: GeoShape { .circle(self) }
}

extension GeoPolygon: GeoRegion {
  /// The polygon as a shape.
  public var shape: GeoShape { .polygon(self) }
}

/// The geometry of the edge between two vertices of a region.
public enum EdgeModel: String, Sendable, Hashable, CaseIterable {
  /// The shorter great-circle arc, as in Realm, MongoDB and S2.
  ///
  /// An edge may cross ±180°, a region may contain a pole, and the interior of a ring is its
  /// smaller side. An edge between two points of one latitude that differ by 360° of longitude is the
  /// whole parallel; the interior of its ring is that of the ring in the plane from -180 to 180.
  case spherical
  /// The straight line in longitude and latitude, as in RFC 7946 section 3.1.1 and GEOS.
  ///
  /// Longitudes do not wrap at ±180°: an edge from 170 to -170 passes through longitude 0. A box crosses
  /// ±180° if its first longitude is more than 180° east of the second.
  case planar
}

extension GeoShape {
  /// The polygons of the region; nil for a circle.
  package var geometry: Geometry? {
    switch self {
    case .circle: nil
    case .box(let box): Geometry(box)
    case .polygon(let polygon): Geometry(polygon)
    case .multiPolygon(let polygons):
      Geometry(
        unchecked: .multiPolygon(polygons.map { $0.rings.map { $0.map(GeoPosition.init) } }))
    }
  }

  /// The text of `description` with long lists shortened to their first elements and a count.
  ///
  /// - Complexity: O(1), independent of the number of points.
  package var summary: String {
    switch self {
    case .box, .circle: description
    case .polygon(let polygon): polygon.summary
    case .multiPolygon(let polygons):
      "geoMultiPolygon(" + Self.shortened(polygons, "polygons", \.summary) + ")"
    }
  }

  /// Returns all parts of a short list, or the first parts and the number of all.
  fileprivate static func shortened<Part>(
    _ parts: [Part], atMost limit: Int = 4, _ noun: String, _ text: (Part) -> String
  ) -> String {
    let shown = (parts.count > limit ? parts.prefix(limit / 2) : parts[...]).map(text)
    return (shown + (parts.count > limit ? ["… \(parts.count) \(noun) in all"] : []))
      .joined(separator: ", ")
  }
}

extension GeoPolygon {
  fileprivate var summary: String {
    let rings = GeoShape.shortened(rings, "rings") { ring in
      "{" + GeoShape.shortened(ring, atMost: 8, "points", \.description) + "}"
    }
    return "geoPolygon(\(rings))"
  }
}

extension GeoShape {
  /// The number of vertices of all rings; 0 for a circle.
  package var vertexCount: Int {
    switch self {
    case .circle: 0
    case .box: 4
    case .polygon(let polygon): polygon.vertexCount
    case .multiPolygon(let polygons): polygons.reduce(0) { $0 + $1.vertexCount }
    }
  }
}

extension GeoPolygon {
  // The last point of a ring is its first.
  fileprivate var vertexCount: Int { rings.reduce(0) { $0 + $1.count - 1 } }
}

/// Coding as a GeoJSON Polygon or MultiPolygon, or as a circle in the coding of ``GeoCircle``, for
/// which GeoJSON has no type.
///
/// A Polygon with a `bbox` and the corners of a box is decoded as a box.
extension GeoShape: Codable {
  /// Decodes a shape of any kind.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is not a shape, or a coordinate is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: GeoPoint.CodingKeys.self)
    guard container.contains(.type) else {
      self = .circle(try GeoCircle(from: decoder))
      return
    }
    switch try container.decode(String.self, forKey: .type) {
    case "Polygon":
      if container.contains(.bbox), let box = try? GeoBox(from: decoder) {
        self = .box(box)
      } else {
        self = .polygon(try GeoPolygon(from: decoder))
      }
    case "MultiPolygon":
      let numbers = try container.decode([[[[Double]]]].self, forKey: .coordinates)
      self = .multiPolygon(try numbers.map(container.polygon))
    case let type:
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container,
        debugDescription: "expected type Polygon or MultiPolygon, found \(type)")
    }
  }

  /// Encodes the shape in the coding of its kind.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .box(let box): try box.encode(to: encoder)
    case .circle(let circle): try circle.encode(to: encoder)
    case .polygon(let polygon): try polygon.encode(to: encoder)
    case .multiPolygon(let polygons):
      var container = encoder.container(keyedBy: GeoPoint.CodingKeys.self)
      try container.encode("MultiPolygon", forKey: .type)
      try container.encode(polygons.map(\.positions), forKey: .coordinates)
    }
  }
}
