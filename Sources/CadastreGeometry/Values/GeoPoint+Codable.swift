/// Reads and writes a GeoJSON point: `{"type": "Point", "coordinates": [longitude, latitude]}`.
///
/// Source: RFC 7946, sections 3.1.1 and 3.1.2.
extension GeoPoint: Codable {
  enum CodingKeys: String, CodingKey {
    case type, coordinates, bbox
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
