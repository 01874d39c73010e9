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
  /// Reads the value.
  public init(from decoder: any Decoder) throws {
    self.init(default: nil)
    storage = .unmanaged(try Value(from: decoder))
  }
}

extension Persisted: Encodable where Value: Encodable {
  /// Encodes the value of an unmanaged object; the default where the property was neither read nor
  /// set.
  ///
  /// - Throws: `EncodingError.invalidValue` for a managed object: a property does not know its
  ///   object.
  public func encode(to encoder: any Encoder) throws {
    switch storage {
    case .unmanaged(let value): try value.encode(to: encoder)
    case .untouched(let make): try (make?() ?? Value.makeDefaultValue()).encode(to: encoder)
    case .managed:
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "Only unmanaged Realm objects can be encoded using automatic Codable "
            + "synthesis. You must explicitly define encode(to:) on your model class to support "
            + "managed Realm objects."))
    case .linking: break
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
