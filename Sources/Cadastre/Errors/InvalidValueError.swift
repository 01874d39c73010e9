public import Foundation

/// A value from outside the program that a property cannot take.
///
/// Thrown by ``Realm/create(checking:value:update:)``, ``Realm/add(checking:update:)`` and
/// ``ObjectBase/setValue(checking:forKey:)``.
public struct InvalidValueError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError
{
  /// The class.
  public let className: String
  /// The property; nil where the value is one for a whole object.
  public let property: String?
  /// The value as text, a hundred characters at most.
  public let value: String
  /// What the property takes.
  public let expected: String

  init(_ className: String, _ property: String?, _ value: Any?, expected: String) {
    self.className = className
    self.property = property
    self.value = Self.text(of: value)
    self.expected = expected
  }

  /// Where the value was, what it was, and what was expected.
  public var description: String {
    let place = property.map { "'\(className).\($0)'" } ?? "an object of type '\(className)'"
    return "invalid value \(value) for \(place): expected \(expected)"
  }

  /// The description.
  public var errorDescription: String? { description }

  private static func text(of value: Any?) -> String {
    guard let value, !DynamicValue.isNothing(value) else { return "null" }
    switch value {
    case let data as Data: return "of \(data.count) bytes"
    case let text as String where text.utf8.count > 100:
      return "'\(text.prefix(100))…' of \(text.utf8.count) bytes"
    case let elements as [Any?]: return "of type array with \(elements.count) elements"
    case let values as [String: Any?]: return "of type dictionary with \(values.count) keys"
    default: return "'\(String("\(value)".prefix(100)))' of type '\(type(of: value))'"
    }
  }
}
