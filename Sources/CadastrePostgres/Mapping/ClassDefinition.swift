import CadastreModel

/// A class as the server stores it, beside the tables of its objects.
struct ClassDefinition: Codable {
  private var name: String
  private var isEmbedded: Bool
  private var properties: [PropertyDefinition]
  private var computedProperties: [PropertyDefinition]
  /// How the rows are divided; nil if they are in one table.
  let partitions: TablePartitions?
  /// The identifier of the table; nil if a version without identifiers made it.
  let id: String?

  /// A property as the server stores it.
  private struct PropertyDefinition: Codable {
    var name: String
    var column: String
    var type: String
    var isOptional: Bool
    var isPrimaryKey: Bool
    var isIndexed: Bool
    var isFullTextIndexed: Bool
    var collection: String?
    var objectClass: String?
    var linkOrigin: String?

    init(_ property: Property) {
      name = property.name
      column = property.columnName
      type = property.type.description
      isOptional = property.isOptional
      isPrimaryKey = property.isPrimaryKey
      isIndexed = property.isIndexed
      isFullTextIndexed = property.isFullTextIndexed
      collection = property.collection?.rawValue
      objectClass = property.objectClassName
      linkOrigin = property.linkOriginPropertyName
    }

    /// The property; nil if this version does not know its type.
    var property: Property? {
      let kind = collection.flatMap(CollectionKind.init)
      guard let type = PropertyType(name: type), (kind == nil) == (collection == nil) else {
        return nil
      }
      return Property(
        name: name, columnName: column, type: type, isOptional: isOptional,
        isPrimaryKey: isPrimaryKey, isIndexed: isIndexed, isFullTextIndexed: isFullTextIndexed,
        collection: kind, objectClassName: objectClass, linkOriginPropertyName: linkOrigin)
    }
  }

  init(_ schema: ObjectSchema, _ partitions: TablePartitions?, id: String?) {
    self.partitions = partitions
    self.id = id
    name = schema.className
    isEmbedded = schema.isEmbedded
    properties = schema.properties.map(PropertyDefinition.init)
    computedProperties = schema.computedProperties.map(PropertyDefinition.init)
  }

  /// The class; nil if this version does not know the type of a property.
  var schema: ObjectSchema? {
    let stored = properties.compactMap(\.property)
    let computed = computedProperties.compactMap(\.property)
    guard stored.count == properties.count, computed.count == computedProperties.count else {
      return nil
    }
    return ObjectSchema(
      className: name, properties: stored, computedProperties: computed, isEmbedded: isEmbedded)
  }
}
