import CadastreModel
public import Foundation

/// An invalid value from outside the program.
///
///     invalid value 300 of type 'Int' for 'Person.small': expected Int8, a whole number from -128 to 127
///     invalid value 'x' of type 'String' for 'Dog.tags[2]' at 'dogs[0].tags[2]': expected Tag, one of …
///
/// Thrown by ``Realm/create(checking:value:update:mode:)``, `add(checking:update:)`,
/// ``ObjectBase/setValue(checking:forKey:)`` and ``Realm/object(checking:forPrimaryKey:)``.
public struct InvalidValueError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError
{
  /// The kind of error.
  public enum Kind: String, Hashable, Sendable {
    /// A value that does not fit the property.
    case value
    /// A key that is missing, in ``Realm/CheckingMode/strict`` mode.
    case missingKey
    /// A key that names no property, in ``Realm/CheckingMode/strict`` mode.
    case unknownKey
  }

  /// The kind of error.
  public let kind: Kind
  /// The class.
  public let className: String
  /// The property; nil if the value is a whole object.
  public let property: String?
  /// The location of an element within the property: `[2]`, `['key']`; empty for the whole property.
  public let element: String
  /// The location in the passed value, from its first property: `dogs[0].tags[2]`.
  public let path: String
  /// The value as text of at most 100 characters.
  public let value: String
  /// The values that the property accepts.
  public let expected: String

  init(
    _ className: String, _ property: String?, _ value: Any?, expected: String, kind: Kind = .value,
    element: String = "", path: String? = nil
  ) {
    self.kind = kind
    self.className = className
    self.property = property
    self.element = element
    self.path = path ?? (property ?? "") + element
    self.value = Self.text(of: value)
    self.expected = expected
  }

  /// The location of the value, the value, and the expected values.
  public var description: String {
    let name = property.map { $0 + element }
    let location = path.isEmpty || path == name ? "" : " at '\(path)'"
    switch kind {
    case .value:
      let place = name.map { "'\(className).\($0)'" } ?? "an object of type '\(className)'"
      return "invalid value \(value) for \(place)\(location): expected \(expected)"
    case .missingKey:
      return "missing value for '\(className).\(name ?? "")'\(location): expected \(expected)"
    case .unknownKey:
      return "unknown key '\(name ?? "")' of an object of type '\(className)'\(location): "
        + "expected \(expected)"
    }
  }

  /// The description.
  public var errorDescription: String? { description }

  private static func text(of value: Any?) -> String {
    guard let value, !DynamicValue.isNull(value) else { return "null" }
    switch value {
    case let data as Data: return "of \(data.count) bytes"
    case let text as String where text.utf8.count > 100:
      return "'\(text.prefix(100))…' of \(text.utf8.count) bytes"
    case let numbers as [Double] where numbers.count <= 4: return "\(numbers)"
    case let elements as [Any?]: return "of type array with \(elements.count) elements"
    case let values as [String: Any?]: return "of type dictionary with \(values.count) keys"
    default: return "'\(String("\(value)".prefix(100)))' of type '\(type(of: value))'"
    }
  }
}

/// Descriptions of the values that a property type accepts, for messages.
enum ExpectedValue {
  /// The maximum number of listed cases of an enumeration.
  private static let maximumCases = 20

  /// Describes the values of the type of a property or an element.
  static func text(of type: Any.Type) -> String {
    if let optional = type as? any OptionalValue.Type {
      return text(of: optional.wrappedType) + ", or null"
    }
    if let type = type as? any PersistableEnum.Type { return cases(of: type) }
    if let type = type as? any IntegerPersistable.Type { return range(of: type) }
    if let type = type as? any FailableCustomPersistable.Type { return mapping(of: type) }
    if let type = type as? any Persistable.Type { return text(of: type.propertyShape) }
    return "\(type)"
  }

  private static func cases<Enumeration: PersistableEnum>(of type: Enumeration.Type) -> String {
    let values = type.allCases.map { value in
      if case .string(let text) = value.storedValue { "'\(text)'" } else { "\(value.rawValue)" }
    }
    let more = values.count > maximumCases ? " and \(values.count - maximumCases) more" : ""
    return "\(type), one of " + values.prefix(maximumCases).joined(separator: ", ") + more
  }

  private static func range<Integer: IntegerPersistable>(of type: Integer.Type) -> String {
    "\(type), a whole number from \(type.min) to \(type.max)"
  }

  private static func mapping<Mapped: FailableCustomPersistable>(of type: Mapped.Type) -> String {
    "\(type), which is stored as \(text(of: Mapped.PersistedType.self))"
  }

  private static func text(of shape: PropertyShape) -> String {
    let element = shape.objectType?.className() ?? shape.type.description
    switch shape.collection {
    case .list: return "an array, for a list of \(element)"
    case .set: return "an array of single values, for a set of \(element)"
    case .map:
      return "an object, for a map of \(element); its keys have no '.' and do not begin with '$'"
    case nil: break
    }
    if let type = shape.objectType { return object(type) }
    return "a value of type \(element)" + form(of: shape.type)
  }

  private static func object(_ type: ObjectBase.Type) -> String {
    let key = ClassInfo.of(type).schema.primaryKeyProperty
    return "an object of type '\(type.className())'" + (key == nil ? "" : ", or its primary key")
  }

  /// Returns the form of a type that JSON does not have.
  private static func form(of type: PropertyType) -> String {
    switch type {
    case .date: ", such as a text in ISO 8601"
    case .data: ", such as a text in base64"
    case .objectId: ", such as a text of 24 hexadecimal digits"
    case .decimal128: ", such as a number or the text of one"
    case .geometry: ", as GeoJSON or the text of WKT"
    case .any:
      ": a single value, or at most \(Value.maximumDepth) levels of arrays, and of objects whose keys "
        + "have no '.' and do not begin with '$'"
    case .bool, .int, .float, .double, .string, .UUID, .object, .linkingObjects: ""
    }
  }
}
