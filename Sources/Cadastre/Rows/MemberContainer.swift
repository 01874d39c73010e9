/// The members of a record by their names.
struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let record: any RowRecord
  let codingPath: [any CodingKey]

  var allKeys: [Key] { record.names.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { record.content(of: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try content(key).isNull }

  func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
    try content(key).decoded(type) { codingPath + [key] }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder {
    RowDecoder(content: .record(record), codingPath: codingPath)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> RowDecoder {
    RowDecoder(content: try content(key), codingPath: codingPath + [key])
  }

  func content(_ key: Key) throws -> RowContent {
    if let content = record.content(of: key.stringValue) { return content }
    throw DecodingError.keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "\(codingPath.inWords): \(record.kindName) has no '\(key.stringValue)', "
          + "expected one of: \(record.names.joined(separator: ", "))"))
  }
}
