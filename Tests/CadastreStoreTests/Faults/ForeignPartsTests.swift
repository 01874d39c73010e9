import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Triggers and views that another program left in a store.
@Suite struct ForeignPartsTests {
  private let folder: TestFolder
  private let path: String

  private static let schema = Schema([
    ObjectSchema(
      className: "Thing",
      properties: [
        Property(name: "number", type: .int),
        Property(name: "list", type: .int, collection: .list),
      ])
  ])

  private static let endless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS "

  init() throws {
    folder = try TestFolder()
    path = folder.file("foreign.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Self.schema)
    for number in 0..<4 {
      try add(["number": .int(Int64(number)), "list": .list([.int(1)])], to: "Thing", file)
    }
  }

  /// Changes the file as another program does.
  private func change(_ statements: String...) throws {
    let connection = try Connection.writingForeign(path)
    for statement in statements { try connection.run(statement) }
  }

  private func expectCorrupt(
    _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
      _ = try OpenStores.store(at: path).snapshot()
    }
    guard case .corrupt(let detail)? = error?.reason else {
      Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
    for word in words { #expect(detail.contains(word), sourceLocation: sourceLocation) }
  }

  @Test func `a trigger does not run, and a check names it`() throws {
    try change(
      "CREATE TRIGGER keep BEFORE UPDATE ON Thing BEGIN SELECT RAISE(IGNORE); END",
      "CREATE TRIGGER \"delete\" AFTER INSERT ON Thing BEGIN DELETE FROM Thing; END")
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    try transaction.update("Thing", ObjectKey(1), [(0, .int(77))])
    try transaction.commit()
    try add(["number": .int(5)], to: "Thing", file)

    let snapshot = try file.snapshot()
    #expect(try snapshot.connection.integer("SELECT number FROM Thing WHERE \"#key\" = 1") == 77)
    #expect(try snapshot.connection.integer("SELECT count(*) FROM Thing") == 5)
    #expect(try StoreCheck(snapshot).problems() == [])
    #expect(
      try StoreCheck(snapshot).foreignParts() == [
        "the trigger 'delete' on 'Thing' is of another program, and does not run",
        "the trigger 'keep' on 'Thing' is of another program, and does not run",
      ])
  }

  @Test func `a check names a view, which does not run`() throws {
    try change("CREATE VIEW theirs AS \(Self.endless) x FROM n")
    let snapshot = try OpenStores.store(at: path).snapshot()

    #expect(
      try StoreCheck(snapshot).foreignParts() == [
        "the view 'theirs' is of another program, and is ignored"
      ])
    #expect(throws: StoreError.self) {
      try snapshot.connection.integer("SELECT count(*) FROM theirs")
    }
  }

  // The view had no end: each command took all memory.
  @Test(arguments: ["cadastre_state", "cadastre_class", "cadastre_property"])
  func `a view in place of a catalogue table is detected`(table: String) throws {
    try change(
      "ALTER TABLE \(table) RENAME TO elsewhere",
      "CREATE VIEW \(table) AS \(Self.endless) commit_version, 0 AS catalogue_version, "
        + "0 AS schema_version, 'Thing' AS name, 'Thing' AS table_name, 0 AS is_embedded FROM n")
    expectCorrupt(table, "view")
  }

  @Test(arguments: ["Thing", "Thing.list"])
  func `a view or virtual table in place of a class's table is detected`(table: String) throws {
    let name = SQL.quoted(table)
    try change(
      "ALTER TABLE \(name) RENAME TO elsewhere",
      "CREATE VIEW \(name) AS SELECT * FROM elsewhere")
    expectCorrupt(table, "view")
    try change("DROP VIEW \(name)", "CREATE VIRTUAL TABLE \(name) USING rtree(id, low, high)")
    expectCorrupt(table, "virtual")
    try change("DROP TABLE \(name)")
    expectCorrupt(table, "missing")
  }

  @Test func `a class cannot name a view as its table`() throws {
    try change(
      "CREATE VIEW theirs AS SELECT * FROM Thing",
      "UPDATE cadastre_class SET table_name = 'theirs'")
    expectCorrupt("theirs", "view")
  }

  @Test func `every connection to a store checks cells and maps no memory`() throws {
    let file = try OpenStores.store(at: path)
    let connections = [try file.snapshot().connection, try file.beginWrite().connection]
    for connection in connections {
      #expect(try connection.integer("PRAGMA cell_size_check") == 1)
      // SQLite gives no row where it has no memory maps.
      #expect(try connection.integer("PRAGMA mmap_size") ?? 0 == 0)
      #expect(try connection.integer("PRAGMA trusted_schema") == 0)
    }
  }
}
