/// The shape of a class: its name and its properties in the order of declaration.
public struct ObjectSchema: Hashable, Sendable {
  /// The name of the class.
  public let className: String
  /// The properties, those of a superclass first.
  public let properties: [Property]
  /// The properties that are worked out from other objects' links, not stored.
  public let computedProperties: [Property]
  /// Whether its objects live inside an owner instead of on their own.
  public let isEmbedded: Bool
  private let indices: [String: Int]

  /// Describes a class.
  public init(
    className: String, properties: [Property], computedProperties: [Property] = [],
    isEmbedded: Bool = false
  ) {
    self.className = className
    self.properties = properties
    self.computedProperties = computedProperties
    self.isEmbedded = isEmbedded
    self.indices = Dictionary(
      properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The property of a given name, or nil.
  public subscript(name: String) -> Property? { indices[name].map { properties[$0] } }

  /// The computed property of a given name, or nil.
  package func computedProperty(_ name: String) -> Property? {
    computedProperties.first { $0.name == name }
  }

  /// The property that is kept in a column of a given name, or nil.
  package func property(inColumn name: String) -> Property? {
    properties.first { $0.columnName == name }
  }

  /// The place of a property in `properties`, or nil.
  package func index(of name: String) -> Int? { indices[name] }

  /// The property that identifies its objects, or nil.
  public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

  /// Whether this is an embedded class in the shape of a GeoJSON point: `type`, a string, and
  /// `coordinates`, a list of doubles; further properties do not matter.
  public var isPointShaped: Bool {
    guard isEmbedded, let type = self[Self.pointTypeName],
      let coordinates = self[Self.pointCoordinatesName]
    else { return false }
    return type.type == .string && type.collection == nil && coordinates.isArray
      && coordinates.type == .double && !coordinates.isOptional
  }

  package static let pointTypeName = "type"
  package static let pointCoordinatesName = "coordinates"
}

extension ObjectSchema: CustomStringConvertible {
  /// The class and its properties, one a line.
  public var description: String {
    let head = "\(className)\(isEmbedded ? " (embedded)" : "")"
    return ([head] + (properties + computedProperties).map { "  \($0)" }).joined(separator: "\n")
  }
}
