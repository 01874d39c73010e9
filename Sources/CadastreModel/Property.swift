/// How many values a property holds, when it is not exactly one or none.
public enum CollectionKind: String, Hashable, Sendable {
  /// Ordered, repeats allowed.
  case list
  /// Each value once, in ascending order.
  case set
  /// Each value under a string key, in the byte order of the keys.
  case map
}

/// One property of a class: its name, type and rules.
public struct Property: Hashable, Sendable {
  /// The name in Swift and in predicates.
  public let name: String
  /// The name of its column in the file.
  public let columnName: String
  /// The type of its value, or of its elements.
  public let type: PropertyType
  /// Whether null is allowed.
  public let isOptional: Bool
  /// Whether it identifies the object among those of its class.
  public let isPrimaryKey: Bool
  /// Whether an ordered index exists for it; true for a primary key.
  public let isIndexed: Bool
  /// Whether a full-text index exists for its words.
  public let isFullTextIndexed: Bool
  /// What kind of collection it is; nil for a single value.
  public let collection: CollectionKind?
  /// The class that a link or an embedded object is of.
  public let objectClassName: String?
  /// The property of that class whose links come here, of linking objects.
  public let linkOriginPropertyName: String?

  /// Describes a property.
  public init(
    name: String, columnName: String? = nil, type: PropertyType, isOptional: Bool = false,
    isPrimaryKey: Bool = false, isIndexed: Bool = false, isFullTextIndexed: Bool = false,
    collection: CollectionKind? = nil, objectClassName: String? = nil,
    linkOriginPropertyName: String? = nil
  ) {
    self.name = name
    self.columnName = columnName ?? name
    self.type = type
    self.isOptional = isOptional
    self.isPrimaryKey = isPrimaryKey
    self.isIndexed = isIndexed || isPrimaryKey
    self.isFullTextIndexed = isFullTextIndexed
    self.collection = collection
    self.objectClassName = objectClassName
    self.linkOriginPropertyName = linkOriginPropertyName
  }

  /// The property as it is kept in the rows of its class, whatever indexes there are.
  package var withoutIndexes: Property {
    Property(
      name: name, columnName: columnName, type: type, isOptional: isOptional,
      isPrimaryKey: isPrimaryKey, isIndexed: false, isFullTextIndexed: false,
      collection: collection, objectClassName: objectClassName,
      linkOriginPropertyName: linkOriginPropertyName)
  }

  /// Whether the property is a collection of any kind, linking objects included.
  package var isCollection: Bool { collection != nil || type == .linkingObjects }

  /// Whether the property is a list.
  public var isArray: Bool { collection == .list }

  /// Whether the property is a set.
  public var isSet: Bool { collection == .set }

  /// Whether the property is a map.
  public var isMap: Bool { collection == .map }
}

extension Property: CustomStringConvertible {
  /// The declaration in words, such as `country: string, optional, indexed`.
  public var description: String {
    var words = ["\(name): \(typeDescription)"]
    if isOptional { words.append("optional") }
    if isPrimaryKey { words.append("primary key") } else if isIndexed { words.append("indexed") }
    if isFullTextIndexed { words.append("full text") }
    return words.joined(separator: ", ")
  }

  /// The type in words, and whether null is allowed: `int, optional`.
  package var typeInWords: String { typeDescription + (isOptional ? ", optional" : "") }

  /// The type in words: `int`, `Harbor`, `list of double`.
  public var typeDescription: String {
    let element = objectClassName ?? type.description
    if type == .linkingObjects { return "linking objects of \(element)" }
    return collection.map { "\($0.rawValue) of \(element)" } ?? element
  }
}
