import CadastreModel
import CadastrePredicate
import CadastreStore

/// The addition or removal of the ordered index on a field, or of the compound index on several.
package struct IndexChange {
  private let store: String
  private let className: String
  private let paths: [PropertyPath]
  private let isRemoving: Bool

  /// The reason why fields cannot have an ordered index.
  package struct UnsupportedField: Error, CustomStringConvertible {
    /// One sentence: the field and the reason.
    package let description: String
  }

  /// Creates a change; ``run()`` applies it.
  ///
  /// - Parameters:
  ///   - store: The path of the store.
  ///   - className: The class.
  ///   - fields: The paths of the fields, also in embedded objects: `address.city`.
  ///   - isRemoving: Whether to remove the index.
  package init(store: String, className: String, fields: [String], isRemoving: Bool) {
    self.store = store
    self.className = className
    paths = fields.map { PropertyPath($0) }
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
    try StoreTransaction.run(on: store) { _, transaction in
      guard let changed = try changed(transaction.catalogue.schema) else { return false }
      try transaction.adopt(Schema([changed]))
      return true
    }
  }

  /// Returns the changed class that declares the fields; nil if nothing changes.
  private func changed(_ schema: Schema) throws -> ObjectSchema? {
    let members = try paths.map { try member(at: $0, schema) }
    let owner = members[0].owner
    let names = members.map(\.property.name)
    guard members.count > 1 else {
      let property = members[0].property
      guard property.isIndexed == isRemoving else { return nil }
      return owner.with(
        properties: owner.properties.map {
          $0.name == property.name ? property.with(isIndexed: !isRemoving) : $0
        })
    }
    guard Set(paths.map { Array($0.names.dropLast()) }).count == 1 else {
      throw UnsupportedField(
        description: "\(list) are fields of different objects; an index has fields of one object")
    }
    guard owner.compoundIndexes.contains(names) == isRemoving else { return nil }
    let others = owner.compoundIndexes.filter { $0 != names }
    let changed = owner.with(compoundIndexes: isRemoving ? others : others + [names])
    let errors = SchemaRules.errors(of: schema.replacing([changed]), isStored: true)
    guard errors.isEmpty else {
      throw UnsupportedField(description: errors.joined(separator: " "))
    }
    return changed
  }

  private var list: String { paths.map { "'\($0)'" }.joined(separator: ", ") }

  /// Returns the property at a path, and the class that declares it.
  private func member(
    at path: PropertyPath, _ schema: Schema
  ) throws -> (owner: ObjectSchema, property: Property) {
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
    try validate(property, at: path, schema)
    return (owner, property)
  }

  /// Throws if the index of a property cannot be added or removed.
  private func validate(
    _ property: Property, at path: PropertyPath, _ schema: Schema
  ) throws(UnsupportedField) {
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
      } else if property.isPrimaryKey, paths.count == 1 {
        isRemoving ? "is the primary key, whose index cannot be removed" : nil
      } else if [.data, .decimal128].contains(property.type) {
        "is of type '\(property.type)', which cannot be indexed"
      } else {
        nil
      }
    if let reason { throw UnsupportedField(description: "'\(path)' \(reason)") }
  }
}
