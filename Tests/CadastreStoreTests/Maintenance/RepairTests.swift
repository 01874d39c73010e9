import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// What a repair rebuilds, and what it does not change.
@Suite struct RepairTests {
  private let folder: TestFolder
  private let path: String

  private static let schema = Schema(
    Boats.schema.objectSchema + [
      ObjectSchema(
        className: "Log",
        properties: [
          Property(name: "id", type: .int, isPrimaryKey: true),
          Property(name: "text", type: .string, isFullTextIndexed: true),
          Property(name: "mark", type: .string, isIndexed: true),
          Property(name: "harbor", type: .object, isOptional: true, objectClassName: "Harbor"),
          Property(name: "numbers", type: .int, collection: .list),
          Property(name: "names", type: .string, collection: .set),
        ])
    ])

  init() throws {
    folder = try TestFolder()
    path = folder.file("broken.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Self.schema)
    let transaction = try file.beginWrite()
    for number in 0..<300 {
      let harbor = try transaction.insert(
        "Harbor",
        object: [
          "code": .text("\(number)"), "site": Boats.point(Double(number % 90), Double(number % 45)),
        ])
      let log = try transaction.insert(
        "Log",
        object: [
          "id": .int(Int64(number)), "text": .text("entry \(number)"), "mark": .text("m\(number)"),
          "harbor": .link(harbor),
        ])
      try transaction.insert(
        [.int(1), .int(2)], at: 0, into: try transaction.collection("Log", "numbers"), of: log)
      for name in ["a", "b"] {
        _ = try transaction.insert(
          .string(name), into: try transaction.collection("Log", "names"), of: log)
      }
    }
    try transaction.commit()
  }

  private func problems() throws -> [String] {
    try StoreCheck(OpenStores.store(at: path).snapshot()).problems()
  }

  private func repair() throws -> StoreRepair.Report {
    try StoreRepair.run(OpenStores.store(at: path))
  }

  /// Changes the file without the store.
  private func damage(_ statements: String...) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.withWritableShadowTables { () throws(StoreError) in
      try connection.runUncached("PRAGMA writable_schema = ON")
      for statement in statements { try connection.run(statement) }
      try connection.runUncached("PRAGMA writable_schema = RESET")
    }
  }

  /// All rows of all tables except indexes, as text.
  private func rows() throws -> [String] {
    let snapshot = try OpenStores.store(at: path).snapshot()
    let connection = snapshot.connection
    var names: [String] = []
    let tables = try connection.statement(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'rtree_%' "
        + "AND name NOT LIKE 'fts_%' AND name NOT LIKE 'cadastre_state' ORDER BY name")
    while try tables.step() { names.append(tables.text(0)) }
    var rows: [String] = []
    for name in names {
      let statement = try connection.statement("SELECT * FROM \(SQL.quoted(name))")
      while try statement.step() {
        let values = (0..<statement.columnCount).map { statement.text($0) }
        rows.append("\(name) \(values)")
      }
    }
    return rows
  }

  /// Expects that damage is found and repaired, and that only indexes change.
  private func expectRepaired(_ done: [String], after statements: String...) throws {
    for statement in statements { try damage(statement) }
    let before = try rows()
    #expect(try !problems().isEmpty, "\(statements)")
    let report = try repair()
    #expect(report == StoreRepair.Report(done: done, left: []), "\(report)")
    #expect(try problems() == [])
    #expect(try rows() == before)
    #expect(try repair() == StoreRepair.Report())
  }

  @Test func `an intact store is not changed`() throws {
    let version = try OpenStores.store(at: path).snapshot().version
    #expect(try repair() == StoreRepair.Report())
    #expect(try OpenStores.store(at: path).snapshot().version == version)
  }

  @Test func `ordered indexes that are missing or have another definition`() throws {
    for name in ["index_Log.mark", "index_Log.harbor", "index_Log.id", "index_Log.names.owner"] {
      try expectRepaired(["rebuilt the index '\(name)'"], after: "DROP INDEX \"\(name)\"")
    }
    try expectRepaired(
      ["rebuilt the index 'index_Log.mark'"],
      after: "DROP INDEX \"index_Log.mark\"", "CREATE INDEX \"index_Log.mark\" ON Log(id)")
  }

  @Test func `an ordered index that lacks rows`() throws {
    // While a row changes, SQLite's schema has another definition of the index.
    try expectRepaired(
      ["rebuilt the index 'index_Log.mark'"],
      after: """
        UPDATE sqlite_schema SET sql = 'CREATE INDEX "index_Log.mark" ON Log(mark, "#key", id) WHERE "#key" > 100'
          WHERE name = 'index_Log.mark'
        """,
      "UPDATE Log SET mark = mark || 'x' WHERE \"#key\" < 100",
      """
      UPDATE sqlite_schema SET sql = 'CREATE INDEX "index_Log.mark" ON "Log"("mark", "#key", "id")'
        WHERE name = 'index_Log.mark'
      """)
  }

  @Test func `a spatial index in any state`() throws {
    let name = "rtree_Harbor.site"
    let done = ["rebuilt the spatial index 'Harbor.site'"]
    for statement in [
      "DELETE FROM \"\(name)\" WHERE \"key\" % 3 = 0",
      "DELETE FROM \"\(name)_node\"", "UPDATE \"\(name)_node\" SET data = x'00'",
      "DROP TABLE \"\(name)_node\"", "DROP TABLE \"\(name)\"", "DELETE FROM \"\(name)_parent\"",
      "DELETE FROM sqlite_schema WHERE name = '\(name)'",
    ] { try expectRepaired(done, after: statement) }
  }

  @Test func `a full-text index in any state`() throws {
    let name = "fts_Log.text"
    let done = ["rebuilt the full-text index 'Log.text'"]
    for statement in [
      "INSERT INTO \"\(name)\"(\"\(name)\") VALUES ('delete-all')", "DROP TABLE \"\(name)\"",
      "DELETE FROM \"\(name)_data\"", "DROP TABLE \"\(name)_idx\"",
      "DELETE FROM \"\(name)_docsize\" WHERE id = 7",
    ] { try expectRepaired(done, after: statement) }
  }

  @Test func `counters are recounted`() throws {
    func expect(_ done: String, after statement: String, _ check: String) throws {
      try damage(statement)
      #expect(try !problems().isEmpty)
      #expect(try repair() == StoreRepair.Report(done: [done], left: []))
      let connection = try OpenStores.store(at: path).snapshot().connection
      #expect(try connection.integer(check) == 1)
    }
    try expect(
      "recounted the rows of class 'Log'",
      after: "UPDATE cadastre_class SET row_count = 7, next_key = 2 WHERE name = 'Log'",
      "SELECT row_count = 300 AND next_key = 301 FROM cadastre_class WHERE name = 'Log'")
    try expect(
      "recounted the elements of 1 collections 'Log.numbers'",
      after: "UPDATE Log SET numbers = 9 WHERE \"#key\" = 4",
      "SELECT numbers = 2 FROM Log WHERE \"#key\" = 4")
    // New objects get keys that were never used.
    #expect(try add(["id": .int(1000)], to: "Log", OpenStores.store(at: path)) == ObjectKey(301))
  }

  @Test func `problems that cannot be repaired are reported and not changed`() throws {
    try damage(
      "UPDATE Log SET harbor = 999 WHERE \"#key\" = 3",
      "UPDATE Harbor SET \"site.longitude\" = 200 WHERE \"#key\" = 5",
      "DROP INDEX \"index_Log.mark\"", "UPDATE Log SET mark = 'same'",
      "DROP INDEX \"index_Log.id\"", "UPDATE Log SET id = 7 WHERE \"#key\" < 3")
    let before = try rows()
    let report = try repair()

    #expect(report.done.contains("rebuilt the index 'index_Log.mark'"))
    #expect(!report.done.contains("rebuilt the index 'index_Log.id'"))
    for sentence in [
      "1 links 'Log.harbor' refer to missing objects",
      "1 points 'Harbor.site' have an invalid longitude or latitude",
      "the index 'index_Log.id' is missing or has another definition",
    ] { #expect(report.left.contains(sentence), "\(report.left)") }
    #expect(try rows() == before)
    #expect(try problems() == report.left)
  }

  @Test func `invalid coordinates are found`() throws {
    let columns = ["longitude", "latitude", "odd"].map { "\"site.\($0)\"" }
    for damage in [
      "\(columns[0]) = NULL", "\(columns[1]) = 90.5", "\(columns[0]) = 'east'",
      "\(columns[1]) = x'00'", "\(columns[0]) = 9e999",
    ] {
      try self.damage("UPDATE Harbor SET \(damage) WHERE \"#key\" = 9")
      let sentence = "1 points 'Harbor.site' have an invalid longitude or latitude"
      #expect(try problems().contains(sentence), "\(damage)")
      try self.damage("UPDATE Harbor SET \(columns[0]) = 8, \(columns[1]) = 8 WHERE \"#key\" = 9")
      #expect(try problems() == [], "\(damage)")
    }
    for odd in ["nonsense", #"{"coordinates":[1,2],"type":"point"}"#] {
      try damage("UPDATE Harbor SET \(columns[2]) = '\(odd)' WHERE \"#key\" = 9")
      let sentence =
        "1 points 'Harbor.site' have members in column 'odd' that are invalid or contradict the other columns"
      #expect(try problems() == [sentence])
    }
  }

  @Test func `a killed repair changes nothing`() async throws {
    try damage("DROP INDEX \"index_Log.mark\"", "DELETE FROM \"rtree_Harbor.site_node\"")
    let before = try problems()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let transaction = try OpenStores.store(at: path).beginWrite()
      var repair = StoreRepair(try transaction.flush(.indexes))
      try repair.run()
      kill(getpid(), SIGKILL)
    }
    #expect(try problems() == before)
  }

  @Test func `open readers see what was rebuilt`() throws {
    let file = try OpenStores.store(at: path)
    let old = try file.snapshot()
    try damage("UPDATE Log SET numbers = 9 WHERE \"#key\" = 4")
    _ = try repair()
    let new = try file.snapshot()

    #expect(new.version == old.version + 1)
    #expect(file.changes(after: old.version, through: new.version)?.changesSchema == true)
    #expect(try new.elementCount(new.collection("Log", "numbers"), 4) == 2)
  }
}
