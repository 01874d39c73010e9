import CadastreModel
package import CadastreSQLite

/// A change of a store's classes in which the application has a say, within one transaction.
///
/// Before the application's part, objects that are to become embedded still have rows and links, and
/// primary keys may be held twice; both are put right, or refused, by `finish()`.
package final class StoreMigration {
  /// The store after, which is being changed.
  package let transaction: WriteTransaction
  /// The store before.
  package let old: Snapshot
  private let wanted: Schema
  private let version: UInt64
  private let restructuring: Restructuring
  /// The embedded objects in the rows of each class's objects, before and after.
  private var embedded: [String: [(old: EmbeddedLayout, new: EmbeddedLayout)]]
  /// The embedded objects that have left their owners' rows, with what they hold in them.
  private var moved: [EmbeddedLayout]
  /// The classes whose objects are not yet embedded.
  private let becomingEmbedded: [String]

  /// Changes the tables as far as that needs nothing of the application.
  init(
    _ transaction: WriteTransaction, from old: Snapshot, to wanted: Schema, version: UInt64
  ) throws(StoreError) {
    self.transaction = transaction
    self.old = old
    self.wanted = wanted
    self.version = version
    let stored = old.catalogue
    let path = transaction.connection.path
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
    restructuring = try transaction.restructure(to: next, defersKeys: true)
    embedded = restructuring.matches.mapValues(\.embedded)
    moved = restructuring.matches.values.flatMap { $0.unfolded.map(\.old) }
  }

  private var connection: Connection { transaction.connection }

  private func fail(_ reasons: [String]) throws(StoreError) {
    guard !reasons.isEmpty else { return }
    throw StoreError(.migrationFailed(reasons), path: connection.path)
  }

  // MARK: What the application does

  /// Gives the values of a property that the class has no more to one that it did not have.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - from: The column before.
  ///   - to: The column after.
  /// - Throws: ``StoreError`` `migrationFailed` where there are no such properties, or the values do not fit.
  /// - Complexity: O(n) for n objects.
  package func renameProperty(
    of className: String, from: String, to: String
  ) throws(StoreError) {
    try fail(refusals(className, from, to))
    try transaction.write { () throws(StoreError) in try rename(className, from, to) }
  }

  private func rename(
    _ className: String, _ from: String, _ to: String
  ) throws(StoreError) {
    try transaction.state.discardWriters()
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
        restructuring.matcher.add(previous, field, property, target, new.presence, to: &match)
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
    try restructuring.settle(match, move.target, where: "1")
    let written = Set(match.columns.map(\.new))
    for index in move.target.textIndexes where written.contains(index.column) {
      let writer = TextIndexWriter(index, move.target, connection)
      try writer.removeAll()
      try writer.build(move.target)
    }
    for index in move.target.spatialIndexes where written.contains(index.point.longitude) {
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
        "\(name) to '\(to)' because it belongs to a place: copy the values in enumerateObjects."
      ]
    }
    let between = transaction.catalogue.schema
    let isMoved =
      old.catalogue.schema.isStoredInline(className)
      && (between[className]?.isEmbedded == false
        || between.classesStoredApart.contains(className))
      || moved.contains { $0.holds(className) }
    return isMoved
      ? [
        "\(name) to '\(to)' because its objects get rows of their own: copy the values in enumerateObjects."
      ]
      : []
  }

  /// Removes the objects of a class, and the class itself where the program has it no more.
  ///
  /// - Returns: Whether there was such a class.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(n log n) for n objects that others can link to.
  package func deleteData(of className: String) throws(StoreError) -> Bool {
    try transaction.write { () throws(StoreError) in try delete(className) }
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
    // Where nothing can link to the objects, they go with their table.
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

  /// Makes what is to be embedded embedded, discards what the classes have no more, and checks primary
  /// keys.
  ///
  /// - Throws: ``StoreError`` `migrationFailed` where objects have no owner or several, or share a primary
  ///   key.
  func finish() throws(StoreError) {
    try transaction.state.discardWriters()
    var problems: [String] = []
    for name in becomingEmbedded { problems += try ownerProblems(name) }
    try fail(problems)
    try restructuring.discard()
    connection.discardStatements()
    let next = try transaction.catalogue.changed(to: wanted, path: connection.path)
    if next.schema != transaction.catalogue.schema {
      try transaction.restructure(to: next, defersKeys: true).discard()
      connection.discardStatements()
    }
    try removeOwnerless()
    try transaction.state.discardWriters()
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

  /// Removes embedded objects whose owners' property is gone.
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
  /// The same class with objects of their own.
  fileprivate var madeTopLevel: ObjectSchema {
    ObjectSchema(
      className: className, properties: properties, computedProperties: computedProperties,
      isEmbedded: false)
  }
}
