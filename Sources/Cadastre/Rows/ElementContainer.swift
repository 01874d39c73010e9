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
