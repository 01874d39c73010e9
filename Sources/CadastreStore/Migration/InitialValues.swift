import CadastreGeometry
package import CadastreModel
import CadastreSQLite
import Foundation

/// The values that a migration gives to existing objects, in new properties and in place of null in
/// properties that become required.
///
/// A required property without an initial value gets the zero of its type, an optional one gets
/// null.
package struct InitialValues: Sendable {
  private var properties: [String: [String: Value]] = [:]
  private var elements: [String: [String: Value]] = [:]

  /// Creates values that are the zeros of all types.
  package init() {}

  /// Sets the value of a property.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - className: The class that has it.
  ///   - value: A value of the property's type; null means the zero of the type.
  package mutating func set(_ property: Property, of className: String, to value: Value) {
    properties[className, default: [:]][property.columnName] = value
  }

  /// Sets the value that replaces null in a collection whose elements become required.
  package mutating func setElement(of property: Property, in className: String, to value: Value) {
    elements[className, default: [:]][property.columnName] = value
  }

  /// Returns the value of a property; nil for null.
  func value(of property: Property, in className: String) -> Value? {
    if let value = properties[className]?[property.columnName], !value.isNull { return value }
    return property.isOptional ? nil : property.type.zero
  }

  /// Returns the value that replaces null in a collection; nil where null stays.
  func element(of property: Property, in className: String) -> Value? {
    elements[className]?[property.columnName] ?? property.type.zero
  }
}

extension PropertyType {
  /// The value of a required property without an initial value: zero, false, empty, or the start of 1970; nil
  /// for null.
  fileprivate var zero: Value? {
    switch self {
    case .int: .int(0)
    case .bool: .bool(false)
    case .date: .date(Timestamp(seconds: 0))
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string("")
    case .data: .data(Data())
    case .decimal128: .decimal(Decimal128())
    case .objectId: .objectId(ObjectId())
    case .UUID: .uuid(Foundation.UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .geometry: .geometry(Geometry())
    case .object, .linkingObjects, .any: nil
    }
  }
}

extension Connection {
  /// Returns the stored form of a value as SQL literals, one for each SQLite column of its type.
  func literals(_ value: Value, as type: PropertyType) throws(StoreError) -> [String] {
    let count = type == .any ? 2 : 1
    let query = try statement(
      "SELECT " + repeatElement("quote(?)", count: count).joined(separator: ", "))
    _ = try query.bind(value, of: type, at: 1)
    defer { query.reset() }
    guard try query.step() else { return Array(repeating: "NULL", count: count) }
    // SQLite's parser has no literal for infinity, but reads a number that is too large as infinity.
    return (0..<count).map { query.text($0) }.map { text in
      switch text {
      case "Inf": "9e999"
      case "-Inf": "-9e999"
      default: text
      }
    }
  }
}
