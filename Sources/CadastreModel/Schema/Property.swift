import CadastreFormatting

/// The kind of a collection property.
public enum CollectionKind: String, Hashable, Sendable {
  /// An ordered list with repetitions.
  case list
  /// A set of distinct values, in ascending order.
  case set
  /// A dictionary with string keys, in the byte order of the keys.
  case map
}

/// A property of a class: its name, its type and its constraints.
///
///     Property(name: "country", type: .string, isOptional: true, isIndexed: true)
public struct Property: Sendable {
  // Binding and planning copy properties often, so a copy is one reference.
  private let storage: Storage

  /// The name in Swift and in predicates.
  public var name: String { storage.name }
  /// The name of the column in the file.
  public var columnName: String { storage.columnName }
  /// The type of the value or of the elements.
  public var type: PropertyType { storage.type }
  /// Whether null is allowed.
  public var isOptional: Bool { storage.isOptional }
  /// Whether the property is the primary key of its class.
  public var isPrimaryKey: Bool { storage.isPrimaryKey }
  /// Whether the property has an ordered index; true for a primary key.
  public var isIndexed: Bool { storage.isIndexed }
  /// Whether the property has a full-text index.
  public var isFullTextIndexed: Bool { storage.isFullTextIndexed }
  /// The kind of collection; nil for a single value.
  public var collection: CollectionKind? { storage.collection }
  /// The class of the linked or embedded objects; nil for other types.
  public var objectClassName: String? { storage.objectClassName }
  /// For linking objects, the property of the other class that contains the links; nil for other
  /// types.
  public var linkOriginPropertyName: String? { storage.linkOriginPropertyName }

  /// The immutable contents, which all copies of a property share.
  private final class Storage: Sendable {
    let name: String
    let columnName: String
    let type: PropertyType
    let isOptional: Bool
    let isPrimaryKey: Bool
    let isIndexed: Bool
    let isFullTextIndexed: Bool
    let collection: CollectionKind?
    let objectClassName: String?
    let linkOriginPropertyName: String?

    init(
      name: String, columnName: String, type: PropertyType, isOptional: Bool, isPrimaryKey: Bool,
      isIndexed: Bool, isFullTextIndexed: Bool, collection: CollectionKind?,
      objectClassName: String?,
      linkOriginPropertyName: String?
    ) {
      self.name = name
      self.columnName = columnName
      self.type = type
      self.isOptional = isOptional
      self.isPrimaryKey = isPrimaryKey
      self.isIndexed = isIndexed
      self.isFullTextIndexed = isFullTextIndexed
      self.collection = collection
      self.objectClassName = objectClassName
      self.linkOriginPropertyName = linkOriginPropertyName
    }
  }

  /// Creates a property.
  ///
  /// - Parameters:
  ///   - name: The name in Swift and in predicates.
  ///   - columnName: The name of the column in the file; by default the name of the property.
  ///   - type: The type of the value or of the elements.
  ///   - isOptional: Whether null is allowed.
  ///   - isPrimaryKey: Whether the property is the primary key of its class.
  ///   - isIndexed: Whether the property has an ordered index.
  ///   - isFullTextIndexed: Whether the property has a full-text index.
  ///   - collection: The kind of collection; nil for a single value.
  ///   - objectClassName: The class of the linked or embedded objects.
  ///   - linkOriginPropertyName: For linking objects, the property that contains the links.
  public init(
    name: String, columnName: String? = nil, type: PropertyType, isOptional: Bool = false,
    isPrimaryKey: Bool = false, isIndexed: Bool = false, isFullTextIndexed: Bool = false,
    collection: CollectionKind? = nil, objectClassName: String? = nil,
    linkOriginPropertyName: String? = nil
  ) {
    storage = Storage(
      name: name, columnName: columnName ?? name, type: type, isOptional: isOptional,
      isPrimaryKey: isPrimaryKey, isIndexed: isIndexed || isPrimaryKey,
      isFullTextIndexed: isFullTextIndexed, collection: collection,
      objectClassName: objectClassName, linkOriginPropertyName: linkOriginPropertyName)
  }

  /// Returns the property with the parts that are given, and its own other parts.
  package func with(
    name: String? = nil, columnName: String? = nil, type: PropertyType? = nil,
    isOptional: Bool? = nil, isPrimaryKey: Bool? = nil, isIndexed: Bool? = nil,
    isFullTextIndexed: Bool? = nil, objectClassName: String? = nil
  ) -> Property {
    Property(
      name: name ?? self.name, columnName: columnName ?? self.columnName, type: type ?? self.type,
      isOptional: isOptional ?? self.isOptional, isPrimaryKey: isPrimaryKey ?? self.isPrimaryKey,
      isIndexed: isIndexed ?? self.isIndexed,
      isFullTextIndexed: isFullTextIndexed ?? self.isFullTextIndexed, collection: collection,
      objectClassName: objectClassName ?? self.objectClassName,
      linkOriginPropertyName: linkOriginPropertyName)
  }

  /// The property without indexes, for the comparison of row layouts.
  package var withoutIndexes: Property { with(isIndexed: false, isFullTextIndexed: false) }

  /// Whether the property is a collection or linking objects.
  package var isCollection: Bool { collection != nil || type == .linkingObjects }

  /// Whether the property is a single geometry.
  package var isSingleGeometry: Bool { type == .geometry && collection == nil }

  /// Whether the property has one geometry or date, which has measures.
  package var isMeasured: Bool { collection == nil && (type == .geometry || type == .date) }

  /// Whether the property is a list.
  public var isArray: Bool { collection == .list }

  /// Whether the property is a set.
  public var isSet: Bool { collection == .set }

  /// Whether the property is a map.
  public var isMap: Bool { collection == .map }
}

extension Property: Hashable {
  /// Returns whether two properties have the same name, type and constraints.
  public static func == (first: Property, second: Property) -> Bool {
    first.storage === second.storage
      || first.name == second.name && first.columnName == second.columnName
        && first.type == second.type && first.isOptional == second.isOptional
        && first.isPrimaryKey == second.isPrimaryKey && first.isIndexed == second.isIndexed
        && first.isFullTextIndexed == second.isFullTextIndexed
        && first.collection == second.collection
        && first.objectClassName == second.objectClassName
        && first.linkOriginPropertyName == second.linkOriginPropertyName
  }

  /// Hashes the name and the type.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(type)
  }
}

extension Property {
  /// The declaration, for example `country: string, optional, indexed`.
  package var summary: String {
    var words = ["\(printable(name)): \(printable(typeDescription))"]
    if isOptional { words.append("optional") }
    if isPrimaryKey { words.append("primary key") } else if isIndexed { words.append("indexed") }
    if isFullTextIndexed { words.append("full text") }
    return words.joined(separator: ", ")
  }

  /// The type and whether null is allowed: `int, optional`.
  package var typeInWords: String { typeDescription + (isOptional ? ", optional" : "") }

  /// The type: `int`, `Harbor`, `list of double`.
  public var typeDescription: String {
    let element = objectClassName ?? type.description
    if type == .linkingObjects { return "linking objects of \(element)" }
    return collection.map { "\($0.rawValue) of \(element)" } ?? element
  }
}

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
