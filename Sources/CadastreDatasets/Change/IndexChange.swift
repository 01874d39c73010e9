import CadastreModel
import CadastrePredicate
import CadastreStore

/// The addition or removal of the ordered index on a field.
package struct IndexChange {
  private let store: String
  private let className: String
  private let path: PropertyPath
  private let isRemoving: Bool

  /// The reason why a field cannot have an ordered index.
  package struct UnsupportedField: Error, CustomStringConvertible {
    /// One sentence: the field and the reason.
    package let description: String
  }

  /// Creates a change; ``run()`` applies it.
  ///
  /// - Parameters:
  ///   - store: The path of the store.
  ///   - className: The class.
  ///   - field: The path of the field, also in embedded objects: `address.city`.
  ///   - isRemoving: Whether to remove the index.
  package init(store: String, className: String, field: String, isRemoving: Bool) {
    self.store = store
    self.className = className
    path = PropertyPath(field)
    self.isRemoving = isRemoving
  }

  /// Applies the change in one transaction.
  ///
  /// Other processes may have the store open; their next queries use the new indexes.
  ///
  /// - Returns: False if the index existed already, or had been removed.
  /// - Throws: ``UnsupportedField``, ``QueryPredicateError`` for unknown names, or `StoreError`; the
  ///   transaction is rolled back.
  /// - Complexity: O(n log n) to add an index on n objects.
  package func run() throws -> Bool {
    let transaction = try OpenStores.store(at: store, mustExist: true).beginWrite()
    do {
      let changed = try changed(transaction.catalogue.schema)
      guard let changed else {
        transaction.rollback()
        return false
      }
      try transaction.adopt(Schema([changed]))
      try transaction.commit()
      return true
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Returns the changed class that declares the field; nil if nothing changes.
  private func changed(_ schema: Schema) throws -> ObjectSchema? {
    let root = try StoreQuery.root(className, in: schema)
    let property = try schema.property(at: path, from: root)
    var owner = root
    for name in path.names.dropLast() {
      guard let step = owner[name], schema.isInline(step), let target = schema.target(of: step),
        !target.isPointShaped
      else {
        throw UnsupportedField(
          description:
            "'\(path)' is not stored in the rows of '\(className)', so it cannot be indexed")
      }
      owner = target
    }
    try validate(property, schema)
    guard property.isIndexed == isRemoving else { return nil }
    return ObjectSchema(
      className: owner.className,
      properties: owner.properties.map {
        $0.name == property.name ? property.indexed(!isRemoving) : $0
      },
      computedProperties: owner.computedProperties, isEmbedded: owner.isEmbedded)
  }

  /// Throws if the index of a property cannot be added or removed.
  private func validate(_ property: Property, _ schema: Schema) throws(UnsupportedField) {
    let reason: String? =
      if property.collection != nil || property.type == .linkingObjects {
        "is a \(property.typeDescription); only fields with a single value can be indexed"
      } else if schema.isPoint(property) {
        "is a point, which always has a spatial index"
      } else if property.type == .object, schema.target(of: property)?.isEmbedded == true {
        "is an embedded object; name one of its fields, for example '\(path)."
          + "\(schema.target(of: property)?.properties.first?.name ?? "")'"
      } else if property.type == .object {
        "is a link, which is always indexed"
      } else if property.isPrimaryKey {
        isRemoving ? "is the primary key, whose index cannot be removed" : nil
      } else if [.data, .decimal128].contains(property.type) {
        "is of type '\(property.type)', which cannot be indexed"
      } else {
        nil
      }
    if let reason { throw UnsupportedField(description: "'\(path)' \(reason)") }
  }
}

extension Property {
  /// Returns the same property with or without an ordered index.
  fileprivate func indexed(_ isIndexed: Bool) -> Property {
    Property(
      name: name, columnName: columnName, type: type, isOptional: isOptional,
      isPrimaryKey: isPrimaryKey, isIndexed: isIndexed, isFullTextIndexed: isFullTextIndexed,
      collection: collection, objectClassName: objectClassName,
      linkOriginPropertyName: linkOriginPropertyName)
  }
}
