/// The schema of a class: its name and its properties in the order of declaration.
///
///     let airport = ObjectSchema(
///       className: "Airport",
///       properties: [
///         Property(name: "icao", type: .string, isPrimaryKey: true),
///         Property(name: "elevation", type: .double, isOptional: true),
///       ])
public struct ObjectSchema: Hashable, Sendable {
  /// The name of the class.
  public let className: String
  /// The stored properties, those of a superclass first.
  public let properties: [Property]
  /// The properties computed from links of other objects.
  public let computedProperties: [Property]
  /// Whether objects of the class are parts of an owner object.
  public let isEmbedded: Bool
  private let indices: [String: Int]

  /// Creates the schema of a class.
  ///
  /// - Parameters:
  ///   - className: The name of the class.
  ///   - properties: The stored properties, in the order of declaration.
  ///   - computedProperties: The properties computed from links of other objects.
  ///   - isEmbedded: Whether objects of the class are parts of an owner object.
  /// - Complexity: O(n) in the number of properties.
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

  /// Returns the stored property with a name; nil if there is none.
  public subscript(name: String) -> Property? { indices[name].map { properties[$0] } }

  /// Returns the computed property with a name; nil if there is none.
  package func computedProperty(_ name: String) -> Property? {
    computedProperties.first { $0.name == name }
  }

  /// Returns the property stored in a column; nil if there is none.
  package func property(inColumn name: String) -> Property? {
    properties.first { $0.columnName == name }
  }

  /// Returns the index of a property in `properties`; nil if there is none with the name.
  package func index(of name: String) -> Int? { indices[name] }

  /// The primary key property; nil if there is none.
  ///
  /// - Complexity: O(n) in the number of properties.
  public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

  /// Whether this is an embedded class with the properties of a GeoJSON point.
  ///
  /// These are a string `type` and a list of doubles `coordinates`; further properties are ignored.
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
