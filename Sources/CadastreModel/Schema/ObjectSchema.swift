/// The schema of a class: its name, its properties in the order of declaration, and its compound indexes.
///
///     let airport = ObjectSchema(
///       className: "Airport",
///       properties: [
///         Property(name: "icao", type: .string, isPrimaryKey: true),
///         Property(name: "elevation", type: .double, isOptional: true),
///       ])
public struct ObjectSchema: Sendable {
  // Binding and planning copy schemas often, so a copy is one reference.
  private let storage: Storage

  /// The name of the class.
  public var className: String { storage.className }
  /// The stored properties; inherited ones precede the others.
  public var properties: [Property] { storage.properties }
  /// The properties computed from links of other objects.
  public var computedProperties: [Property] { storage.computedProperties }
  /// Whether objects of the class are parts of an owner object.
  public var isEmbedded: Bool { storage.isEmbedded }
  /// The ordered indexes on several properties: the names of the properties of each, in the order of the index.
  public var compoundIndexes: [[String]] { storage.compoundIndexes }
  /// Whether this is an embedded class with the properties of a GeoJSON point.
  ///
  /// These are a string `type` and a list of doubles `coordinates`; further properties are ignored.
  public var isPointShaped: Bool { storage.isPointShaped }

  /// The immutable contents, which all copies of a schema share.
  private final class Storage: Sendable {
    let className: String
    let properties: [Property]
    let computedProperties: [Property]
    let isEmbedded: Bool
    let compoundIndexes: [[String]]
    let isPointShaped: Bool
    let indices: [String: Int]

    init(
      _ className: String, _ properties: [Property], _ computedProperties: [Property],
      isEmbedded: Bool, _ compoundIndexes: [[String]]
    ) {
      self.className = className
      self.properties = properties
      self.computedProperties = computedProperties
      self.isEmbedded = isEmbedded
      self.compoundIndexes = compoundIndexes
      isPointShaped = isEmbedded && Self.arePointShaped(properties)
      indices = Dictionary(
        properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func arePointShaped(_ properties: [Property]) -> Bool {
      guard let type = properties.first(where: { $0.name == ObjectSchema.pointTypeName }),
        let coordinates = properties.first(where: { $0.name == ObjectSchema.pointCoordinatesName })
      else { return false }
      return type.type == .string && type.collection == nil && coordinates.isArray
        && coordinates.type == .double && !coordinates.isOptional
    }
  }

  /// Creates the schema of a class.
  ///
  /// - Parameters:
  ///   - className: The name of the class.
  ///   - properties: The stored properties, in the order of declaration.
  ///   - computedProperties: The properties computed from links of other objects.
  ///   - isEmbedded: Whether objects of the class are parts of an owner object.
  ///   - compoundIndexes: The names of the properties of each ordered index on several properties.
  /// - Complexity: O(n) in the number of properties.
  public init(
    className: String, properties: [Property], computedProperties: [Property] = [],
    isEmbedded: Bool = false, compoundIndexes: [[String]] = []
  ) {
    storage = Storage(
      className, properties, computedProperties, isEmbedded: isEmbedded, compoundIndexes)
  }

  /// Returns the class with the parts that are given, and its own other parts.
  package func with(
    className: String? = nil, properties: [Property]? = nil, isEmbedded: Bool? = nil,
    compoundIndexes: [[String]]? = nil
  ) -> ObjectSchema {
    ObjectSchema(
      className: className ?? self.className, properties: properties ?? self.properties,
      computedProperties: computedProperties, isEmbedded: isEmbedded ?? self.isEmbedded,
      compoundIndexes: compoundIndexes ?? self.compoundIndexes)
  }

  /// Returns the stored property with a name; nil if there is none.
  public subscript(name: String) -> Property? {
    storage.indices[name].map { storage.properties[$0] }
  }

  /// Returns the computed property with a name; nil if there is none.
  package func computedProperty(_ name: String) -> Property? {
    computedProperties.first { $0.name == name }
  }

  /// Returns the property stored in a column; nil if there is none.
  package func property(inColumn name: String) -> Property? {
    properties.first { $0.columnName == name }
  }

  /// Returns the index of a property in `properties`; nil if there is none with the name.
  package func index(of name: String) -> Int? { storage.indices[name] }

  /// The primary key property; nil if there is none.
  ///
  /// - Complexity: O(n) in the number of properties.
  public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

  package static let pointTypeName = "type"
  package static let pointCoordinatesName = "coordinates"
}

extension ObjectSchema: Hashable {
  /// Returns whether two classes have the same name, kind, properties and compound indexes.
  public static func == (first: ObjectSchema, second: ObjectSchema) -> Bool {
    first.storage === second.storage
      || first.className == second.className && first.isEmbedded == second.isEmbedded
        && first.properties == second.properties
        && first.computedProperties == second.computedProperties
        && first.compoundIndexes == second.compoundIndexes
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(className) }
}

/// The interpretation of an embedded object with the properties of a GeoJSON point.
package enum PointShape {
  /// Returns the longitude and latitude of a point, in degrees.
  ///
  /// - Parameters:
  ///   - type: The `type` member; "Point" in any letter case.
  ///   - coordinates: The `coordinates` member: longitude, latitude, and optional further numbers.
  /// - Returns: The location; nil if the type differs, or if the coordinates are missing or out of
  ///   range.
  package static func location(
    type: String, coordinates: [Double]
  ) -> (longitude: Double, latitude: Double)? {
    guard coordinates.count >= 2, isPointName(type) else { return nil }
    let (longitude, latitude) = (coordinates[0], coordinates[1])
    guard abs(longitude) <= 180, abs(latitude) <= 90 else { return nil }
    return (longitude, latitude)
  }

  private static func isPointName(_ name: String) -> Bool {
    name == typeName
      || name.utf8.count == typeName.utf8.count
        && zip(name.utf8, typeName.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  /// The value of the `type` member in GeoJSON.
  package static let typeName = "Point"
}
