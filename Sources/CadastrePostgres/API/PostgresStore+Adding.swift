public import Cadastre
import CadastreModel
import CadastreStore

extension PostgresStore {
  /// Adds copies of unmanaged objects in one transaction.
  ///
  /// Links, lists, sets and maps of links are written too. A link must lead to an object that the database
  /// has already or that is added by the same call, and whose class has a primary key; the values of that
  /// object are not changed. Columns that the class of the program has not are not touched: a new row has
  /// their defaults, and empty lists, sets and maps.
  ///
  /// With `updating` an object with the primary key of a stored one changes it, also one that comes
  /// earlier in `objects`. An object that was read from this store changes the properties that were set
  /// since; a link, list, set or map of links that was not loaded stays as it is. Another object changes
  /// all properties of its class.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - updating: Whether an object with the primary key of a stored one changes it; otherwise it is an
  ///     error.
  /// - Throws: ``PostgresMappingError`` if the database has no such class, for a value that PostgreSQL
  ///   cannot hold, for a link to an object that is not stored, and for links that were not loaded and are
  ///   needed; ``PostgresError``, whose ``PostgresError/sqlState`` is `23505` for a repeated primary key
  ///   and `23502` for a new row without a value that the database requires. Nothing is added then.
  /// - Complexity: O(n log n); the rows are copied, not inserted one by one. An update needs a statement
  ///   for each combination of changed properties.
  public func add<Element: Object>(_ objects: [Element], updating: Bool = false) async throws {
    let classes = try classes(for: Element.self)
    let model = DetachedObjects.schema(of: Element.self)
    guard let table = classes.tables[model.className], !objects.isEmpty else { return }
    try table.requireChangeable()
    guard !updating || table.schema.primaryKeyProperty != nil else {
      throw PostgresMappingError(
        subject: "class '\(model.className)'",
        reason: "it has no primary key by which objects are updated")
    }
    let groups = table.columnGroups(
      of: model, in: DetachedObjects.reachableSchema(of: Element.self))
    let values = objects.map { DetachedObjects.row(of: $0, table.layout) }
    let rows = try zip(objects, values).map { object, values in
      let before =
        updating
        ? try DetachedObjects.fetchedValues(of: object, table.layout, from: pool) : nil
      return try AddedObject(object, values, before: before, table, groups)
    }
    let added = AddedObjects(table: table, classes: classes, groups: groups, objects: rows)
    try await pool.withConnection { connection in
      try await connection.transaction(.writing) { try await added.write($0, updating: updating) }
    }
    for ((object, values), row) in zip(zip(objects, values), rows) where row.changed != nil {
      DetachedObjects.noteStored(object, values.row, values.links, table.layout)
    }
  }
}
