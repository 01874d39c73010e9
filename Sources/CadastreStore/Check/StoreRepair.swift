import CadastreModel
package import CadastreSQLite

/// Rebuilds what a store can work out again from its rows: indexes and counters.
///
/// No object is added, removed or changed.
package struct StoreRepair {
  /// What a repair has done, and what it could not do.
  package struct Report: Hashable, Sendable {
    /// What was rebuilt, one sentence each.
    package internal(set) var done: [String] = []
    /// What is still wrong, one sentence each.
    package internal(set) var left: [String] = []
  }

  private let transaction: WriteTransaction
  private var connection: Connection { transaction.connection }
  private var report = Report()

  init(_ transaction: WriteTransaction) { self.transaction = transaction }

  /// Repairs a store, all of it in one transaction: a repair that fails or is killed changes nothing.
  ///
  /// - Parameter file: The store.
  /// - Returns: What was done, and what is left.
  /// - Throws: ``StoreError`` when the store cannot be read or written at all.
  /// - Complexity: O(n log n) in the size of the store.
  package static func run(_ file: StoreFile) throws(StoreError) -> Report {
    let transaction = try file.beginWrite()
    do throws(StoreError) {
      var repair = StoreRepair(transaction)
      try repair.run()
      if !repair.report.done.isEmpty { try transaction.commitRebuilt() }
      transaction.rollback()
      return repair.report
    } catch {
      transaction.rollback()
      throw error
    }
  }

  mutating func run() throws(StoreError) {
    for layout in transaction.catalogue.tables {
      let presence = IndexPresence(layout, connection)
      for index in try presence.missingIndexes() { try rebuild(index) }
    }
    try rebuildDamagedIndexes()
    for layout in transaction.catalogue.tables {
      try setCounters(layout)
      for collection in layout.collections { try setCounts(collection, layout) }
      for index in layout.spatialIndexes
      where !StoreCheck(transaction).problems(index, layout).isEmpty {
        try rebuild(index, layout)
      }
      for index in layout.textIndexes where !StoreCheck(transaction).problems(index, layout).isEmpty
      {
        try rebuild(index, layout)
      }
    }
    report.left = try StoreCheck(transaction).problems()
  }

  /// Carries out one step, or leaves things as they were before it.
  private mutating func attempt(
    _ sentence: String, _ step: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try connection.run("SAVEPOINT repair")
    do throws(StoreError) {
      try step()
      report.done.append(sentence)
    } catch {
      // The check at the end reports what is still wrong.
      let first = error
      do throws(StoreError) { try connection.run("ROLLBACK TO repair") } catch { throw first }
    }
    try connection.run("RELEASE repair")
  }

  // MARK: Ordered indexes

  private mutating func rebuild(_ index: StoredIndex) throws(StoreError) {
    let connection = connection
    try attempt("rebuilt the index '\(index.name)'") { () throws(StoreError) in
      try connection.run("DROP INDEX IF EXISTS \(SQL.quoted(index.name))")
      try connection.run(index.definition)
    }
  }

  /// Rebuilds the indexes that SQLite complains of; where a complaint names none, all of them.
  private mutating func rebuildDamagedIndexes() throws(StoreError) {
    var waiting = transaction.catalogue.tables.flatMap(\.storedIndexes)
    while !waiting.isEmpty {
      let problems = try StoreCheck(transaction).integrityProblems(atMost: Self.mostComplaints)
      guard !problems.isEmpty else { return }
      let named = waiting.filter { index in problems.contains { $0.hasSuffix(" \(index.name)") } }
      let damaged = named.isEmpty ? waiting : named
      waiting.removeAll { damaged.contains($0) }
      for index in damaged { try rebuild(index) }
    }
  }

  /// Complaints that are read at once; after what they name is rebuilt, SQLite is asked again.
  private static let mostComplaints = 1000

  // MARK: Counters

  private mutating func setCounters(_ layout: TableLayout) throws(StoreError) {
    let counters = try ClassCounters(of: layout, connection)
    let nextKey = max(counters.noted.nextKey, counters.present.nextKey)
    guard counters.noted.rows != counters.present.rows || nextKey != counters.noted.nextKey else {
      return
    }
    let connection = connection
    let name = layout.schema.className
    try attempt("counted the rows of class '\(name)' again") { () throws(StoreError) in
      try connection.run(
        "UPDATE cadastre_class SET row_count = ?, next_key = ? WHERE name = ?",
        .int(counters.present.rows), .int(nextKey), .string(name))
    }
  }

  private mutating func setCounts(
    _ collection: CollectionLayout, _ layout: TableLayout
  ) throws(StoreError) {
    let owners = SQL.quoted(layout.tableName)
    let noted = SQL.quoted(layout.columns[collection.countColumn].name)
    let present =
      "(SELECT count(*) FROM \(SQL.quoted(collection.tableName)) c "
      + "WHERE c.owner = \(owners).\(SQL.quoted(TableLayout.keyName)))"
    let wrong = "WHERE coalesce(\(noted), 0) <> \(present)"
    guard let count = try connection.integer("SELECT count(*) FROM \(owners) \(wrong)"), count > 0
    else { return }
    let connection = connection
    try attempt(
      "counted the elements of \(count) collections '\(collection.ownerClass).\(collection.path)' again"
    ) { () throws(StoreError) in
      try connection.run("UPDATE \(owners) SET \(noted) = \(present) \(wrong)")
    }
  }

  // MARK: Virtual tables

  private mutating func rebuild(
    _ index: TableLayout.SpatialIndex, _ layout: TableLayout
  ) throws(StoreError) {
    let connection = connection
    try rebuild(
      "the spatial index '\(layout.schema.className).\(index.path)'", index.name,
      TableLayout.SpatialIndex.parts
    ) { () throws(StoreError) in
      try layout.create(index, on: connection)
      try SpatialIndexWriter(index, layout, connection).build()
    }
  }

  private mutating func rebuild(
    _ index: TableLayout.TextIndex, _ layout: TableLayout
  ) throws(StoreError) {
    let connection = connection
    try rebuild(
      "the full-text index '\(layout.schema.className).\(index.path)'", index.name,
      TableLayout.TextIndex.parts
    ) { () throws(StoreError) in
      try layout.create(index, on: connection)
      try TextIndexWriter(index, layout, connection).build(layout)
    }
  }

  private mutating func rebuild(
    _ what: String, _ name: String, _ parts: [String], _ build: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let connection = connection
    try attempt("rebuilt \(what)") { () throws(StoreError) in
      try connection.dropVirtualTable(name, parts)
      try build()
    }
  }
}

extension Connection {
  /// Removes a virtual table and the tables behind it, in whatever state they are: one that SQLite cannot
  /// open it cannot drop either.
  fileprivate func dropVirtualTable(_ name: String, _ parts: [String]) throws(StoreError) {
    try withWritableShadowTables { () throws(StoreError) in
      try runUncached("PRAGMA writable_schema = ON")
      let removed = Result { () throws(StoreError) in
        try run("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", .string(name))
      }
      try runUncached("PRAGMA writable_schema = RESET")
      try removed.get()
      for part in parts { try run("DROP TABLE IF EXISTS \(SQL.quoted("\(name)_\(part)"))") }
    }
  }
}
