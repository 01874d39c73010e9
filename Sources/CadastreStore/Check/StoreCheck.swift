import CadastreModel
package import CadastreSQLite

/// A check whether a store is intact.
package struct StoreCheck {
  private let reader: any StoreReader
  private var connection: Connection { reader.connection }

  /// Prepares to check a snapshot.
  package init(_ snapshot: Snapshot) { reader = snapshot }

  init(_ transaction: FlushedTransaction) { reader = transaction }

  /// Returns the problems, one sentence each; none in an intact store.
  ///
  /// Checks pages and ordered indexes (SQLite's integrity check), the presence of indexes, row counts and
  /// next keys of the catalogue, the targets of links, the element counts in owners' rows, the owners of
  /// embedded objects, coordinates of missing points, the storage classes of values, the coordinates of
  /// points, each spatial and full-text index, and the stored segments of columns.
  ///
  /// - Complexity: O(n log n) in the size of the store.
  package func problems() throws(StoreError) -> [String] {
    var problems = try integrityProblems(atMost: 20)
    for layout in reader.catalogue.tables {
      problems += try IndexPresence(layout, connection).missingIndexes().map {
        "the index '\($0.name)' is missing or has another definition"
      }
      problems += try counterProblems(layout) + linkProblems(layout)
      problems += try CollectionCheck(reader).problems(layout)
      problems += try StorageClassCheck(layout, connection).problems()
      problems += try GeographyCheck(layout, connection).problems()
      for index in layout.spatialIndexes { problems += self.problems(index, layout) }
      for index in layout.textIndexes { problems += self.problems(index, layout) }
      do throws(StoreError) {
        problems += try SegmentCheck(layout, reader)?.problems() ?? []
      } catch {
        problems.append(
          "the stored columns of '\(layout.schema.className)' cannot be read: \(error)")
      }
    }
    return problems
  }

  /// Returns the views and triggers that other programs created, one sentence each.
  ///
  /// They have no effect on Cadastre, so they are not problems.
  package func foreignParts() throws(StoreError) -> [String] {
    try StoredObjects(reading: connection).foreignParts
  }

  /// Returns the problems that SQLite's integrity check reports.
  func integrityProblems(atMost limit: Int) throws(StoreError) -> [String] {
    var problems: [String] = []
    let rows = try connection.statement("PRAGMA integrity_check(\(limit))")
    while try rows.step() {
      if rows.text(0) != "ok" { problems.append(rows.text(0)) }
    }
    return problems
  }

  // MARK: Indexes

  /// Returns the problems of a spatial index; a failure to read it is a problem too.
  func problems(_ index: TableLayout.SpatialIndex, _ layout: TableLayout) -> [String] {
    problems(
      "the spatial index '\(layout.schema.className).\(index.path)'", index.name,
      TableLayout.SpatialIndex.shadowSuffixes, layout
    ) { () throws(StoreError) in
      try SpatialIndexCheck(index, layout, connection).problemsAgainstTable()
    }
  }

  /// Returns the problems of a full-text index; a failure to read it is a problem too.
  func problems(_ index: TableLayout.TextIndex, _ layout: TableLayout) -> [String] {
    problems(
      "the full-text index '\(layout.schema.className).\(index.path)'", index.name,
      TableLayout.TextIndex.shadowSuffixes, layout
    ) { () throws(StoreError) in
      try TextIndexCheck(index: index, layout: layout, connection: connection).problems()
    }
  }

  /// Returns the problems of an index in a virtual table, which may be incomplete or unreadable.
  private func problems(
    _ description: String, _ name: String, _ suffixes: [String], _ layout: TableLayout,
    _ check: () throws(StoreError) -> [String]
  ) -> [String] {
    do throws(StoreError) {
      guard try IndexPresence(layout, connection).hasVirtualTable(name, suffixes) else {
        return ["\(description) is missing or incomplete"]
      }
      return try check()
    } catch {
      return ["\(description) cannot be read: \(error)"]
    }
  }

  // MARK: Rows

  private func counterProblems(_ layout: TableLayout) throws(StoreError) -> [String] {
    let name = layout.schema.className
    let counters = try ClassCounters(of: layout, connection)
    var problems: [String] = []
    if counters.stored.rows != counters.actual.rows {
      problems.append(
        "class '\(name)' has \(counters.actual.rows) rows, but the catalogue says \(counters.stored.rows)"
      )
    }
    if counters.stored.nextKey < counters.actual.nextKey {
      problems.append(
        "class '\(name)' has a row with key \(counters.actual.nextKey - 1), but the catalogue says that the "
          + "next one is \(counters.stored.nextKey)")
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
          "\(broken) links '\(layout.schema.className).\(index.path)' refer to missing objects"
        )
      }
    }
    return problems
  }
}

/// The stored counters of a class in the catalogue, and the actual ones of its table.
struct ClassCounters {
  struct Numbers {
    var rows: Int64
    var nextKey: Int64
  }

  let stored: Numbers
  let actual: Numbers

  init(of layout: TableLayout, _ connection: Connection) throws(StoreError) {
    let key = SQL.quoted(TableLayout.keyName)
    stored = try Self.numbers(
      "SELECT \(SQL.counter("row_count")), \(SQL.counter("next_key")) FROM cadastre_class "
        + "WHERE name = ?", connection,
      .string(layout.schema.className))
    actual = try Self.numbers(
      "SELECT count(*), coalesce(max(\(key)), 0) + 1 FROM \(SQL.quoted(layout.tableName)) NOT INDEXED",
      connection)
  }

  private static func numbers(
    _ sql: String, _ connection: Connection, _ values: Value...
  ) throws(StoreError) -> Numbers {
    let statement = try connection.statement(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    defer { statement.reset() }
    guard try statement.step() else { return Numbers(rows: 0, nextKey: 1) }
    return Numbers(rows: statement.integer(0), nextKey: statement.integer(1))
  }
}

/// A comparison of a class's indexes with SQLite's schema table.
struct IndexPresence {
  private let layout: TableLayout
  private let connection: Connection

  init(_ layout: TableLayout, _ connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// Returns the ordered indexes that are missing or have another definition.
  func missingIndexes() throws(StoreError) -> [StoredIndex] {
    var missing: [StoredIndex] = []
    for index in layout.storedIndexes {
      let definition = try definition("index", index.name)
      guard definition != index.definition, definition == nil || definition != other(index) else {
        continue
      }
      missing.append(index)
    }
    return missing
  }

  /// Returns the other definition that an index may have: with, or without, the integer primary key in its entries.
  ///
  /// A program of an earlier version may have rebuilt the index.
  private func other(_ stored: StoredIndex) -> String? {
    guard let id = layout.integerKeyColumn,
      let index = layout.valueIndexes.first(where: { $0.name == stored.name }),
      index.takes(id)
    else { return nil }
    let other = index.containing(index.idColumn == nil ? id : nil)
    return layout.stored(other, isUnique: false).definition
  }

  /// Returns whether a virtual table and its shadow tables exist.
  func hasVirtualTable(_ name: String, _ suffixes: [String]) throws(StoreError) -> Bool {
    for name in [name] + suffixes.map({ "\(name)_\($0)" })
    where try definition("table", name) == nil { return false }
    return true
  }

  private func definition(_ type: String, _ name: String) throws(StoreError) -> String? {
    try connection.text(
      "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ?", .string(type), .string(name))
  }
}

extension TableLayout.SpatialIndex {
  /// The suffixes of an R*Tree's shadow tables.
  static let shadowSuffixes = ["node", "rowid", "parent"]
}

extension TableLayout.TextIndex {
  /// The suffixes of a contentless FTS5 table's shadow tables.
  static let shadowSuffixes = ["data", "idx", "docsize", "config"]
}
