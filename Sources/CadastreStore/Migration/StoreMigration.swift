package import CadastreModel
package import CadastreSQLite

/// A migration of a store's classes within one transaction, with the application's migration block.
///
/// While the block runs, objects that become embedded still have rows and links, and primary keys may be
/// duplicates. `finish()` embeds the objects and checks the keys.
package final class StoreMigration {
  /// The transaction that changes the store.
  package let transaction: WriteTransaction
  /// The store before the migration.
  package let old: Snapshot
  /// The connection of the transaction, which is flushed before each use.
  private let connection: Connection
  private let wanted: Schema
  private let version: UInt64
  private let initialValues: InitialValues
  private let restructuring: Restructuring
  /// The inline embedded objects of each class, before and after.
  private var embedded: [String: [(old: EmbeddedLayout, new: EmbeddedLayout)]]
  /// The embedded objects that moved from their owners' rows to separate rows.
  private var moved: [EmbeddedLayout]
  /// The properties that the application deletes by name, as `Class.name`.
  private var deleted: Set<String> = []
  /// The classes that become embedded.
  private let becomingEmbedded: [String]

  /// Changes the tables as far as possible before the application's block.
  ///
  /// - Parameters:
  ///   - transaction: The transaction that changes the store.
  ///   - old: The store before the migration.
  ///   - wanted: The classes after the migration; stored classes that this schema lacks stay as they are.
  ///   - version: The application's version of the schema after the migration.
  ///   - initialValues: The values of existing objects in new properties.
  /// - Throws: ``StoreError`` `schemaMismatch` where the classes are invalid.
  package init(
    _ transaction: WriteTransaction, from old: Snapshot, to wanted: Schema, version: UInt64,
    _ initialValues: InitialValues = InitialValues()
  ) throws(StoreError) {
    self.transaction = transaction
    self.old = old
    self.wanted = wanted
    self.version = version
    self.initialValues = initialValues
    let stored = old.catalogue
    connection = try transaction.flush(.rows).connection
    let path = transaction.path
    let after = try stored.changed(to: wanted, path: path)
    let becomingEmbedded = wanted.objectSchema.filter { schema in
      schema.isEmbedded && stored.schema[schema.className]?.isEmbedded == false
    }.map(\.className)
    self.becomingEmbedded = becomingEmbedded
    let between = Schema(
      wanted.objectSchema.map { schema in
        becomingEmbedded.contains(schema.className) ? schema.madeTopLevel : schema
      })
    let apart = stored.schema.classesStoredApart.subtracting(after.schema.classesStoredApart)
    let next = try stored.changed(
      to: between, storedApart: apart.filter { wanted[$0]?.isEmbedded == true }, path: path)
    restructuring = try transaction.restructure(to: next, initialValues, defersKeys: true)
    embedded = restructuring.matches.mapValues(\.embedded)
    moved = restructuring.matches.values.flatMap { $0.unfolded.map(\.old) }
  }

  private func fail(_ reasons: [String]) throws(StoreError) {
    guard !reasons.isEmpty else { return }
    throw StoreError(.migrationFailed(reasons), path: connection.path)
  }

  // MARK: The application's part

  /// Moves the values of a removed property to a new one.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - from: The former column.
  ///   - to: The new column.
  /// - Throws: ``StoreError`` `migrationFailed` where these properties do not exist or their types differ.
  /// - Complexity: O(n) for n objects.
  package func renameProperty(
    of className: String, from: String, to: String
  ) throws(StoreError) {
    try fail(refusals(className, from, to))
    try transaction.write { flushed throws(StoreError) in
      try flushed.tables.discardWriters()
      try rename(className, from, to)
    }
  }

  /// Copies the values of a property to a new one.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - from: The column with the values.
  ///   - to: The new column, of a property with the same type.
  /// - Throws: ``StoreError`` `migrationFailed` where these properties do not exist.
  /// - Complexity: O(n) for n objects.
  package func copyProperty(
    of className: String, from: String, to: String
  ) throws(StoreError) {
    guard old.catalogue.schema[className]?.property(inColumn: from) != nil,
      wanted[className]?.property(inColumn: to) != nil
    else { return try fail(["Cannot copy '\(className).\(from)' to '\(to)'."]) }
    try transaction.write { flushed throws(StoreError) in
      try flushed.tables.discardWriters()
      try rename(className, from, to)
    }
  }

  private func rename(
    _ className: String, _ from: String, _ to: String
  ) throws(StoreError) {
    restructuring.matcher.renamed[className, default: [:]][to] = from
    for owner in restructuring.matches.keys {
      guard let before = old.catalogue.layout(owner),
        let table = transaction.catalogue.layout(owner),
        let source = restructuring.source(of: owner)
      else { continue }
      var pairs = (embedded[owner] ?? []).map {
        (FieldMatcher.Side($0.old), FieldMatcher.Side($0.new))
      }
      pairs.append((FieldMatcher.Side(before), FieldMatcher.Side(table)))
      for (old, new) in pairs where old.schema.className == className {
        guard let (previous, field) = old.field(inColumn: from),
          let (property, target) = new.field(inColumn: to)
        else { continue }
        var match = FieldMatch()
        restructuring.matcher.add(previous, field, property, target, of: new, to: &match)
        try copy(match, RowMove.inPlace(source, table, connection))
        if case .embedded(let layout) = target {
          embedded[owner]?.removeAll { layout.columns.contains($0.new.presence) }
        }
        embedded[owner]?.append(contentsOf: match.embedded)
      }
    }
    try restructuring.indexArrivals { table in
      Set(table.textIndexes.map(\.name) + table.spatialIndexes.map(\.name))
    }
    try restructuring.noteAddedRows()
    connection.discardStatements()
  }

  private func copy(_ match: FieldMatch, _ move: RowMove) throws(StoreError) {
    for (embedded, target) in match.unfolded {
      try restructuring.unfold(embedded, target, from: move.source)
      moved.append(embedded)
    }
    try move.update(match.columns)
    for (old, new, _) in match.collections {
      try connection.run("DELETE FROM \(SQL.quoted(new.tableName))")
      try move.move(old, to: new)
    }
    for point in match.points { try move.move(point) }
    try restructuring.fillRequired(match, move.target, where: "1")
    let written = Set(match.columns.map(\.new))
    for index in move.target.textIndexes where written.contains(index.column) {
      let writer = TextIndexWriter(index, move.target, connection)
      try writer.removeAll()
      try writer.build(move.target)
    }
    for index in move.target.spatialIndexes where written.contains(index.columns[0]) {
      let writer = SpatialIndexWriter(index, move.target, connection)
      try writer.deleteAll()
      try writer.build()
    }
  }

  private func refusals(_ className: String, _ from: String, _ to: String) -> [String] {
    guard let before = old.catalogue.schema[className] else {
      return ["Cannot rename properties for type '\(className)' because it does not exist."]
    }
    guard let after = wanted[className] else {
      return [
        "Cannot rename properties for type '\(className)' because it has been removed from the Realm."
      ]
    }
    let name = "Cannot rename property '\(className).\(from)'"
    guard let source = before.property(inColumn: from) else {
      return ["\(name) because it does not exist."]
    }
    guard after.property(inColumn: from) == nil else {
      return ["\(name) to '\(to)' because the source property still exists."]
    }
    guard let target = after.property(inColumn: to) else {
      return ["\(name) to '\(to)' because the target property does not exist."]
    }
    guard source.typeDescription == target.typeDescription else {
      return [
        "\(name) to '\(to)' because it would change from type '\(source.typeDescription)' to "
          + "'\(target.typeDescription)'."
      ]
    }
    guard !source.isOptional || target.isOptional else {
      return ["\(name) to '\(to)' because it would change from optional to required."]
    }
    let isMember = { (schema: ObjectSchema, property: Property) in
      schema.isPointShaped
        && [ObjectSchema.pointTypeName, ObjectSchema.pointCoordinatesName].contains(property.name)
    }
    guard !isMember(before, source), !isMember(after, target) else {
      return [
        "\(name) to '\(to)' because it is a member of a point: copy the values in enumerateObjects."
      ]
    }
    let between = transaction.catalogue.schema
    let isMoved =
      old.catalogue.schema.isStoredInline(className)
      && (between[className]?.isEmbedded == false
        || between.classesStoredApart.contains(className))
      || moved.contains { $0.containsInline(className) }
    return isMoved
      ? [
        "\(name) to '\(to)' because its objects get rows of their own: copy the values in enumerateObjects."
      ]
      : []
  }

  /// Deletes the objects of a class, and the class itself where the new schema lacks it.
  ///
  /// - Returns: Whether the class existed.
  /// - Throws: ``StoreError`` when reading or writing fails.
  /// - Complexity: O(n log n) for n objects of a class to which others can link.
  package func deleteData(of className: String) throws(StoreError) -> Bool {
    try transaction.write { _ throws(StoreError) in try delete(className) }
  }

  private func delete(_ className: String) throws(StoreError) -> Bool {
    let catalogue = transaction.catalogue
    guard catalogue.schema[className] != nil else { return false }
    let isNeeded =
      wanted[className] != nil
      || catalogue.schema.objectSchema.contains { other in
        other.className != className
          && other.properties.contains { $0.objectClassName == className }
      }
    // Objects to which nothing can link are deleted with their table.
    if let layout = catalogue.layout(className),
      isNeeded || !catalogue.sourcesOfMixedLinks.isEmpty
    {
      for key in try transaction.keys(layout, after: ObjectKey(0), limit: .max) {
        try transaction.delete(className, key)
      }
    }
    if !isNeeded { try transaction.removeClass(className) }
    return true
  }

  // MARK: The end

  /// Allows the deletion of a property's values.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - name: The property before the migration.
  /// - Throws: ``StoreError`` `migrationFailed` where there is no such property, or it remains.
  package func deleteProperty(of className: String, named name: String) throws(StoreError) {
    guard let property = old.catalogue.schema[className]?[name] else {
      return try fail(["Cannot delete property '\(className).\(name)' because it does not exist."])
    }
    guard wanted[className]?.property(inColumn: property.columnName) == nil else {
      return try fail(["Cannot delete property '\(className).\(name)' because the class has it."])
    }
    deleted.insert("\(className).\(name)")
  }

  /// The properties of stored objects that the new classes lack and that were neither renamed nor deleted by
  /// name, as `Class.name`.
  ///
  /// Their values are lost at the end of the migration.
  package var removedProperties: [String] {
    get throws(StoreError) {
      var removed: [String] = []
      for target in wanted.objectSchema {
        guard let before = old.catalogue.schema[target.className] else { continue }
        let renamed = restructuring.matcher.renamed[target.className] ?? [:]
        if !before.isEmbedded, try old.rowCount(target.className) == 0 { continue }
        for property in before.properties
        where target.property(inColumn: property.columnName) == nil
          && !renamed.values.contains(property.columnName)
        {
          let name = "\(target.className).\(property.name)"
          if !deleted.contains(name) { removed.append(name) }
        }
      }
      return removed
    }
  }

  /// Embeds objects, drops obsolete columns and tables, and checks primary keys.
  ///
  /// - Throws: ``StoreError`` `migrationFailed` where embedded objects have no owner or several, or where
  ///   objects share a primary key.
  package func finish() throws(StoreError) {
    try transaction.write { flushed throws(StoreError) in try flushed.tables.discardWriters() }
    var problems: [String] = []
    for name in becomingEmbedded { problems += try ownerProblems(name) }
    try fail(problems)
    try restructuring.discard()
    connection.discardStatements()
    let next = try transaction.catalogue.changed(to: wanted, path: connection.path)
    if next.schema != transaction.catalogue.schema {
      try transaction.restructure(to: next, initialValues, defersKeys: true).discard()
      connection.discardStatements()
    }
    try removeOwnerless()
    try transaction.write { flushed throws(StoreError) in try flushed.tables.discardWriters() }
    try fail(try transaction.checkDeferredKeys())
    try transaction.setSchemaVersion(version)
  }

  private func ownerProblems(_ className: String) throws(StoreError) -> [String] {
    guard let layout = transaction.catalogue.layout(className) else { return [] }
    let owners = EmbeddedOwners(transaction.catalogue, connection)
    var problems: [String] = []
    if try owners.count(layout, "= 0") > 0 {
      problems.append(
        "Cannot convert '\(className)' to embedded: at least one object has no incoming links and "
          + "would be deleted.")
    }
    if try owners.count(layout, "> 1") > 0 {
      problems.append(
        "Cannot convert '\(className)' to embedded: at least one object has more than one incoming link."
      )
    }
    if try owners.countOfMixedLinks(to: className) > 0 {
      problems.append(
        "Cannot convert '\(className)' to embedded: at least one value of any type links to an object."
      )
    }
    return problems
  }

  /// Deletes embedded objects whose owner's property was removed.
  private func removeOwnerless() throws(StoreError) {
    for layout in transaction.catalogue.tables where layout.schema.isEmbedded {
      let owners = EmbeddedOwners(transaction.catalogue, connection)
      for key in try owners.ownerless(layout) {
        try transaction.deleteOwned(
          ObjectAddress(className: layout.schema.className, key: key))
      }
    }
  }
}

extension ObjectSchema {
  /// The class as a top-level class.
  fileprivate var madeTopLevel: ObjectSchema { with(isEmbedded: false) }
}
