public import CadastreGeometry
public import CadastreModel
public import Foundation

/// A value of any property type, or a list or map of such values.
///
///     class Sign: Object {
///       @Persisted var content: AnyRealmValue
///     }
///
///     try realm.write {
///       sign.content = .string("Closed")
///       sign.content = .fromDictionary(["text": .string("Open"), "lines": .int(2)])
///     }
///
/// Lists and maps may nest to 100 levels; sets and embedded objects cannot be values. In Swift,
/// values of different cases are unequal; in queries, numbers compare by value.
public enum AnyRealmValue: Hashable {
  /// No value.
  case none
  /// A whole number.
  case int(Int)
  /// True or false.
  case bool(Bool)
  /// A binary floating-point number of 32 bits.
  case float(Float)
  /// A binary floating-point number of 64 bits.
  case double(Double)
  /// Text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A date.
  case date(Date)
  /// An object.
  case object(Object)
  /// Twelve bytes in MongoDB's layout.
  case objectId(ObjectId)
  /// A decimal floating-point number.
  case decimal128(Decimal128)
  /// Sixteen bytes.
  case uuid(UUID)
  /// Points, lines, polygons, or a collection of them.
  case geometry(Geometry)
  /// A map of values.
  case dictionary(Map<String, AnyRealmValue>)
  /// A list of values.
  case list(List<AnyRealmValue>)

  /// No value.
  public init() { self = .none }

  /// Returns a list of values.
  public static func fromArray(_ values: [AnyRealmValue]) -> AnyRealmValue {
    let list = List<AnyRealmValue>()
    list.append(objectsIn: values)
    return .list(list)
  }

  /// Returns a map of values.
  ///
  /// A key that contains a full stop or begins with `$` stops the process; for keys from outside see
  /// ``fromDictionary(checking:)``.
  public static func fromDictionary(_ values: [String: AnyRealmValue]) -> AnyRealmValue {
    let map = Map<String, AnyRealmValue>()
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      map.updateValue(value, forKey: key)
    }
    return .dictionary(map)
  }

  /// Returns a map of values whose keys come from outside the program.
  ///
  /// - Throws: ``InvalidValueError`` for a key that contains a full stop or begins with `$`.
  public static func fromDictionary(
    checking values: [String: AnyRealmValue]
  ) throws(InvalidValueError) -> AnyRealmValue {
    let map = Map<String, AnyRealmValue>()
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      try map.updateValue(value, checking: key)
    }
    return .dictionary(map)
  }

  /// Hashes the value; of lists and maps, which can change, the number of elements.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .int(let value): hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .decimal128(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .geometry(let value): hasher.combine(value)
    case .dictionary(let map): hasher.combine(map.count)
    case .list(let list): hasher.combine(list.count)
    }
  }
}

// MARK: Cases

extension AnyRealmValue {
  /// The whole number, or nil.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
  /// The Boolean, or nil.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number of 32 bits, or nil.
  public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
  /// The number of 64 bits, or nil.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The text, or nil.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The bytes, or nil.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
  /// The date, or nil.
  public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
  /// The object id, or nil.
  public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
  /// The decimal number, or nil.
  public var decimal128Value: Decimal128? {
    if case .decimal128(let value) = self { value } else { nil }
  }
  /// The UUID, or nil.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
  /// The geometry, or nil.
  public var geometryValue: Geometry? {
    if case .geometry(let value) = self { value } else { nil }
  }
  /// The map, or nil.
  public var dictionaryValue: Map<String, AnyRealmValue>? {
    if case .dictionary(let value) = self { value } else { nil }
  }
  /// The list, or nil.
  public var listValue: List<AnyRealmValue>? {
    if case .list(let value) = self { value } else { nil }
  }
  /// Returns the object, if it is of a class.
  public func object<Element: Object>(_ type: Element.Type) -> Element? {
    if case .object(let object) = self { object as? Element } else { nil }
  }
  /// The object without its Swift class, or nil.
  public var dynamicObject: DynamicObject? {
    if case .object(let object) = self { DynamicObject.sameRow(as: object) } else { nil }
  }

  /// The value without its case, as access by name returns it; nil for `none`.
  var dynamicValue: Any? {
    switch self {
    case .none: nil
    case .object(let object): object
    case .dictionary(let map): map
    case .list(let list): list
    default: Self.content(of: self).value?.dynamicValue
    }
  }
}

/// A set with type-erased elements.
private protocol DynamicSet {}

extension MutableSet: DynamicSet {}

// MARK: As a property

@_documentation(visibility: internal)
extension AnyRealmValue: Persistable {
  /// A value of any type, null included.
  public static var propertyShape: PropertyShape { PropertyShape(type: .any) }
  /// No value.
  public static func makeDefaultValue() -> AnyRealmValue { .none }
  /// Reads the property of a managed object.
  public static func read(from object: ObjectBase, property: Int) -> AnyRealmValue {
    guard let core = object.position?.row.core else {
      object.record(property)
      return .none
    }
    let location = NestedLocation(.property(of: object, property))
    return value(object.storedValue(property), StoredContext(core, location: location))
  }
  /// Sets the property of a managed object.
  public static func write(_ value: AnyRealmValue, to object: ObjectBase, property: Int) {
    guard let core = object.position?.row.core else { return }
    object.position?.row.requireWrite(object.classInfo.name(of: property))
    object.setStoredValue(ObjectWriter(core).mixed(content(of: value)), property)
  }
  /// Returns the content of the value.
  public static func content(of value: AnyRealmValue) -> PropertyContent {
    content(of: value, depth: 0)
  }

  /// Returns the content of a value at a nesting level; too many levels stop the process, for example a list
  /// that contains itself.
  private static func content(of value: AnyRealmValue, depth: Int) -> PropertyContent {
    switch value {
    case .none: return .value(.null)
    case .int(let value): return .value(.int(Int64(value)))
    case .bool(let value): return .value(.bool(value))
    case .float(let value): return .value(.float(value))
    case .double(let value): return .value(.double(value))
    case .string(let value): return .value(.string(value))
    case .data(let value): return .value(.data(value))
    case .date(let value): return .value(value.storedValue)
    case .object(let object): return .object(object)
    case .objectId(let value): return .value(.objectId(value))
    case .decimal128(let value): return .value(.decimal(value))
    case .uuid(let value): return .value(.uuid(value))
    case .geometry(let value): return .value(.geometry(value))
    case .dictionary(let map):
      checkDepth(depth)
      return .entries(map.map { ($0.key, content(of: $0.value, depth: depth + 1)) })
    case .list(let list):
      checkDepth(depth)
      return .elements(Array(list).map { content(of: $0, depth: depth + 1) })
    }
  }

  /// Returns the stored form of a content; nil if the content includes an object.
  static func stored(_ content: PropertyContent) -> Value? {
    switch content {
    case .value(let value): return value
    case .object: return nil
    case .elements(let elements):
      let values = elements.compactMap(stored)
      return values.count == elements.count ? .list(values) : nil
    case .entries(let entries):
      let values = entries.compactMap { entry in stored(entry.content).map { (entry.key, $0) } }
      return values.count == entries.count ? .map(ValueMap(values)) : nil
    }
  }

  /// Stops the process if a list or a map is nested too deep.
  static func checkDepth(_ depth: Int) {
    guard depth >= Value.maximumDepth else { return }
    ProgrammingError.stop(
      "Lists and maps in an AnyRealmValue may nest to \(Value.maximumDepth) levels: "
        + "maximum nesting level exceeded.")
  }

  /// Converts a dynamic value: arrays become lists, dictionaries become maps.
  public static func make(fromDynamic value: Any?) -> AnyRealmValue? {
    if let value = value as? AnyRealmValue { return value }
    if let object = DynamicValue.object(value) as? Object { return .object(object) }
    if let stored = DynamicValue.value(value) { return single(stored) }
    guard let creation = ObjectCreation.current else { return collection(value) }
    return creation.nested(atMost: Value.maximumDepth) { collection(value) }
  }

  /// Returns a list or a map; nil for other values, sets included, which have no order.
  private static func collection(_ value: Any?) -> AnyRealmValue? {
    if value is any DynamicSet || value is Set<AnyHashable> { return nil }
    if let entries: [(String, AnyRealmValue)] = DynamicValue.entries(value) {
      return fromDictionary(Dictionary(entries, uniquingKeysWith: { $1 }))
    }
    return DynamicValue.elements(value).map(fromArray)
  }

  /// Converts a stored value.
  public static func make(fromStored value: Value, in context: StoredContext) -> AnyRealmValue? {
    self.value(value, context)
  }

  private static func value(_ stored: Value, _ context: StoredContext) -> AnyRealmValue {
    switch stored {
    case .object(let address):
      return (context.core.object(at: address) as? Object).map(AnyRealmValue.object) ?? .none
    case .list:
      guard let location = context.location else { return .none }
      return .list(List(NestedList(context.core, location)))
    case .map:
      guard let location = context.location else { return .none }
      return .dictionary(Map(NestedMap(context.core, location)))
    default: return single(stored) ?? .none
    }
  }

  /// Returns the case of a value that is neither an object nor a list or a map.
  private static func single(_ stored: Value) -> AnyRealmValue? {
    switch stored {
    case .null: AnyRealmValue.none
    case .bool(let value): .bool(value)
    case .int(let value): .int(Int(value))
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .data(let value): .data(value)
    case .date(let value): .date(value.date)
    case .objectId(let value): .objectId(value)
    case .uuid(let value): .uuid(value)
    case .geometry(let value): .geometry(value)
    case .decimal(let value): .decimal128(value)
    case .link, .object, .list, .map: nil
    }
  }
}

extension AnyRealmValue: CustomStringConvertible {
  /// The value as text; `nil` for no value.
  public var description: String {
    dynamicValue.map { "\($0)" } ?? "nil"
  }
}
