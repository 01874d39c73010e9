extension RealmCollection where Element: Encodable {
  /// Writes the elements, in order, into an unkeyed container.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

extension AnyRealmCollection: Encodable where Element: Encodable {}
extension List: Encodable where Element: Encodable {}
extension MutableSet: Encodable where Element: Encodable {}
extension Results: Encodable where Element: Encodable {}

extension List: Decodable where Element: Decodable {
  /// Reads the elements, in order, from an unkeyed container.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { append(try container.decode(Element.self)) }
  }
}

extension MutableSet: Decodable where Element: Decodable {
  /// Reads the elements from an unkeyed container; repeats count once.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { insert(try container.decode(Element.self)) }
  }
}

extension Map: Encodable where Value: Encodable {
  /// Writes the entries as a dictionary.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      Dictionary(asKeyValueSequence().map { ($0.key.mapKey, $0.value) }) { $1 })
  }
}

extension Map: Decodable where Value: Decodable {
  /// Reads the entries from a dictionary.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for a key that no map can have, too.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.singleValueContainer()
    let entries = try container.decode([String: Value].self)
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
      if let fault = Self.fault(ofKey: key) {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: fault)
      }
      updateValue(value, forKey: Key(mapKey: key))
    }
  }
}
