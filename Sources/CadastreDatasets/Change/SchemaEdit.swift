import CadastreFormatting
import CadastreModel
import CadastrePredicate
import CadastreStore

/// A change of the classes or fields of a store: rename, drop or copy.
///
/// Each method runs in one transaction. The schema version of the program is unchanged.
package struct SchemaEdit {
  private let store: String

  /// Creates an editor of the store at a path.
  package init(store: String) { self.store = store }

  // MARK: Fields

  /// Returns the names of the fields of a class.
  ///
  /// - Throws: ``QueryPredicateError`` for an unknown class, or `StoreError`.
  package func fieldNames(of className: String) throws -> [String] {
    try StoreQuery(store: store, className: className, predicate: nil).root.properties.map(\.name)
  }

  /// Renames a field of a class.
  ///
  /// - Parameters:
  ///   - field: The field.
  ///   - className: The class.
  ///   - name: The new name.
  /// - Throws: ``ChangeError``, ``QueryPredicateError`` for unknown names, or `StoreError`.
  /// - Complexity: O(n) for n objects.
  package func rename(field: String, of className: String, to name: String) throws {
    let renames = [SchemaRename.property(className: className, from: field, to: name)]
    try editField(field, className, to: name, renames: renames) { schema, property in
      schema.replacing(property.name, with: [property.with(name: name, columnName: name)])
    } migrating: { migration, property in
      try migration.renameProperty(of: className, from: property.columnName, to: name)
    }
  }

  /// Copies a field of a class to a new field, with its index.
  ///
  /// - Parameters:
  ///   - field: The field, which is not the primary key.
  ///   - className: The class.
  ///   - name: The name of the new field.
  /// - Throws: ``ChangeError``, ``QueryPredicateError`` for unknown names, or `StoreError`.
  /// - Complexity: O(n) for n objects.
  package func copy(field: String, of className: String, to name: String) throws {
    try editField(field, className, to: name) { schema, property in
      schema.replacing(
        property.name,
        with: [property, property.with(name: name, columnName: name, isPrimaryKey: false)])
    } migrating: { migration, property in
      try validateCopy(of: property, in: migration.old.catalogue.schema)
      try migration.copyProperty(of: className, from: property.columnName, to: name)
    }
  }

  /// Removes a field of a class, its values, and the compound indexes that contain it.
  ///
  /// - Parameters:
  ///   - field: The field.
  ///   - className: The class.
  /// - Throws: ``ChangeError``, ``QueryPredicateError`` for unknown names, or `StoreError`.
  /// - Complexity: O(n) for n objects.
  package func drop(field: String, of className: String) throws {
    try editField(field, className, to: nil) { schema, property in
      schema.replacing(property.name, with: [])
    } migrating: { _, _ in
    }
  }

  private func editField(
    _ field: String, _ className: String, to name: String?, renames: [SchemaRename] = [],
    _ edited: (ObjectSchema, Property) -> ObjectSchema,
    migrating: (StoreMigration, Property) throws -> Void
  ) throws {
    try StoreTransaction.run(on: store, renames: renames) { file, transaction in
      let schema = transaction.catalogue.schema
      let root = try schema.queriedClass(className, allowsEmbedded: true)
      let property = try schema.property(at: PropertyPath([field]), from: root)
      if let name, root.properties.contains(where: { $0.name == name || $0.columnName == name }) {
        throw ChangeError("'\(className)' has a field '\(printable(name))' already")
      }
      let changed = edited(root, property)
      guard !changed.properties.isEmpty else {
        throw ChangeError("'\(field)' is the only field of '\(className)'; drop the class instead")
      }
      try validate(changed, in: schema)
      let migration = try StoreMigration(
        transaction, from: try file.snapshot(), to: Schema([changed]),
        version: transaction.versions.schema)
      try migrating(migration, property)
      try migration.finish()
      try removeUnused(property.objectClassName, transaction)
    }
  }

  // MARK: Classes

  /// Renames a class.
  ///
  /// - Parameters:
  ///   - className: The class, which may be embedded.
  ///   - name: The new name.
  /// - Throws: ``ChangeError``, ``QueryPredicateError`` for an unknown class, or `StoreError`.
  package func rename(class className: String, to name: String) throws {
    let renames = [SchemaRename.type(from: className, to: name)]
    try StoreTransaction.run(on: store, renames: renames) { _, transaction in
      let schema = transaction.catalogue.schema
      let root = try schema.queriedClass(className, allowsEmbedded: true)
      try validate(root.with(className: name), isNewIn: schema)
      try transaction.renameClass(className, to: name)
    }
  }

  /// Copies a class and its objects.
  ///
  /// - Parameters:
  ///   - className: The class, which is not embedded.
  ///   - name: The name of the copy.
  /// - Returns: The number of copied objects.
  /// - Throws: ``ChangeError``, ``QueryPredicateError`` for an unknown class, or `StoreError`.
  package func copy(class className: String, to name: String) throws -> Int {
    try StoreTransaction.run(on: store) { _, transaction in
      let schema = transaction.catalogue.schema
      let root = try schema.queriedClass(className)
      try validate(root.with(className: name), isNewIn: schema)
      return try transaction.copyClass(className, to: name)
    }
  }

  /// Removes a class and its objects; mixed values that link to them become null.
  ///
  /// - Parameter className: The class, which is not embedded.
  /// - Returns: The number of removed objects.
  /// - Throws: ``ChangeError`` if other classes link to the class, ``QueryPredicateError`` for an
  ///   unknown class, or `StoreError`.
  package func drop(class className: String) throws -> Int {
    try StoreTransaction.run(on: store) { file, transaction in
      let schema = transaction.catalogue.schema
      let root = try schema.queriedClass(className)
      let links = schema.objectSchema.filter { $0.className != className }.flatMap { owner in
        owner.properties.filter { $0.objectClassName == className }.map {
          "'\(owner.className).\($0.name)'"
        }
      }
      guard links.isEmpty else {
        throw ChangeError(
          "'\(className)' is the type of \(links.joined(separator: ", ")); drop these fields first")
      }
      let count = try transaction.rowCount(className)
      let migration = try StoreMigration(
        transaction, from: try file.snapshot(), to: Schema(), version: transaction.versions.schema)
      _ = try migration.deleteData(of: className)
      try migration.finish()
      for name in Set(root.properties.compactMap(\.objectClassName)).sorted() {
        try removeUnused(name, transaction)
      }
      return count
    }
  }

  /// Removes an embedded class if no property has its type, and likewise the classes of its
  /// properties.
  private func removeUnused(_ className: String?, _ transaction: WriteTransaction) throws {
    let schema = transaction.catalogue.schema
    guard let className, let target = schema[className], target.isEmbedded,
      !schema.objectSchema.contains(where: { owner in
        owner.className != className
          && owner.properties.contains { $0.objectClassName == className }
      })
    else { return }
    try transaction.removeClass(className)
    for name in Set(target.properties.compactMap(\.objectClassName)).sorted() {
      try removeUnused(name, transaction)
    }
  }

  // MARK: Validation

  private func validate(
    _ changed: ObjectSchema, isNewIn schema: Schema
  ) throws(ChangeError) {
    guard schema[changed.className] == nil else {
      throw ChangeError("the store has a class '\(printable(changed.className))' already")
    }
    try validate(changed, in: schema)
  }

  /// Throws an error if the embedded objects of a property have separate rows: a row has one
  /// owner.
  private func validateCopy(of property: Property, in schema: Schema) throws(ChangeError) {
    guard schema.ownsRows(property) else { return }
    throw ChangeError(
      "'\(property.name)' contains embedded objects of a list, a map or a recursive class, which "
        + "can be copied only with their class")
  }

  private func validate(_ changed: ObjectSchema, in schema: Schema) throws(ChangeError) {
    let errors = SchemaRules.errors(of: schema.replacing([changed]), isStored: true)
    guard errors.isEmpty else { throw ChangeError(printable(errors.joined(separator: " "))) }
  }
}

extension Schema {
  /// Returns whether objects in a property have separate rows, which one object owns.
  fileprivate func ownsRows(_ property: Property) -> Bool {
    guard let target = target(of: property), target.isEmbedded else { return false }
    return !isInline(property) || target.properties.contains { ownsRows($0) }
  }
}

extension ObjectSchema {
  /// Returns the class with one property replaced by others.
  ///
  /// The first of the others takes its position in compound indexes; without others the indexes are removed.
  fileprivate func replacing(_ name: String, with properties: [Property]) -> ObjectSchema {
    with(
      properties: self.properties.flatMap { $0.name == name ? properties : [$0] },
      compoundIndexes: compoundIndexes.compactMap { names in
        guard names.contains(name) else { return names }
        return properties.first.map { first in names.map { $0 == name ? first.name : $0 } }
      })
  }
}
