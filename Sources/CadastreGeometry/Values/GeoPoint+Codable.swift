/// Coding as a GeoJSON point: `{"type": "Point", "coordinates": [longitude, latitude]}`.
///
/// Source: RFC 7946, sections 3.1.1 and 3.1.2.
extension GeoPoint: Codable {
  enum CodingKeys: String, CodingKey {
    case type, coordinates, bbox
  }

  /// Decodes a GeoJSON point; numbers after the altitude are ignored.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is no GeoJSON point, or a coordinate is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireType("Point")
    let numbers = try container.decode([Double].self, forKey: .coordinates)
    guard let point = GeoPoint(coordinates: numbers) else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: container,
        debugDescription: "expected a longitude, a latitude and an optional altitude in range, "
          + "found \(numbers)")
    }
    self = point
  }

  /// Encodes a GeoJSON point; the altitude is omitted if it is 0.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("Point", forKey: .type)
    try container.encode(coordinates, forKey: .coordinates)
  }

  /// The GeoJSON position: longitude, latitude and, unless it is 0, altitude.
  var coordinates: [Double] {
    altitude == 0 ? [longitude, latitude] : [longitude, latitude, altitude]
  }

  /// Creates a point from a GeoJSON position; nil if it has too few numbers or is out of range.
  init?(coordinates: [Double]) {
    guard coordinates.count >= 2 else { return nil }
    self.init(
      latitude: coordinates[1], longitude: coordinates[0],
      altitude: coordinates.count > 2 ? coordinates[2] : 0)
  }
}

extension KeyedDecodingContainer<GeoPoint.CodingKeys> {
  /// Throws `DecodingError` unless the `type` member of a GeoJSON object has the expected value.
  func requireType(_ expected: String) throws {
    let type = try decode(String.self, forKey: .type)
    guard type == expected else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: self, debugDescription: "expected type \(expected), found \(type)")
    }
  }
}
