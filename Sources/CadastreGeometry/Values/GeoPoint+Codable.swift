/// Reads and writes a GeoJSON point: `{"type": "Point", "coordinates": [longitude, latitude]}`.
///
/// Source: RFC 7946, sections 3.1.1 and 3.1.2.
extension GeoPoint: Codable {
  enum CodingKeys: String, CodingKey {
    case type, coordinates
  }

  /// Reads a GeoJSON point; coordinates after the altitude are ignored.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireType("Point")
    let numbers = try container.decode([Double].self, forKey: .coordinates)
    guard let point = GeoPoint(coordinates: numbers) else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: container,
        debugDescription: "\(numbers) is not a longitude, a latitude and perhaps an altitude")
    }
    self = point
  }

  /// Writes a GeoJSON point; the altitude only if it is not 0.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("Point", forKey: .type)
    try container.encode(coordinates, forKey: .coordinates)
  }

  /// Longitude, latitude and, if it is not 0, altitude: a GeoJSON position.
  var coordinates: [Double] {
    altitude == 0 ? [longitude, latitude] : [longitude, latitude, altitude]
  }

  /// A point from a GeoJSON position; nil if it is short or out of range.
  init?(coordinates: [Double]) {
    guard coordinates.count >= 2 else { return nil }
    self.init(
      latitude: coordinates[1], longitude: coordinates[0],
      altitude: coordinates.count > 2 ? coordinates[2] : 0)
  }
}

extension KeyedDecodingContainer<GeoPoint.CodingKeys> {
  /// Checks the `type` member of a GeoJSON object.
  func requireType(_ expected: String) throws {
    let type = try decode(String.self, forKey: .type)
    guard type == expected else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: self, debugDescription: "expected type \(expected), found \(type)")
    }
  }
}

/// Reads and writes a GeoJSON polygon: rings of positions, the shell first.
///
/// Source: RFC 7946, section 3.1.6; the direction of rings is kept as it is.
extension GeoPolygon: Codable {
  /// Reads a GeoJSON polygon.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.requireType("Polygon")
    let numbers = try container.decode([[[Double]]].self, forKey: .coordinates)
    let rings = numbers.map { $0.compactMap(GeoPoint.init(coordinates:)) }
    guard zip(rings, numbers).allSatisfy({ $0.count == $1.count }), let shell = rings.first,
      let polygon = GeoPolygon(outerRing: shell, holes: Array(rings.dropFirst()))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: container,
        debugDescription: "expected closed rings of at least four positions in range")
    }
    self = polygon
  }

  /// Writes a GeoJSON polygon.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.encode("Polygon", forKey: .type)
    try container.encode(rings.map { $0.map(\.coordinates) }, forKey: .coordinates)
  }
}
