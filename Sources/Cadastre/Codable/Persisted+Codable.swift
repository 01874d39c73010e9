/// A property is coded as its value.
///
///     class Airport: Object, Codable {
///       @Persisted(primaryKey: true) var icao: String
///       @Persisted var elevation: Double?
///     }
///
/// An optional property may be missing or null. A required one must be there, even where the model
/// has a default for it.
extension Persisted: Decodable where Value: Decodable {
  /// Reads the value, by the strategies of the decoder.
  public init(from decoder: any Decoder) throws {
    self.init(.unmanaged(try decoder.singleValueContainer().decode(Value.self)))
  }
}

extension Persisted: Encodable where Value: Encodable {
  /// Encodes the value, by the strategies of the encoder; the default where the property was
  /// neither read nor set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch storage {
    case .unmanaged(let value): try container.encode(value)
    case .untouched, .managed(_, owner: nil):
      try container.encode(Value.makeDefaultValue())
    case .managed(let property, let owner?):
      // Safe because the object encodes its properties while it is alive.
      let object = owner.takeUnretainedValue()
      try container.encode(Value.read(from: object, property: property))
    case .linking: try container.encodeNil()
    }
  }
}

extension KeyedDecodingContainer {
  /// An optional property; nil where the key is missing or its value null.
  public func decode<Wrapped: Decodable & OptionalPersistable>(
    _ type: Persisted<Wrapped?>.Type, forKey key: Key
  ) throws -> Persisted<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? Persisted()
  }
}
