import Cadastre
import Foundation

/// A value as `expected.json` writes it, for comparison with values of Cadastre.
enum PlainValue {
  /// The properties that identify the objects of classes without a primary key.
  private static let identities = [
    "Dog": "name", "Pet": "age", "Note": "rev", "Tiny": "v", "Sparse": "v", "Spread": "v",
    "MixAll": "v",
  ]

  /// Returns whether a value is the expected one.
  ///
  /// - Parameters:
  ///   - value: The value, as access by name returns it.
  ///   - expected: The value in JSON.
  ///   - isSet: Whether the elements of a collection have no order.
  /// - Returns: Whether they are the same.
  static func isSame(_ value: Any?, _ expected: Any?, isSet: Bool = false) -> Bool {
    guard let value = unwrapped(value) else { return expected == nil || expected is NSNull }
    switch value {
    case let value as Bool: return (expected as? Bool) == value
    case let value as Float: return double(expected) == Double(value)
    case let value as Double: return double(expected) == value
    case let value as any BinaryInteger: return (expected as? NSNumber)?.int64Value == Int64(value)
    case let value as String: return expected as? String == value
    case let value as Data: return expected as? String == value.base64EncodedString()
    case let value as ObjectId: return expected as? String == value.stringValue
    case let value as UUID: return expected as? String == value.uuidString.lowercased()
    case let value as Decimal128:
      return (expected as? String).map { Decimal128(string: $0) == value } ?? false
    case let value as Date: return date(expected).map { isNear(value, $0) } ?? false
    case let object as ObjectBase: return isSame(object, expected)
    case let elements as [Any?]: return isSame(elements, expected, isSet: isSet)
    default: return false
    }
  }

  private static func isSame(_ object: ObjectBase, _ expected: Any?) -> Bool {
    if let members = expected as? [String: Any] {
      return members.allSatisfy { isSame(elements(object[$0]), $1) }
    }
    return isSame(identity(object), expected)
  }

  private static func isSame(_ elements: [Any?], _ expected: Any?, isSet: Bool) -> Bool {
    guard var expected = expected as? [Any], expected.count == elements.count else { return false }
    guard isSet else { return zip(elements, expected).allSatisfy { isSame($0, $1) } }
    for element in elements {
      guard let index = expected.firstIndex(where: { isSame(element, $0) }) else { return false }
      expected.remove(at: index)
    }
    return true
  }

  /// Returns whether a value of any type is the expected one: null, or its type and its content.
  static func isSameMixed(_ value: Any?, _ expected: Any?) -> Bool {
    guard let value = unwrapped(value) else { return expected == nil || expected is NSNull }
    guard let expected = expected as? [String: Any], let type = expected["t"] as? String else {
      return false
    }
    let content = expected["v"]
    switch value {
    case let list as List<AnyRealmValue>:
      guard let elements = content as? [Any], type == "list" else { return false }
      return list.count == elements.count
        && zip(list, elements).allSatisfy { isSameMixed($0, $1) }
    case let map as Map<String, AnyRealmValue>:
      guard let entries = content as? [[Any]], type == "dict" else { return false }
      return map.count == entries.count
        && entries.allSatisfy { isSameMixed(map[$0[0] as? String ?? ""], $0[1]) }
    case let object as ObjectBase:
      guard let link = content as? [Any], type == "link" else { return false }
      return object.objectSchema.className == link[0] as? String
        && isSame(identity(object), link[1])
    default: return name(of: value) == type && isSame(value, content)
    }
  }

  /// The name of the type of a value in `expected.json`.
  private static func name(of value: Any) -> String {
    switch value {
    case is Bool: "bool"
    case is any BinaryInteger: "int"
    case is Float: "float"
    case is Double: "double"
    case is String: "string"
    case is Data: "data"
    case is Date: "date"
    case is Decimal128: "decimal"
    case is ObjectId: "objectId"
    case is UUID: "uuid"
    default: "\(type(of: value))"
    }
  }

  /// The value without optionals and without the case of a value of any type.
  static func unwrapped(_ value: Any?) -> Any? {
    guard let value, !(value is NSNull) else { return nil }
    if let mixed = value as? AnyRealmValue {
      return switch mixed {
      case .none: nil
      case .int(let value): value
      case .bool(let value): value
      case .float(let value): value
      case .double(let value): value
      case .string(let value): value
      case .data(let value): value
      case .date(let value): value
      case .object(let value): value
      case .objectId(let value): value
      case .decimal128(let value): value
      case .uuid(let value): value
      case .geometry(let value): value
      case .dictionary(let value): value
      case .list(let value): value
      }
    }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return value }
    return mirror.children.first.flatMap { unwrapped($0.value) }
  }

  /// The elements of a collection, or the value itself.
  static func elements(_ value: Any?) -> Any? {
    guard let collection = value as? any Collection, !(value is String), !(value is Data),
      !(value is [Any?])
    else { return value }
    return collection.map { $0 as Any? }
  }

  /// The value that identifies an object.
  static func identity(_ object: ObjectBase) -> Any? {
    let schema = object.objectSchema
    return (schema.primaryKeyProperty?.name ?? identities[schema.className]).flatMap { object[$0] }
  }

  /// Returns the property that identifies the objects of a class.
  static func identity(of schema: ObjectSchema) -> String? {
    schema.primaryKeyProperty?.name ?? identities[schema.className]
  }

  /// The number of JSON as its text is read; Foundation rounds numbers that it keeps as decimal ones.
  private static func double(_ expected: Any?) -> Double? {
    (expected as? NSNumber).flatMap { Double($0.stringValue) }
  }

  private static func date(_ expected: Any?) -> Date? {
    guard let parts = expected as? [NSNumber], parts.count == 2 else { return nil }
    return Date(
      timeIntervalSince1970: parts[0].doubleValue + parts[1].doubleValue / 1_000_000_000)
  }

  /// Returns whether dates differ by less than a microsecond, or by the rounding of a `Double`.
  private static func isNear(_ first: Date, _ second: Date) -> Bool {
    let (one, other) = (first.timeIntervalSince1970, second.timeIntervalSince1970)
    return abs(one - other) <= max(1e-6, abs(one) * 1e-15)
  }

  /// Returns the value of a type that JSON expresses.
  static func value(_ json: Any, _ type: PropertyType) -> Any? {
    switch type {
    case .int: (json as? NSNumber).map { Int($0.int64Value) }
    case .double: double(json)
    case .string: json as? String
    case .objectId: (json as? String).flatMap { try? ObjectId(string: $0) }
    case .UUID: (json as? String).flatMap { UUID(uuidString: $0) }
    case .date: date(json)
    case .decimal128: (json as? String).map { Decimal128(string: $0) }
    default: json
    }
  }
}
