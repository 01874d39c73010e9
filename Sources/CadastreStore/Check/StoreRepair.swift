import CadastreModel
package import CadastreSQLite

/// A repair of the data that a store can derive from its rows: indexes, counters and stored segments of columns.
///
/// No object is added, removed or changed.
package struct StoreRepair {
  /// The result of a repair.
  package struct Report: Hashable, Sendable {
    /// The rebuilt parts, one sentence each.
    package internal(set) var done: [String] = []
    /// The remaining problems, one sentence each.
    package internal(set) var left: [String] = []
  }

  private let transaction: FlushedTransaction
  private var connection: Connection { transaction.connection }
  private var report = Report()

  init(_ transaction: FlushedTransaction) { self.transaction = transaction }

  /// Repairs a store in one transaction: a repair that fails or is killed changes nothing.
  ///
  /// - Parameter file: The store.
  /// - Returns: The rebuilt parts and the remaining problems.
  /// - Throws: ``StoreError`` when the store cannot be read or written at all.
  /// - Complexity: O(n log n) in the size of the store.
  package static func run(_ file: StoreFile) throws(StoreError) -> Report {
    let transaction = try file.beginWrite()
    do throws(StoreError) {
      var repair = StoreRepair(try transaction.flush(.everything))
      try repair.run()
      if !repair.report.done.isEmpty { try transaction.commitRebuilt() }
      transaction.rollback()
      return repair.report
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Rebuilds damaged indexes and counters.
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
      if let segments = SegmentCheck(layout, transaction), (try? segments.problems()) != [] {
        try attempt("removed the stored columns of class '\(layout.schema.className)'") {
          () throws(StoreError) in try segments.removeSegments()
        }
      }
    }
    report.left = try StoreCheck(transaction).problems()
  }

  /// Runs one step, and rolls it back where it fails.
  private mutating func attempt(
    _ sentence: String, _ step: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try connection.run("SAVEPOINT repair")
    do throws(StoreError) {
      try step()
      report.done.append(sentence)
    } catch {
      // The check at the end reports the remaining problems.
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

  /// Rebuilds the indexes that the integrity check reports, or all indexes where a report names none.
  private mutating func rebuildDamagedIndexes() throws(StoreError) {
    var remaining = transaction.catalogue.tables.flatMap(\.storedIndexes)
    while !remaining.isEmpty {
      let problems = try StoreCheck(transaction).integrityProblems(atMost: Self.maximumProblems)
      guard !problems.isEmpty else { return }
      let named = remaining.filter { index in problems.contains { $0.hasSuffix(" \(index.name)") } }
      let damaged = named.isEmpty ? remaining : named
      remaining.removeAll { damaged.contains($0) }
      for index in damaged { try rebuild(index) }
    }
  }

  /// The maximum number of problems per check; the check runs again after the named indexes were rebuilt.
  private static let maximumProblems = 1000

  // MARK: Counters

  private mutating func setCounters(_ layout: TableLayout) throws(StoreError) {
    let counters = try ClassCounters(of: layout, connection)
    let nextKey = max(counters.stored.nextKey, counters.actual.nextKey)
    guard counters.stored.rows != counters.actual.rows || nextKey != counters.stored.nextKey else {
      return
    }
    let connection = connection
    let name = layout.schema.className
    try attempt("recounted the rows of class '\(name)'") { () throws(StoreError) in
      try connection.run(
        "UPDATE cadastre_class SET row_count = ?, next_key = ? WHERE name = ?",
        .int(counters.actual.rows), .int(nextKey), .string(name))
    }
  }

  private mutating func setCounts(
    _ collection: CollectionLayout, _ layout: TableLayout
  ) throws(StoreError) {
    let owners = SQL.quoted(layout.tableName)
    let stored = SQL.quoted(layout.columns[collection.countColumn].name)
    let actual =
      "(SELECT count(*) FROM \(SQL.quoted(collection.tableName)) c "
      + "WHERE c.owner = \(owners).\(SQL.quoted(TableLayout.keyName)))"
    let wrong = "WHERE coalesce(\(stored), 0) <> \(actual)"
    guard let count = try connection.integer("SELECT count(*) FROM \(owners) \(wrong)"), count > 0
    else { return }
    let connection = connection
    try attempt(
      "recounted the elements of \(count) collections '\(collection.ownerClass).\(collection.path)'"
    ) { () throws(StoreError) in
      try connection.run("UPDATE \(owners) SET \(stored) = \(actual) \(wrong)")
    }
  }

  // MARK: Virtual tables

  private mutating func rebuild(
    _ index: TableLayout.SpatialIndex, _ layout: TableLayout
  ) throws(StoreError) {
    let connection = connection
    try rebuild(
      "the spatial index '\(layout.schema.className).\(index.path)'", index.name,
      TableLayout.SpatialIndex.shadowSuffixes
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
      TableLayout.TextIndex.shadowSuffixes
    ) { () throws(StoreError) in
      try layout.create(index, on: connection)
      try TextIndexWriter(index, layout, connection).build(layout)
    }
  }

  private mutating func rebuild(
    _ description: String, _ name: String, _ suffixes: [String],
    _ build: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let connection = connection
    try attempt("rebuilt \(description)") { () throws(StoreError) in
      try connection.dropVirtualTable(name, suffixes)
      try build()
    }
  }
}

extension Connection {
  /// Removes a virtual table and its shadow tables; SQLite cannot drop a damaged virtual table itself.
  fileprivate func dropVirtualTable(_ name: String, _ suffixes: [String]) throws(StoreError) {
    try withWritableShadowTables { () throws(StoreError) in
      try runUncached("PRAGMA writable_schema = ON")
      let removed = Result { () throws(StoreError) in
        try run("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", .string(name))
      }
      try runUncached("PRAGMA writable_schema = RESET")
      try removed.get()
      for suffix in suffixes {
        try run("DROP TABLE IF EXISTS \(SQL.quoted("\(name)_\(suffix)"))")
      }
    }
  }
}
