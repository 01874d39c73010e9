/// A decoder of the values of an object by the names of its properties.
struct ValueDecoder: Decoder {
  private let value: Any?
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Creates a decoder of a dictionary, an array or a single value.
  init(_ value: Any?, _ path: [any CodingKey] = []) {
    self.value = value
    codingPath = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = value as? [String: Any?] else { throw mismatch([String: Any?].self) }
    return KeyedDecodingContainer(Keyed(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value as? [Any?] else { throw mismatch([Any?].self) }
    return Unkeyed(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    let found = value.map { "\(Swift.type(of: $0))" } ?? "nil"
    return .typeMismatch(
      type, .init(codingPath: codingPath, debugDescription: "expected \(type), found \(found)"))
  }

  /// Decodes the value: as it is, as an integer of another width, or by its own decoding.
  fileprivate func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
    if let value = value as? Output { return value }
    if let integer = Output.self as? any FixedWidthInteger.Type {
      guard let number = value as? Int, let output = integer.init(exactly: number) as? Output else {
        throw mismatch(type)
      }
      return output
    }
    // A primitive type would ask this container again.
    guard !(Output.self is any Primitive.Type) else { throw mismatch(type) }
    return try Output(from: self)
  }

  fileprivate var isNil: Bool { value == nil }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: Any?]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).isNil }

    func decode<Output: Decodable>(_ type: Output.Type, forKey key: Key) throws -> Output {
      try decoder(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { ValueDecoder(members, codingPath) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> ValueDecoder {
      guard let member = members[key.stringValue] else {
        throw DecodingError.keyNotFound(
          key,
          .init(codingPath: codingPath, debugDescription: "the class has no such property"))
      }
      return ValueDecoder(member, codingPath + [key])
    }
  }

  private struct Unkeyed: UnkeyedDecodingContainer {
    let elements: [Any?]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
      let isNil = try peek().isNil
      if isNil { currentIndex += 1 }
      return isNil
    }

    mutating func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
      let output = try peek().decode(type)
      currentIndex += 1
      return output
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try superDecoder().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
      let decoder = try peek()
      currentIndex += 1
      return decoder
    }

    private func peek() throws -> ValueDecoder {
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(
          Any.self, .init(codingPath: codingPath, debugDescription: "there are no more elements"))
      }
      return ValueDecoder(elements[currentIndex], codingPath)
    }
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNil }

    func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
      try decoder.decode(type)
    }
  }
}

/// A type whose `init(from:)` asks the container for the type itself.
private protocol Primitive {}

extension Bool: Primitive {}
extension String: Primitive {}
extension Double: Primitive {}
extension Float: Primitive {}
