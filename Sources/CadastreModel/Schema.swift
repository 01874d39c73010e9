/// The classes of a store.
public struct Schema: Hashable, Sendable {
  /// The classes, in order of name.
  public let objectSchema: [ObjectSchema]
  private let byName: [String: ObjectSchema]

  /// A schema of the given classes; of two with one name the first counts.
  public init(_ classes: [ObjectSchema] = []) {
    byName = Dictionary(classes.map { ($0.className, $0) }, uniquingKeysWith: { first, _ in first })
    objectSchema = byName.values.sorted { $0.className < $1.className }
  }

  /// The class of a given name, or nil.
  public subscript(className: String) -> ObjectSchema? { byName[className] }

  /// The class that a link or an embedded property leads to, or nil.
  package func target(of property: Property) -> ObjectSchema? {
    property.objectClassName.flatMap { byName[$0] }
  }

  /// Whether a property holds one embedded object in the shape of a GeoJSON point.
  package func isPoint(_ property: Property) -> Bool {
    property.type == .object && property.collection == nil
      && target(of: property)?.isPointShaped == true
  }
}

extension Schema: CustomStringConvertible {
  /// All classes with their properties.
  public var description: String {
    objectSchema.map(\.description).joined(separator: "\n")
  }
}
