/// The stored type of a property's values.
///
/// The raw values up to 12 are those of Realm.
public enum PropertyType: Int, Hashable, Sendable, CaseIterable {
  /// An integer of 64 bits, also for `Int8`, `Int16` and `Int32`.
  case int = 0
  /// A Boolean.
  case bool = 1
  /// Text in UTF-8.
  case string = 2
  /// Bytes.
  case data = 3
  /// A timestamp with a resolution of a nanosecond.
  case date = 4
  /// A binary floating-point number of 32 bits.
  case float = 5
  /// A binary floating-point number of 64 bits.
  case double = 6
  /// A link to an object, or an embedded object.
  case object = 7
  /// The objects with a link to this object; computed, not stored.
  case linkingObjects = 8
  /// A mixed value: of any other type, or a list or map of mixed values.
  case any = 9
  /// An identifier of twelve bytes; see ``ObjectId``.
  case objectId = 10
  /// A decimal floating-point number of 34 digits; see ``Decimal128``.
  case decimal128 = 11
  /// A UUID of sixteen bytes, RFC 9562.
  case UUID = 12
  /// A geometry: points, lines, polygons, or a collection of them. Realm has no such type.
  case geometry = 13
}

extension PropertyType: CustomStringConvertible {
  /// The name of the type in schemas, messages and the stored catalogue.
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
    case .geometry: "geometry"
    }
  }

  /// Creates the type with a name; nil if there is none.
  ///
  /// - Parameter name: A name as in `description`.
  public init?(name: String) {
    guard let type = Self.allCases.first(where: { $0.description == name }) else { return nil }
    self = type
  }

  /// Whether the values are numbers: `int`, `float`, `double` or `decimal128`.
  public var isNumeric: Bool {
    switch self {
    case .int, .float, .double, .decimal128: true
    default: false
    }
  }
}
