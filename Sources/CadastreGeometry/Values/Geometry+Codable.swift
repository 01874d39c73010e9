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
  /// - Throws: `DecodingError` if the value is no GeoJSON geometry, a coordinate is out of range, or
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

/// Coding as a GeoJSON position: an array of two or three numbers, longitude first.
extension GeoPosition: Codable {
  /// Decodes a GeoJSON position; numbers after the altitude are ignored.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if there are fewer than two numbers, or a coordinate is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let numbers = try container.decode([Double].self)
    guard numbers.count >= 2,
      let position = GeoPosition(
        longitude: numbers[0], latitude: numbers[1],
        altitude: numbers.count > 2 ? numbers[2] : nil)
    else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "expected a longitude, a latitude and an optional altitude in range, "
          + "found \(numbers)")
    }
    self = position
  }

  /// Encodes a GeoJSON position.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(coordinates)
  }
}

extension Geometry: CustomStringConvertible {
  /// The geometry as well-known text.
  public var description: String { wkt }
}
