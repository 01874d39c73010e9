/// Decodes a value from the content of a row or of a member of it.
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
