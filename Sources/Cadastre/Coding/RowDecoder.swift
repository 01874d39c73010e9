/// Decodes a value from the content of a row or a member.
struct RowDecoder: Decoder {
  let content: RowContent
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let record: any RowRecord
    switch content {
    case .record(let found): record = found
    case .entries(let entries): record = EntriesRecord(entries: entries)
    case .value, .stored, .elements: throw content.mismatch([String: Any].self) { codingPath }
    }
    return KeyedDecodingContainer(MemberContainer(record: record, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .elements(let elements) = content else {
      throw content.mismatch([Any].self) { codingPath }
    }
    return ElementContainer(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ValueContainer(content: content, codingPath: codingPath)
  }
}

/// A single value.
private struct ValueContainer: SingleValueDecodingContainer {
  let content: RowContent
  let codingPath: [any CodingKey]

  func decodeNil() -> Bool { content.isNull }

  func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    try content.decoded(type) { codingPath }
  }
}

/// The elements of a list or a set, in their order.
struct ElementContainer: UnkeyedDecodingContainer {
  let elements: [RowContent]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [RowContent], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }

  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try current(Any?.self).isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    let path = codingPath + [RowKey(currentIndex)]
    let result = try current(type).decoded(type) { path }
    currentIndex += 1
    return result
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try decoder().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try decoder() }

  private mutating func decoder() throws -> RowDecoder {
    let content = try current(RowDecoder.self)
    defer { currentIndex += 1 }
    return RowDecoder(content: content, codingPath: codingPath + [RowKey(currentIndex)])
  }

  private func current(_ type: Any.Type) throws -> RowContent {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(
          codingPath: codingPath + [RowKey(currentIndex)],
          debugDescription: "\(codingPath.inWords): there are only \(elements.count) elements"))
    }
    return elements[currentIndex]
  }
}

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

// The default implementations return nil for an unknown name, which hides a misspelt name. Each type has its
// own default implementation, which a generic function does not replace.
extension MemberContainer {
  func decodeIfPresent<Result: Decodable>(
    _ type: Result.Type, forKey key: Key
  ) throws -> Result? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try present(type, key)
  }

  private func present<Result: Decodable>(_ type: Result.Type, _ key: Key) throws -> Result? {
    if !record.hasFixedNames, !contains(key) { return nil }
    let content = try content(key)
    return content.isNull ? nil : try content.decoded(type) { codingPath + [key] }
  }
}

/// The index of a row or of an element in a coding path.
struct RowKey: CodingKey {
  let index: Int

  init(_ index: Int) { self.index = index }

  init?(intValue: Int) { index = intValue }

  init?(stringValue: String) { nil }

  var intValue: Int? { index }
  var stringValue: String { "Index \(index)" }
}

extension [any CodingKey] {
  /// The keys as text: `row 3, 'address.city'`.
  var inWords: String {
    let names = dropFirst().map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    let row = first?.intValue.map { "row \($0)" } ?? "the row"
    return names.isEmpty ? row : "\(row), '\(names.joined(separator: "."))'"
  }
}
