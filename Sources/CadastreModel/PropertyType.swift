/// The type of a property's values, as stored.
///
/// Raw values follow Realm's numbering, so that tools written for it read ours.
public enum PropertyType: Int, Hashable, Sendable, CaseIterable {
  /// A whole number of 64 bits; `Int`, `Int8` … `Int64` all store as this.
  case int = 0
  /// True or false.
  case bool = 1
  /// Text in UTF-8.
  case string = 2
  /// Bytes.
  case data = 3
  /// A moment, to the nanosecond.
  case date = 4
  /// A binary floating-point number of 32 bits.
  case float = 5
  /// A binary floating-point number of 64 bits.
  case double = 6
  /// A link to an object, or an embedded object.
  case object = 7
  /// The objects that link here; worked out, not stored.
  case linkingObjects = 8
  /// A value of any other type, or a list or map of such values.
  case any = 9
  /// Twelve bytes in MongoDB's layout.
  case objectId = 10
  /// A decimal floating-point number of 34 digits, IEEE 754-2008.
  case decimal128 = 11
  /// Sixteen bytes, RFC 9562.
  case UUID = 12
}

extension PropertyType: CustomStringConvertible {
  /// The name used in schemas, messages and the stored catalogue.
  public var description: String {
    switch self {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .float: "float"
    case .double: "double"
    case .object: "object"
    case .linkingObjects: "linking objects"
    case .any: "mixed"
    case .objectId: "object id"
    case .decimal128: "decimal128"
    case .UUID: "uuid"
    }
  }

  /// The type of a given name, or nil.
  public init?(name: String) {
    guard let type = Self.allCases.first(where: { $0.description == name }) else { return nil }
    self = type
  }

  /// Whether values are numbers: `int`, `float`, `double` or `decimal128`.
  public var isNumeric: Bool {
    switch self {
    case .int, .float, .double, .decimal128: true
    default: false
    }
  }
}
