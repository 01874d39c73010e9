import CadastreModel
package import CadastreSQLite

/// Looks for damage in a store.
package struct StoreCheck {
  private let reader: any StoreReader
  private var connection: Connection { reader.connection }

  /// Checks what a snapshot sees.
  package init(_ snapshot: Snapshot) { reader = snapshot }

  init(_ transaction: WriteTransaction) { reader = transaction }

  /// What is wrong, one sentence each; nothing in a sound store.
  ///
  /// SQLite's own check of pages and of ordered indexes against their tables, indexes that are missing, the
  /// number of rows of each class and the next key against the catalogue, links that lead nowhere, collections
  /// against their owners' rows, embedded objects without an owner or with two, places that are none, and each
  /// spatial and full-text index against its table.
  ///
  /// - Complexity: O(n log n) in the size of the store.
  package func problems() throws(StoreError) -> [String] {
    var problems = try integrityProblems(atMost: 20)
    for layout in reader.catalogue.tables {
      problems += try IndexPresence(layout, connection).missingIndexes().map {
        "the index '\($0.name)' is missing, or is another one"
      }
      problems += try counterProblems(layout) + linkProblems(layout)
      problems += try CollectionCheck(reader).problems(layout)
      problems += try GeographyCheck(layout, connection).problems()
      for index in layout.spatialIndexes { problems += self.problems(index, layout) }
      for index in layout.textIndexes { problems += self.problems(index, layout) }
    }
    return problems
  }

  /// What SQLite finds in pages and ordered indexes.
  func integrityProblems(atMost limit: Int) throws(StoreError) -> [String] {
    var problems: [String] = []
    let rows = try connection.statement("PRAGMA integrity_check(\(limit))")
    while try rows.step() {
      if rows.text(0) != "ok" { problems.append(rows.text(0)) }
    }
    return problems
  }

  // MARK: Indexes

  /// What is wrong with a spatial index; one that cannot be read is a problem, not a failure.
  func problems(_ index: TableLayout.SpatialIndex, _ layout: TableLayout) -> [String] {
    problems(
      "the spatial index '\(layout.schema.className).\(index.path)'", index.name,
      TableLayout.SpatialIndex.parts, layout
    ) { () throws(StoreError) in
      try SpatialIndexCheck(index, layout, connection).problemsAgainstTable()
    }
  }

  /// What is wrong with a full-text index.
  func problems(_ index: TableLayout.TextIndex, _ layout: TableLayout) -> [String] {
    problems(
      "the full-text index '\(layout.schema.className).\(index.path)'", index.name,
      TableLayout.TextIndex.parts, layout
    ) { () throws(StoreError) in
      try TextIndexCheck(index: index, layout: layout, connection: connection).problems()
    }
  }

  /// What is wrong with a virtual table that is an index; a part that is missing, and a failure, are too.
  private func problems(
    _ what: String, _ name: String, _ parts: [String], _ layout: TableLayout,
    _ check: () throws(StoreError) -> [String]
  ) -> [String] {
    do throws(StoreError) {
      guard try IndexPresence(layout, connection).hasVirtualTable(name, parts) else {
        return ["\(what) is missing, or a part of it"]
      }
      return try check()
    } catch {
      return ["\(what) cannot be read: \(error)"]
    }
  }

  // MARK: Rows

  private func counterProblems(_ layout: TableLayout) throws(StoreError) -> [String] {
    let name = layout.schema.className
    let counters = try ClassCounters(of: layout, connection)
    var problems: [String] = []
    if counters.noted.rows != counters.present.rows {
      problems.append(
        "class '\(name)' has \(counters.present.rows) rows, and the catalogue says \(counters.noted.rows)"
      )
    }
    if counters.noted.nextKey < counters.present.nextKey {
      problems.append(
        "class '\(name)' has a row with key \(counters.present.nextKey - 1), and the catalogue says that the "
          + "next one is \(counters.noted.nextKey)")
    }
    return problems
  }

  private func linkProblems(_ layout: TableLayout) throws(StoreError) -> [String] {
    var problems: [String] = []
    for index in layout.valueIndexes where index.isLink {
      guard let target = reader.catalogue.target(of: index, in: layout) else { continue }
      let link = SQL.quoted(layout.columns[index.column].name)
      let key = SQL.quoted(TableLayout.keyName)
      let broken = try connection.integer(
        "SELECT count(*) FROM \(SQL.quoted(layout.tableName)) NOT INDEXED WHERE \(link) IS NOT NULL "
          + "AND \(link) NOT IN (SELECT \(key) FROM \(SQL.quoted(target.tableName)) NOT INDEXED)")
      if let broken, broken > 0 {
        problems.append(
          "\(broken) links '\(layout.schema.className).\(index.path)' lead to objects that are gone"
        )
      }
    }
    return problems
  }
}

/// The counters that the catalogue keeps of a class, beside what its table says.
struct ClassCounters {
  struct Numbers {
    var rows: Int64
    var nextKey: Int64
  }

  let noted: Numbers
  let present: Numbers

  init(of layout: TableLayout, _ connection: Connection) throws(StoreError) {
    let key = SQL.quoted(TableLayout.keyName)
    noted = try Self.numbers(
      "SELECT row_count, next_key FROM cadastre_class WHERE name = ?", connection,
      .string(layout.schema.className))
    present = try Self.numbers(
      "SELECT count(*), coalesce(max(\(key)), 0) + 1 FROM \(SQL.quoted(layout.tableName)) NOT INDEXED",
      connection)
  }

  private static func numbers(
    _ sql: String, _ connection: Connection, _ values: Value...
  ) throws(StoreError) -> Numbers {
    let statement = try connection.statement(sql)
    for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
    defer { statement.reset() }
    guard try statement.step() else { return Numbers(rows: 0, nextKey: 1) }
    return Numbers(rows: statement.integer(0), nextKey: statement.integer(1))
  }
}
