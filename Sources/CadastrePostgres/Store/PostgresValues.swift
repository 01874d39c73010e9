public import Cadastre
public import CadastreGeometry
import CadastreModel
import CadastreStore

extension PostgresResults {
  /// Returns each object as a dictionary of its values by property name, without links.
  ///
  ///     for try await place in places.dictionaries() { print(place["name"] ?? nil) }
  ///
  /// Values have the types of the properties. Collections are arrays or dictionaries; embedded objects are
  /// dictionaries.
  public func dictionaries() -> PostgresValues<Element, [String: Any?]> {
    PostgresValues(self) { DetachedObjects.dictionary($0, $1) }
  }

  /// Returns each object as a value of a type, decoded from the properties with the same names.
  ///
  ///     struct Name: Decodable { let code: String, depth: Int? }
  ///     for try await name in ports.values(as: Name.self) { print(name.code) }
  ///
  /// - Parameter type: The type.
  /// - Returns: The values; reading one throws `DecodingError` where a property is missing or has
  ///   another type.
  public func values<Output: Decodable & SendableMetatype>(
    as type: Output.Type
  ) -> PostgresValues<Element, Output> {
    PostgresValues(self) { row, layout in
      try Output(from: PropertyValueDecoder(DetachedObjects.dictionary(row, layout)))
    }
  }

  /// Returns each object with its distance from a point, in the order of the results.
  ///
  /// - Parameters:
  ///   - point: The origin of the distances, which are measured on the sphere.
  ///   - keyPath: The embedded object of the GeoJSON point shape, or the geometry.
  /// - Returns: A distance for each object; nil for an object without a location.
  public func withDistances<Place: GeometryProperty>(
    from point: GeoPoint, of keyPath: KeyPath<Element, Place>
  ) -> PostgresValues<Element, (object: Element, distance: Distance?)> {
    let name = DetachedObjects.path(of: keyPath).description
    let pool = store.pool
    return PostgresValues(self) { row, layout in
      let object = try DetachedObjects.object(Element.self, row, layout, from: pool)
      return (object, Self.distance(from: point, to: name, row, layout))
    }
  }

  private static func distance(
    from origin: GeoPoint, to name: String, _ row: ImportRow, _ layout: TableLayout
  ) -> Distance? {
    guard let index = layout.schema.index(of: name) else { return nil }
    switch layout.fields[index] {
    case .embedded(let embedded):
      guard !row.values[embedded.presence].isNull, let point = embedded.point else { return nil }
      let content = point.content(row.values)
      return PointShape.location(type: content.type, coordinates: content.coordinates).flatMap {
        GeoPoint(latitude: $0.latitude, longitude: $0.longitude)
      }.map { origin.distance(to: $0) }
    case .scalar(let column):
      guard case .geometry(let geometry) = row.values[column] else { return nil }
      return geometry.distance(to: Geometry(origin))
    default: return nil
    }
  }
}

/// A sequence of values that are made from the rows of results, in their order.
public struct PostgresValues<Element: Object, Output>: AsyncSequence, Sendable {
  private let results: PostgresResults<Element>
  private let make: @Sendable (ImportRow, TableLayout) throws -> Output

  init(
    _ results: PostgresResults<Element>,
    _ make: @escaping @Sendable (ImportRow, TableLayout) throws -> Output
  ) {
    (self.results, self.make) = (results, make)
  }

  /// Reads the values in the order of the results.
  public func makeAsyncIterator() -> Iterator { Iterator(rows: RowIterator(results), make: make) }

  /// An iterator that reads values through a server-side cursor.
  public struct Iterator: AsyncIteratorProtocol {
    private var rows: RowIterator<Element>
    private let make: @Sendable (ImportRow, TableLayout) throws -> Output
    private var outputs: ArraySlice<Output> = []

    fileprivate init(
      rows: RowIterator<Element>,
      make: @escaping @Sendable (ImportRow, TableLayout) throws -> Output
    ) {
      (self.rows, self.make) = (rows, make)
    }

    /// Returns the next value; nil at the end.
    ///
    /// - Throws: The errors of ``PostgresResults/Iterator/next()``, or `DecodingError`.
    public mutating func next() async throws -> Output? {
      if outputs.isEmpty, let (batch, cursor) = try await rows.batch() {
        outputs = try batch.map { try make($0, cursor.layout) }[...]
      }
      return outputs.popFirst()
    }
  }
}

/// A decoder of the values of an object, keyed by property name.
struct PropertyValueDecoder: Decoder {
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

  /// Decodes the value: unchanged, as an integer of another width, or with `Decodable`.
  fileprivate func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
    if let value = value as? Output { return value }
    if let integer = Output.self as? any FixedWidthInteger.Type {
      guard let number = value as? Int, let output = integer.init(exactly: number) as? Output else {
        throw mismatch(type)
      }
      return output
    }
    // `init(from:)` of a primitive type calls this container again.
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

    func superDecoder() -> any Decoder { PropertyValueDecoder(members, codingPath) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> PropertyValueDecoder {
      guard let member = members[key.stringValue] else {
        throw DecodingError.keyNotFound(
          key,
          .init(codingPath: codingPath, debugDescription: "the class has no such property"))
      }
      return PropertyValueDecoder(member, codingPath + [key])
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

    private func peek() throws -> PropertyValueDecoder {
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(
          Any.self, .init(codingPath: codingPath, debugDescription: "there are no more elements"))
      }
      return PropertyValueDecoder(elements[currentIndex], codingPath)
    }
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: PropertyValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNil }

    func decode<Output: Decodable>(_ type: Output.Type) throws -> Output {
      try decoder.decode(type)
    }
  }
}

/// A type whose `init(from:)` decodes the same type from a single-value container.
private protocol Primitive {}

extension Bool: Primitive {}
extension String: Primitive {}
extension Double: Primitive {}
extension Float: Primitive {}
