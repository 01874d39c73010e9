public import CadastreModel
internal import OrderedCollections

/// A dictionary with string keys as a property of an object.
///
///     class Timetable: Object {
///       @Persisted var gates: Map<String, String>
///       @Persisted var airports: Map<String, Airport?>
///     }
///
///     try realm.write {
///       timetable.gates["AF 1"] = "B12"
///       timetable.airports["home"] = airport
///       timetable.gates["AF 2"] = nil  // removes the key
///     }
///
/// A key contains no full stop and does not begin with `$`; percent-encode such keys. Keys are equal if their
/// bytes are equal. The map of a managed object iterates in byte order of its keys, and changes only in a
/// write transaction. If an object is deleted, its key stays with the value nil.
///
/// - Complexity: For n entries of a managed map: reading, setting and removing a key O(log n).
public final class Map<Key: MapKeyType, Value: RealmCollectionValue> {
  /// The entries of an unmanaged map.
  private var entries: OrderedDictionary<TextKey, Value> = [:]
  /// Whether the entries were loaded, or replaced by the program.
  var isLoaded = true
  private var cachedSource: (any MapSource)?
  /// The managed property to which the map is bound.
  private var boundProperty: BoundCollectionProperty?

  /// Creates an unmanaged empty map.
  public init() {}

  init(_ source: any MapSource) { cachedSource = source }

  private var source: (any MapSource)? {
    if let cachedSource { return cachedSource }
    cachedSource = boundProperty?.source as? any MapSource
    return cachedSource
  }

  private func value(
    _ stored: CadastreModel.Value, forKey key: String, of source: any MapSource
  ) -> Value {
    StoredElement.make(stored, source.context(forKey: key))
  }

  private var all: [(key: Key, value: Value)] {
    guard let source else { return entries.map { (Key(mapKey: $0.key.text), $0.value) } }
    return source.entries().map { entry in
      (Key(mapKey: entry.key), value(entry.value, forKey: entry.key, of: source))
    }
  }

  /// The form of a valid key, for messages.
  static var expectedKey: String {
    "a key without '.' that does not begin with '$': percent-encode it"
  }

  private func check(_ key: Key) {
    if let fault = Self.fault(ofKey: key.mapKey) { ProgrammingError.stop(fault) }
  }

  /// Returns why a text is not a valid key; nil for a valid key.
  static func fault(ofKey text: String) -> String? {
    // Compares bytes: a combining mark after `$` or `.` makes another character.
    if text.utf8.first == UInt8(ascii: "$") {
      return "Invalid key '\(text)': a map's key must not start with '$'; percent-encode it."
    }
    if text.utf8.contains(UInt8(ascii: ".")) {
      return "Invalid key '\(text)': a map's key must not contain '.'; percent-encode it."
    }
    return nil
  }
}

/// The type of the keys of a map: `String`.
public protocol MapKeyType: Hashable {
  /// Creates a key from a text.
  @_documentation(visibility: internal)
  init(mapKey: String)
  /// The text of the key.
  @_documentation(visibility: internal)
  var mapKey: String { get }
}

@_documentation(visibility: internal)
extension String: MapKeyType {
  /// Creates a key from its text.
  public init(mapKey: String) { self = mapKey }
  /// The text of the key.
  public var mapKey: String { self }
}

// MARK: Reading and changing

extension Map {
  /// The number of entries.
  public var count: Int { source?.count ?? entries.count }

  /// Whether there are no entries.
  public var isEmpty: Bool { count == 0 }

  /// The keys.
  public var keys: [Key] {
    guard let source else { return entries.keys.map { Key(mapKey: $0.text) } }
    return source.entries().map { Key(mapKey: $0.key) }
  }

  /// The values, in the order of their keys.
  public var values: [Value] { all.map(\.value) }

  /// The value under a key; nil if there is none.
  ///
  /// Setting nil removes the key. Where values are optional, `map[key] = .some(nil)` stores nil.
  public subscript(key: Key) -> Value? {
    get {
      guard let source else {
        return boundProperty?.recordedElement(Value.self) ?? entries[TextKey(key.mapKey)]
      }
      return source.value(forKey: key.mapKey).map { value($0, forKey: key.mapKey, of: source) }
    }
    set {
      guard let newValue else { return removeObject(for: key) }
      updateValue(newValue, forKey: key)
    }
  }

  /// Sets the value under a key from outside the program.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Throws: ``InvalidValueError`` for a key that contains a full stop or begins with `$`.
  public func updateValue(_ value: Value, checking key: Key) throws(InvalidValueError) {
    guard Self.fault(ofKey: key.mapKey) == nil else {
      throw InvalidValueError("\(Self.self)", nil, key.mapKey, expected: Self.expectedKey)
    }
    updateValue(value, forKey: key)
  }

  /// Sets the value under a key.
  ///
  /// A key that contains a full stop or begins with `$` stops the process; for keys from outside see
  /// ``updateValue(_:checking:)``.
  public func updateValue(_ value: Value, forKey key: Key) {
    check(key)
    guard let source else {
      entries[TextKey(key.mapKey)] = value
      return
    }
    source.requireWrite()
    source.set(source.stored(Value.content(of: value)), forKey: key.mapKey)
  }

  /// Removes a key and its value.
  public func removeObject(for key: Key) {
    guard let source else {
      entries[TextKey(key.mapKey)] = nil
      return
    }
    source.requireWrite()
    _ = source.remove(key: key.mapKey)
  }

  /// Removes all entries.
  public func removeAll() {
    isLoaded = true
    guard let source else { return entries.removeAll() }
    source.requireWrite()
    source.removeAll()
  }

  /// Returns the value under a key; nil if there is none.
  public func object(forKey key: Key) -> Value? { self[key] }

  /// Returns the value under a key; nil if there is none.
  public func value(forKey key: Key) -> Value? { self[key] }

  /// Sets the value under a key, or removes it.
  public func setValue(_ value: Value?, forKey key: Key) { self[key] = value }

  /// Adds the entries of a sequence; a closure combines the two values of a key that exists.
  public func merge<Entries: Sequence>(
    _ other: Entries, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows where Entries.Element == (key: Key, value: Value) {
    let other = Array(other)
    source?.requireWrite()
    for (key, value) in other {
      updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
    }
  }

  /// Adds the entries of another map; a closure combines the two values of a key that exists.
  public func merge(
    _ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    try merge(other.all, uniquingKeysWith: combine)
  }
}

/// A key and its value.
public typealias SingleMapEntry<Key, Value> = (key: Key, value: Value)

extension Map: RealmKeyedCollection, Equatable {
  /// The source of the values.
  @_documentation(visibility: internal)
  public var handle: CollectionHandle { CollectionHandle(source) }

  /// Iterates over the current entries, as pairs; later changes do not affect the iteration.
  public func makeIterator() -> AnyIterator<(key: Key, value: Value)> {
    AnyIterator(all.makeIterator())
  }

  /// Returns whether a closure returns true for an entry.
  public func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows
    -> Bool
  {
    try all.contains { try predicate($0.key, $0.value) }
  }

  /// Returns the entries as pairs.
  public func asKeyValueSequence() -> [(key: Key, value: Value)] { all }

  /// Returns whether both are the same property of the same object; for unmanaged maps, whether their entries
  /// are equal.
  public static func == (first: Map, second: Map) -> Bool {
    switch (first.source, second.source) {
    case (nil, nil):
      first === second
        || first.count == second.count
          && first.entries.allSatisfy { second.entries[$0.key] == $0.value }
    case (let first?, let second?): first.isSame(as: second)
    default: false
    }
  }
}

// MARK: As a property

@_documentation(visibility: internal)
extension Map: Persistable {
  /// The property's shape in the schema.
  public static var propertyShape: PropertyShape { .collection(.map, of: Value.self) }
  /// Returns an empty map.
  public static func makeDefaultValue() -> Map { Map() }
  /// Returns the map of a managed object.
  public static func read(from object: ObjectBase, property: Int) -> Map {
    guard let source = object.elementSource(property, isChecked: false) as? any MapSource else {
      object.record(property)
      let map = Map()
      map.boundProperty = BoundCollectionProperty(property, of: object)
      return map
    }
    return Map(source)
  }
  /// Replaces the entries of a managed map by the entries of another map.
  public static func write(_ value: Map, to object: ObjectBase, property: Int) {
    let map = read(from: object, property: property)
    guard map != value else { return }
    let entries = value.all
    map.removeAll()
    for (key, value) in entries { map.updateValue(value, forKey: key) }
  }
  /// Returns the current map with the new entries.
  public static func assigned(_ value: Map, over current: @autoclosure () -> Map) -> Map {
    let current = current()
    if value !== current {
      current.entries = OrderedDictionary(
        value.all.map { (TextKey($0.key.mapKey), $0.value) }, uniquingKeysWith: { $1 })
    }
    current.isLoaded = value.isLoaded
    return current
  }
  /// Returns the entries.
  public static func content(of value: Map) -> PropertyContent {
    .entries(value.all.map { ($0.key.mapKey, Value.content(of: $0.value)) })
  }
  /// Returns a map of the entries of a dictionary or another map; nil if a value does not fit its type.
  public static func make(fromDynamic value: Any?) -> Map? {
    if let value, DynamicValue.isInstance(value), let map = value as? Map { return map }
    if DynamicValue.isNull(value) { return Map() }
    guard let entries: [(String, Value)] = DynamicValue.entries(value) else { return nil }
    let map = Map()
    for (key, value) in entries { map.updateValue(value, forKey: Key(mapKey: key)) }
    return map
  }
  /// Returns nil: a map cannot be an element.
  public static func make(
    fromStored value: CadastreModel.Value, in context: StoredContext
  ) -> Map? { nil }
  /// Binds the map to its property when the object becomes managed.
  public static func attach(_ value: consuming Map, to object: ObjectBase, property: Int) {
    guard !isKnownUniquelyReferenced(&value), value.cachedSource == nil,
      let boundProperty = BoundCollectionProperty(property, of: object)
    else {
      return
    }
    value.boundProperty = boundProperty
    value.entries = [:]
  }

  func noteRead() { boundProperty?.noteRead() }
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
  /// - Throws: `DecodingError`; `dataCorrupted` for an invalid key.
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
