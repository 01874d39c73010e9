import CadastreModel
import Foundation

/// Values whose types are known only at run time.
enum DynamicValue {
  /// Whether a dynamic value stands for null.
  static func isNothing(_ value: Any?) -> Bool {
    guard let value else { return true }
    if value is NSNull { return true }
    if let optional = value as? any OptionalValue { return optional.isNothing }
    return false
  }

  /// What a value of a property's type holds.
  static func content<Persisted: Persistable>(of value: Persisted) -> PropertyContent {
    Persisted.content(of: value)
  }

  /// The stored form of a dynamic value; nil where it has none.
  static func value(_ value: Any?) -> Value? {
    if isNothing(value) { return .null }
    switch value {
    case let scalar as any ScalarPersistable: return scalar.storedValue
    case let value as Value: return value
    case let persistable as any Persistable: return content(of: persistable).value
    case let optional as any OptionalValue: return optional.unwrapped.flatMap(DynamicValue.value)
    case let number as any BinaryInteger: return Int64(exactly: number).map(Value.int)
    default: return nil
    }
  }
}

/// An optional whose wrapped type is not known.
protocol OptionalValue {
  var isNothing: Bool { get }
  var unwrapped: Any? { get }
}

extension Optional: OptionalValue {
  var isNothing: Bool { if case .none = self { true } else { false } }
  var unwrapped: Any? { self.map { $0 as Any } }
}

extension PropertyContent {
  /// The value, if it is a single one.
  var value: Value? { if case .value(let value) = self { value } else { nil } }
}
