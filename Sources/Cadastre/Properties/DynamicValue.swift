import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore
import Foundation

/// Conversions of values whose types are determined at run time.
enum DynamicValue {
  /// Returns whether a dynamic value is null.
  static func isNull(_ value: Any?) -> Bool {
    guard let value else { return true }
    if isCommonScalar(value) || isCommonContainer(value) { return false }
    if isInstance(value) { return value is NSNull }
    if let optional = value as? any OptionalValue { return isNull(optional.unwrapped) }
    return false
  }

  /// Returns whether a value is an instance of a class.
  ///
  /// Check this before a cast to a class: without the Objective-C runtime, such a cast first converts a value
  /// to a Foundation class, a dictionary with its whole content.
  static func isInstance(_ value: Any) -> Bool { Swift.type(of: value) is AnyClass }

  /// Returns the type of a value that is not an instance of a class.
  private static func storedType<Stored>(_ value: Stored) -> Any.Type { Stored.self }

  /// Returns a value whose type is exactly the wanted one; nil for other values.
  ///
  /// A dynamic cast takes several times as long.
  @inline(__always)
  static func exactly<Wanted>(_ value: Any, _ type: Wanted.Type) -> Wanted? {
    same(value, type)
  }

  @inline(__always)
  private static func same<Stored, Wanted>(_ value: Stored, _ type: Wanted.Type) -> Wanted? {
    // Invariant: the source and the target of the cast are the same type.
    Stored.self == type ? unsafeBitCast(value, to: type) : nil
  }

  /// Returns the object in a dynamic value or in nested optionals; nil for other values.
  static func object(_ value: Any?) -> ObjectBase? {
    guard let value, !isCommonScalar(value), !isCommonContainer(value),
      let value = unwrapped(value),
      isInstance(value)
    else { return nil }
    return value as? ObjectBase
  }

  /// Returns whether a value is a common scalar: a `String`, `Int`, `Double` or `Bool`; the check avoids more
  /// expensive dynamic casts.
  static func isCommonScalar(_ value: Any) -> Bool {
    let type = storedType(value)
    return type == String.self || type == Int.self || type == Double.self || type == Bool.self
  }

  /// Returns whether a value is a dictionary or an array of a common type; the check avoids more expensive
  /// dynamic casts.
  static func isCommonContainer(_ value: Any) -> Bool {
    let type = storedType(value)
    return type == [String: Any].self || type == [Any].self || isCommonArray(value)
  }

  /// Returns whether a value is an array of common scalars.
  static func isCommonArray(_ value: Any) -> Bool {
    let type = storedType(value)
    return type == [Double].self || type == [String].self || type == [Int].self
      || type == [Bool].self
  }

  /// Returns a value without nested optionals; nil if one of them is nil.
  static func unwrapped(_ value: Any?) -> Any? {
    // Unwraps `value` first, because an `Any?` is an optional itself.
    guard let value else { return nil }
    guard !isCommonContainer(value), !isInstance(value),
      let optional = value as? any OptionalValue
    else { return value }
    return optional.unwrapped.flatMap(unwrapped)
  }

  /// Returns the elements of a collection, without optionals.
  static func elements(of collection: some RealmCollection) -> [Any?] {
    collection.map { unwrapped($0) }
  }

  /// Returns the content of a value.
  static func content<Persisted: Persistable>(of value: Persisted) -> PropertyContent {
    Persisted.content(of: value)
  }

  /// Returns the stored form of the zero of a type; nil if the type has none.
  static func zero<Persisted: Persistable>(of type: Persisted.Type) -> Value? {
    type.makeZero().flatMap { content(of: $0).value }
  }

  /// Returns the stored form of a dynamic value; nil for an object or a collection.
  static func value(_ value: Any?) -> Value? {
    if let value, let usual = commonScalar(value) { return usual }
    if isNull(value) { return .null }
    if let value, isCommonContainer(value) || object(value) != nil { return nil }
    switch value {
    case let scalar as any ScalarPersistable: return scalar.storedValue
    case let value as Value: return value
    case let persistable as any Persistable: return content(of: persistable).value
    case let optional as any OptionalValue: return optional.unwrapped.flatMap(DynamicValue.value)
    case let number as any BinaryInteger: return Int64(exactly: number).map(Value.int)
    case let number as NSNumber: return Self.value(of: number)
    default: return nil
    }
  }

  /// Returns the stored form of a primary key; nil for a value that cannot be a key.
  static func value<Key>(ofKey key: Key) -> Value? {
    guard Key.self == Int.self else { return value(key) }
    // Invariant: `Key` is `Int`. A dynamic cast takes much longer.
    return unsafeBitCast(key, to: Int.self).storedValue
  }

  /// Returns the stored form of a number from JSON or a property list.
  private static func value(of number: NSNumber) -> Value? {
    if let number = number as? NSDecimalNumber {
      return Int64(number.decimalValue.description).map(Value.int) ?? .double(double(of: number))
    }
    return switch String(cString: number.objCType) {
    case "c", "B": .bool(number.boolValue)
    case "f": .float(number.floatValue)
    case "d": .double(number.doubleValue)
    default: Int64(exactly: number).map(Value.int)
    }
  }

  /// Returns the `Double` nearest to a decimal; nil for other values.
  ///
  /// On Linux, `JSONSerialization` reads numbers of more than 17 characters as decimals, and their
  /// `doubleValue` is often not the nearest number.
  static func double(ofDecimal value: Any?) -> Double? {
    guard let value, isInstance(value), let number = value as? NSDecimalNumber else { return nil }
    return double(of: number)
  }

  private static func double(of number: NSDecimalNumber) -> Double {
    Double(number.decimalValue.description) ?? number.doubleValue
  }

  /// Converts a stored integer to the type of a property; nil for null.
  static func integer(_ value: Value, as type: Any.Type) -> Any? {
    if let type = type as? any IntegerPersistable.Type { return type.init(storedValue: value) }
    if let type = type as? any OptionalInteger.Type { return type.integer(value) }
    return value.dynamicValue
  }

  /// Returns whether a type is an integer narrower than 64 bits, or the optional of one.
  static func isNarrowInteger(_ type: Any.Type) -> Bool {
    func holds<Integer: FixedWidthInteger>(_ integer: Integer.Type) -> Bool {
      type == integer || type == Integer?.self
    }
    return holds(Int8.self) || holds(Int16.self) || holds(Int32.self)
  }

  /// Returns the stored form of a common scalar; nil for other types.
  ///
  /// A dynamic conformance check costs more than the lookup of an object.
  static func commonScalar(_ value: Any) -> Value? {
    if let value = exactly(value, Int.self) { return value.storedValue }
    if let value = exactly(value, String.self) { return value.storedValue }
    if let value = exactly(value, Double.self) { return value.storedValue }
    return exactly(value, Bool.self)?.storedValue
  }

  /// Returns a dictionary of a common type as one of any values; nil for other values.
  ///
  /// A dynamic cast looks up the types of each entry.
  static func commonDictionary(_ value: Any) -> [String: Any]? {
    if let values = exactly(value, [String: Any].self) { return values }
    if let values = exactly(value, [String: String].self) { return values.mapValues { $0 } }
    if let values = exactly(value, [String: Int].self) { return values.mapValues { $0 } }
    if let values = exactly(value, [String: Double].self) { return values.mapValues { $0 } }
    return exactly(value, [String: [Double]].self)?.mapValues { $0 }
  }

  /// Returns the elements of a sequence; nil for other values, and if an element does not fit.
  static func elements<Element: Persistable>(_ value: Any?) -> [Element]? {
    guard let value, !isNull(value) else { return nil }
    if let elements = exactly(value, [Element].self) { return elements }
    if let values = exactly(value, [Any].self) { return fitting(values) }
    guard !(value is String), !(value is Data), !(value is [String: Any?]),
      let sequence = value as? any Sequence
    else { return nil }
    return fitting(sequence)
  }

  private static func fitting<Element: Persistable>(_ sequence: some Sequence) -> [Element]? {
    let creation = ObjectCreation.checking
    var elements: [Element] = []
    for (index, value) in sequence.enumerated() {
      let made: Element? =
        if let creation {
          creation.element(value, at: .index(index))
        } else {
          Element.make(fromDynamic: value)
        }
      guard let made else { return nil }
      elements.append(made)
    }
    return elements
  }

  /// Returns the entries of a dictionary or a map; nil for other values, and if a value does not fit.
  ///
  /// In `Realm.create` an invalid key does not fit; elsewhere an invalid key stops the process.
  static func entries<Element: Persistable>(_ value: Any?) -> [(String, Element)]? {
    let pairs: [(String, Any?)]
    if let dictionary = value as? [String: Any?] {
      pairs = dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    } else if let map = value as? any DynamicMap {
      pairs = map.dynamicEntries
    } else {
      return nil
    }
    let creation = ObjectCreation.current
    var entries: [(String, Element)] = []
    for (key, value) in pairs {
      if let creation, Map<String, Int>.fault(ofKey: key) != nil {
        creation.noteUnfit(key, expected: Map<String, Int>.expectedKey)
        return nil
      }
      let made: Element? =
        if let creation, creation.isChecking {
          creation.element(value, at: .key(key))
        } else {
          Element.make(fromDynamic: value)
        }
      guard let made else { return nil }
      entries.append((key, made))
    }
    return entries
  }
}

/// A map with type-erased entries.
protocol DynamicMap {
  var dynamicEntries: [(String, Any?)] { get }
}

extension Map: DynamicMap {
  var dynamicEntries: [(String, Any?)] { map { ($0.key.mapKey, $0.value) } }
}

/// An optional with a type-erased value.
protocol OptionalValue {
  static var wrappedType: Any.Type { get }
  var unwrapped: Any? { get }
}

extension Optional: OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
  var unwrapped: Any? { self.map { $0 as Any } }
}

extension PropertyContent {
  /// The object, linked or embedded; nil for other contents.
  var linkedObject: ObjectBase? { if case .object(let object) = self { object } else { nil } }

  /// Whether the content is a list, a set or a map.
  var isCollection: Bool {
    switch self {
    case .elements, .entries: true
    case .value, .object: false
    }
  }

  /// Whether the content is an empty collection.
  var isEmptyCollection: Bool {
    switch self {
    case .elements(let elements): elements.isEmpty
    case .entries(let entries): entries.isEmpty
    case .value, .object: false
    }
  }

  /// The single value; nil for other contents.
  var value: Value? { if case .value(let value) = self { value } else { nil } }
}

extension Value {
  /// The value with its common Swift type; nil for null.
  var dynamicValue: Any? {
    switch self {
    case .null, .object, .list, .map: nil
    case .bool(let value): value
    case .int(let value): Int(value)
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value.date
    case .objectId(let value): value
    case .uuid(let value): value
    case .geometry(let value): value
    case .decimal(let value): value
    case .link(let key): key
    }
  }
}

/// Conversion of property values from JSON, as `JSONEncoder` and `encoded(depth:)` write types without a JSON
/// form.
enum JSONPropertyValue {
  /// Parses a text as a value of a property type; nil for a text that does not fit.
  ///
  /// Dates are in ISO 8601, data is in base64, and object ids have 24 digits. The numbers without a JSON form
  /// are `infinity`, `-infinity` and `nan`.
  static func value(_ text: String, as type: PropertyType) -> Value? {
    switch type {
    case .date: date(text).map(Value.date)
    case .data: Data(base64Encoded: text).map(Value.data)
    case .objectId: (try? ObjectId(string: text)).map(Value.objectId)
    case .UUID: UUID(uuidString: text).map(Value.uuid)
    case .double, .float: numbers[text.lowercased()].map(Value.double)
    default: nil
    }
  }

  private static let numbers: [String: Double] = [
    "infinity": .infinity, "inf": .infinity, "-infinity": -.infinity, "-inf": -.infinity,
    "nan": .nan,
  ]

  /// Converts a GeoJSON object to a geometry; nil for other values.
  static func geometry(_ value: Any?) -> Geometry? {
    guard let members = value as? [String: Any] else { return nil }
    return Geometry(geoJSONObject: members) { DynamicValue.value($0)?.doubleValue }
  }

  /// Converts a primary key from outside the program; nil for a key that does not fit.
  static func key(_ key: Any?, of property: Property) -> Value? {
    guard let value = DynamicValue.value(key) else { return nil }
    if value.isNull { return property.isOptional ? .null : nil }
    if value.type == property.type { return value }
    guard case .string(let text) = value else { return nil }
    return self.value(text, as: property.type)
  }

  private static func date(_ text: String) -> Timestamp? {
    let form = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/
    return text.wholeMatch(of: form.asciiOnlyDigits()) == nil ? nil : DateText.timestamp(text)
  }

  /// Returns the object with a primary key; nil if the class has no primary key or the value does not fit.
  ///
  /// A missing object is created with the key, so that documents that link to each other can be read in any
  /// order.
  static func object(_ type: ObjectBase.Type, forKey key: Any, in core: RealmCore?) -> ObjectBase? {
    let info = ClassInfo.of(type)
    guard let property = info.schema.primaryKeyProperty,
      let index = info.schema.index(of: property.name), isScalar(key)
    else { return nil }
    let object = type.init()
    let field = info.fields[index]
    guard field.set(object, to: key),
      let value = object.content(of: property.name)?.value
    else { return nil }
    let name = info.schema.className
    if let core, let table = core.table(named: name),
      let row = core.readRow(or: nil, { try $0.key(name, primaryKey: value) })
    {
      return core.object(type, table, row)
    }
    object.specifiedProperties = SpecifiedProperties([index], of: info.fields.count)
    return object
  }

  private static func isScalar(_ key: Any) -> Bool {
    guard let value = DynamicValue.value(key) else { return false }
    return !value.isNull
  }
}
