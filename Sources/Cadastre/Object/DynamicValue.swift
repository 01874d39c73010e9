import CadastreModel
import Foundation

/// Values whose types are known only at run time.
enum DynamicValue {
  /// Whether a dynamic value is null.
  static func isNothing(_ value: Any?) -> Bool {
    guard let value else { return true }
    if isInstance(value) { return value is NSNull }
    if isUsual(value) || isUsualContainer(value) { return false }
    if let optional = value as? any OptionalValue { return isNothing(optional.unwrapped) }
    return false
  }

  /// Whether a value is an instance of a class.
  ///
  /// To be checked before a cast to a class: without the Objective-C runtime, such a cast of another
  /// value first converts it to a class of Foundation, and a dictionary with all of its content.
  static func isInstance(_ value: Any) -> Bool { Swift.type(of: value) is AnyClass }

  /// The object in a dynamic value, also in an optional; nil for other values.
  static func object(_ value: Any?) -> ObjectBase? {
    guard let value, !isUsual(value), !isUsualContainer(value), let value = unwrapped(value),
      isInstance(value)
    else { return nil }
    return value as? ObjectBase
  }

  /// Whether a value is of one of the most frequent types of single values, which spares it the
  /// dynamic casts to others.
  static func isUsual(_ value: Any) -> Bool {
    let type = Swift.type(of: value)
    return type == String.self || type == Int.self || type == Double.self || type == Bool.self
  }

  /// Whether a value is a dictionary or an array of one of the most frequent types, which spares it the
  /// dynamic casts to others.
  static func isUsualContainer(_ value: Any) -> Bool {
    let type = Swift.type(of: value)
    return type == [String: Any].self || type == [Any].self || isArrayOfUsual(value)
  }

  /// Whether a value is an array of the most frequent single values.
  static func isArrayOfUsual(_ value: Any) -> Bool {
    let type = Swift.type(of: value)
    return type == [Double].self || type == [String].self || type == [Int].self
      || type == [Bool].self
  }

  /// A value without its optionals; nil for null in any of them.
  static func unwrapped(_ value: Any?) -> Any? {
    // As `Any`, because an optional `Any` is an optional itself.
    guard let value else { return nil }
    guard !isInstance(value), !isUsualContainer(value),
      let optional = value as? any OptionalValue
    else { return value }
    return optional.unwrapped.flatMap(unwrapped)
  }

  /// The content of a value of a property's type.
  static func content<Persisted: Persistable>(of value: Persisted) -> PropertyContent {
    Persisted.content(of: value)
  }

  /// The stored form of the zero of a type; nil where it has none.
  static func zero<Persisted: Persistable>(of type: Persisted.Type) -> Value? {
    type.makeZero().flatMap { content(of: $0).value }
  }

  /// The stored form of a dynamic value; nil where it has none.
  static func value(_ value: Any?) -> Value? {
    if let value, let usual = usualValue(value) { return usual }
    if isNothing(value) { return .null }
    if let value, isUsualContainer(value) || object(value) != nil { return nil }
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

  /// The stored form of a key; nil where it has none.
  static func value<Key>(ofKey key: Key) -> Value? {
    guard Key.self == Int.self else { return value(key) }
    // Invariant: the cast is between two names of one type. A dynamic cast takes much longer.
    return unsafeBitCast(key, to: Int.self).storedValue
  }

  /// The stored form of a number from JSON or a property list.
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

  /// The number nearest to a decimal; nil for other values.
  ///
  /// `JSONSerialization` reads numbers of more than 17 characters as decimals on Linux, whose own
  /// `doubleValue` is often a neighbour of the nearest number.
  static func double(ofDecimal value: Any?) -> Double? {
    guard let value, isInstance(value), let number = value as? NSDecimalNumber else { return nil }
    return double(of: number)
  }

  private static func double(of number: NSDecimalNumber) -> Double {
    Double(number.decimalValue.description) ?? number.doubleValue
  }

  /// A stored whole number in the width of a property's type; nil for null.
  static func integer(_ value: Value, as type: Any.Type) -> Any? {
    if let type = type as? any IntegerPersistable.Type { return type.init(storedValue: value) }
    if let type = type as? any OptionalInteger.Type { return type.integer(value) }
    return value.dynamicValue
  }

  /// Whether a type is an integer that is narrower than stored ones, or an optional one.
  static func isNarrowInteger(_ type: Any.Type) -> Bool {
    func holds<Integer: FixedWidthInteger>(_ integer: Integer.Type) -> Bool {
      type == integer || type == Integer?.self
    }
    return holds(Int8.self) || holds(Int16.self) || holds(Int32.self)
  }

  /// The stored form of an Int, a Double, a Bool or a String; nil for other types.
  ///
  /// The dynamic conformance check of other types costs more than the lookup of an object.
  static func usualValue(_ value: Any) -> Value? {
    let type = Swift.type(of: value)
    if type == Int.self { return (value as? Int)?.storedValue }
    if type == String.self { return (value as? String)?.storedValue }
    if type == Double.self { return (value as? Double)?.storedValue }
    if type == Bool.self { return (value as? Bool)?.storedValue }
    return nil
  }

  /// The elements of a sequence of any kind; nil where it is none, or one of them does not fit.
  static func elements<Element: Persistable>(_ value: Any?) -> [Element]? {
    guard let value, !isNothing(value) else { return nil }
    if Swift.type(of: value) == [Element].self { return value as? [Element] }
    if Swift.type(of: value) == [Any].self, let values = value as? [Any] { return fitting(values) }
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

  /// The entries of a dictionary or a map of any kind; nil where it is none, or one of them does
  /// not fit.
  ///
  /// In `Realm.create` a key that no map can have does not fit; elsewhere setting it stops the
  /// process.
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

/// A map whose types are not known.
protocol DynamicMap {
  var dynamicEntries: [(String, Any?)] { get }
}

extension Map: DynamicMap {
  var dynamicEntries: [(String, Any?)] { map { ($0.key.mapKey, $0.value) } }
}

/// An optional whose wrapped type is not known.
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

  /// Whether it is a list, a set or a map.
  var isCollection: Bool {
    switch self {
    case .elements, .entries: true
    case .value, .object: false
    }
  }

  /// Whether it is a collection without elements.
  var isEmptyCollection: Bool {
    switch self {
    case .elements(let elements): elements.isEmpty
    case .entries(let entries): entries.isEmpty
    case .value, .object: false
    }
  }

  /// The value, if it is a single one.
  var value: Value? { if case .value(let value) = self { value } else { nil } }
}
