/// Reads and writes a GeoJSON polygon: rings of positions, the shell first.
///
/// Source: RFC 7946, section 3.1.6; the direction of rings is kept as it is.
extension GeoPolygon: Codable {
  /// Reads a GeoJSON polygon.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.requireType("Polygon")
    self = try container.polygon(
      try container.decode([[[Double]]].self, forKey: .coordinates))
  }

  /// Writes a GeoJSON polygon.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.encode("Polygon", forKey: .type)
    try container.encode(positions, forKey: .coordinates)
  }

  fileprivate var positions: [[[Double]]] { rings.map { $0.map(\.coordinates) } }
}

/// Reads and writes a box as the GeoJSON polygon of its corners as given, with its `bbox`.
///
/// Source: RFC 7946, sections 3.1.6 and 5.
extension GeoBox: Codable {
  /// Reads a GeoJSON polygon of four corners that lie on two meridians and two parallels.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: GeoPoint.CodingKeys.self)
    let polygon = try GeoPolygon(from: decoder)
    guard let box = GeoBox(corners: polygon) else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: container,
        debugDescription: "expected the four corners of a box, along a parallel first")
    }
    self = box
  }

  /// Writes the polygon of the corners.
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

  /// The box whose corners a polygon has; nil for any other polygon.
  private init?(corners polygon: GeoPolygon) {
    let ring = polygon.outerRing
    guard ring.count == 5, polygon.holes.isEmpty, ring[0].latitude == ring[1].latitude,
      ring[1].longitude == ring[2].longitude, ring[2].latitude == ring[3].latitude,
      ring[3].longitude == ring[0].longitude
    else { return nil }
    self.init(bottomLeft: ring[0], topRight: ring[2])
  }
}

/// Reads and writes a region: a Polygon or a MultiPolygon of GeoJSON, or a circle in the form of
/// `GeoCircle`, for which GeoJSON has none.
///
/// A Polygon with a `bbox` whose corners it has is read as the box that it was written from.
extension GeoShape: Codable {
  /// Reads a region of any kind.
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

  /// Writes the region in the form of its kind.
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
  /// The polygon of some positions.
  fileprivate func polygon(_ numbers: [[[Double]]]) throws -> GeoPolygon {
    let rings = numbers.map { $0.compactMap(GeoPoint.init(coordinates:)) }
    guard zip(rings, numbers).allSatisfy({ $0.count == $1.count }), let shell = rings.first,
      let polygon = GeoPolygon(outerRing: shell, holes: Array(rings.dropFirst()))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: self,
        debugDescription: "expected closed rings of at least four positions in range")
    }
    return polygon
  }
}
