import CadastreModel
import CadastrePredicate
import CadastreStore

/// Adds the ordered index of a field to a class, or removes it.
package struct IndexChange {
  private let store: String
  private let className: String
  private let path: PropertyPath
  private let isRemoving: Bool

  /// Why a field has no such index, as a sentence.
  package struct Refusal: Error, CustomStringConvertible {
    /// The sentence.
    package let description: String
  }

  /// States a change.
  ///
  /// - Parameters:
  ///   - store: The path of the store.
  ///   - className: The class.
  ///   - field: The field, which may lie in embedded objects: `address.city`.
  ///   - isRemoving: Whether the index goes.
  package init(store: String, className: String, field: String, isRemoving: Bool) {
    self.store = store
    self.className = className
    path = PropertyPath(field)
    self.isRemoving = isRemoving
  }

  /// Carries it out, in one transaction.
  ///
  /// Others may have the store open: their next questions use the index.
  ///
  /// - Returns: Whether anything had to be changed.
  /// - Throws: ``Refusal``, ``QueryPredicateError`` for unknown names, or `StoreError`; the store is as it was
  ///   then.
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

  /// The class that declares the field, with or without its index; nil where that is so already.
  private func changed(_ schema: Schema) throws -> ObjectSchema? {
    let root = try StoreQuery.root(className, in: schema)
    let property = try schema.property(at: path, from: root)
    var owner = root
    for name in path.names.dropLast() {
      guard let step = owner[name], schema.isInline(step), let target = schema.target(of: step),
        !target.isPointShaped
      else {
        throw Refusal(
          description:
            "'\(path)' is not kept in the rows of '\(className)', so they have no index on it")
      }
      owner = target
    }
    try refuse(property, schema)
    guard property.isIndexed == isRemoving else { return nil }
    return ObjectSchema(
      className: owner.className,
      properties: owner.properties.map {
        $0.name == property.name ? property.indexed(!isRemoving) : $0
      },
      computedProperties: owner.computedProperties, isEmbedded: owner.isEmbedded)
  }

  /// Says why a property has no index to be added or removed.
  private func refuse(_ property: Property, _ schema: Schema) throws(Refusal) {
    let reason: String? =
      if property.collection != nil || property.type == .linkingObjects {
        "is a \(property.typeDescription); a value index is of single values"
      } else if schema.isPoint(property) {
        "is a place; its spatial index is always there"
      } else if property.type == .object, schema.target(of: property)?.isEmbedded == true {
        "is an embedded object; name one of its fields, such as '\(path)."
          + "\(schema.target(of: property)?.properties.first?.name ?? "")'"
      } else if property.type == .object {
        "is a link; links are found by an index that is always there"
      } else if property.isPrimaryKey {
        isRemoving ? "is the primary key, which cannot be without its index" : nil
      } else if [.data, .decimal128].contains(property.type) {
        "is of type '\(property.type)', which has no index"
      } else {
        nil
      }
    if let reason { throw Refusal(description: "'\(path)' \(reason)") }
  }
}

extension Property {
  /// The same property with or without an ordered index.
  fileprivate func indexed(_ isIndexed: Bool) -> Property {
    Property(
      name: name, columnName: columnName, type: type, isOptional: isOptional,
      isPrimaryKey: isPrimaryKey, isIndexed: isIndexed, isFullTextIndexed: isFullTextIndexed,
      collection: collection, objectClassName: objectClassName,
      linkOriginPropertyName: linkOriginPropertyName)
  }
}
