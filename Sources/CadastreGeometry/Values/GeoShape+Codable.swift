/// Coding as a GeoJSON polygon: rings of positions, the exterior ring first.
///
/// Source: RFC 7946, section 3.1.6; the orientation of rings is not changed.
extension GeoPolygon: Codable {
  /// Decodes a GeoJSON polygon.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is no GeoJSON polygon, a ring is not closed or too
  ///   short, or a coordinate is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.requireType("Polygon")
    self = try container.polygon(
      try container.decode([[[Double]]].self, forKey: .coordinates))
  }

  /// Encodes a GeoJSON polygon.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.encode("Polygon", forKey: .type)
    try container.encode(positions, forKey: .coordinates)
  }

  fileprivate var positions: [[[Double]]] { rings.map { $0.map(\.coordinates) } }
}

/// Coding as the GeoJSON polygon of the four corners in their given order, with a `bbox`.
///
/// Source: RFC 7946, sections 3.1.6 and 5.
extension GeoBox: Codable {
  /// Decodes a GeoJSON polygon whose four corners are on two meridians and two parallels.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is no such polygon, or a coordinate is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: GeoPoint.CodingKeys.self)
    let polygon = try GeoPolygon(from: decoder)
    guard let box = GeoBox(corners: polygon) else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: container,
        debugDescription: "expected the four corners of a box, the first edge along a parallel")
    }
    self = box
  }

  /// Encodes the polygon of the corners and its `bbox`.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    let (first, second) = (bottomLeft, topRight)
    var container = encoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.encode("Polygon", forKey: .type)
    try container.encode(
      [first.longitude, first.latitude, second.longitude, second.latitude], forKey: .bbox)
    try container.encode(
      [
        [
          first.coordinates, [second.longitude, first.latitude], second.coordinates,
          [first.longitude, second.latitude], first.coordinates,
        ]
      ], forKey: .coordinates)
  }

  /// Creates the box with the corners of a polygon; nil if the polygon is no box.
  private init?(corners polygon: GeoPolygon) {
    let ring = polygon.outerRing
    guard ring.count == 5, polygon.holes.isEmpty, ring[0].latitude == ring[1].latitude,
      ring[1].longitude == ring[2].longitude, ring[2].latitude == ring[3].latitude,
      ring[3].longitude == ring[0].longitude
    else { return nil }
    self.init(bottomLeft: ring[0], topRight: ring[2])
  }
}

/// Coding as a GeoJSON Polygon or MultiPolygon, or as a circle in the coding of ``GeoCircle``, for
/// which GeoJSON has no type.
///
/// A Polygon with a `bbox` and the corners of a box is decoded as a box.
extension GeoShape: Codable {
  /// Decodes a shape of any kind.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is no shape, or a coordinate is out of range.
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

extension KeyedDecodingContainer<GeoPoint.CodingKeys> {
  /// Returns the polygon with rings of positions, or throws `DecodingError`.
  fileprivate func polygon(_ numbers: [[[Double]]]) throws -> GeoPolygon {
    let rings = numbers.map { $0.compactMap(GeoPoint.init(coordinates:)) }
    guard zip(rings, numbers).allSatisfy({ $0.count == $1.count }), let exterior = rings.first,
      let polygon = GeoPolygon(outerRing: exterior, holes: Array(rings.dropFirst()))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: self,
        debugDescription: "expected closed rings of at least four positions in range")
    }
    return polygon
  }
}
