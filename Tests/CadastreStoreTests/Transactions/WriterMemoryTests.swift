import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// A write transaction takes over what the one before knew, where nothing else has changed the store.
@Suite struct WriterMemoryTests {
  private let folder: TestFolder
  private let file: StoreFile

  init() throws {
    folder = try TestFolder()
    file = try OpenStores.store(at: folder.file("memory.cadastre"))
    try file.prepare(for: Boats.schema)
  }

  private static func harbor(_ code: String) -> PlainObject {
    ["code": .text(code), "name": .text(code), "depth": .double(1), "site": Boats.point(1, 1)]
  }

  /// Adds a harbor in a transaction.
  ///
  /// - Returns: Its key and the changes.
  private func addHarbor(
    _ code: String, _ file: StoreFile
  ) throws -> (key: Int64, changes: ChangeSet) {
    let transaction = try file.beginWrite()
    let key = try transaction.insert("Harbor", object: Self.harbor(code))
    return (key.rawValue, try transaction.commit())
  }

  @Test func `each commit has its own changes and reads no counters`() throws {
    _ = try addHarbor("A", file)
    for number in 2...5 {
      let transaction = try file.beginWrite()
      let connection = try transaction.connection
      let before = connection.statementsRun
      try transaction.insert("Harbor", object: Self.harbor("B\(number)"))
      // The insertion; its spatial entry is pending.
      #expect(connection.statementsRun - before == 1)
      let changes = try transaction.commit()
      #expect(changes.classes["Harbor"]?.inserted == Int64(number)..<Int64(number + 1))
      #expect(changes.classes["Harbor"]?.modified.isEmpty == true)
      #expect(changes.base == changes.version - 1)
    }
    let other = try file.beginWrite()
    try other.insert(
      "Boat", object: ["id": .value(.int(1)), "name": .text("b"), "crew": .value(.int(1))])
    #expect(try other.commit().classes.names == ["Boat"])
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `commits of another process are seen`() throws {
    let other = StoreFile(path: file.path)
    var version = try addHarbor("start", file).changes.version
    for number in 1...6 {
      let (key, changes) = try addHarbor("\(number)", number % 3 == 0 ? file : other)
      #expect(key == Int64(number) + 1)
      #expect(changes.version == version + 1)
      version = changes.version
      #expect(try file.snapshot().rowCount("Harbor") == number + 1)
    }
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `a rolled-back transaction leaves nothing`() throws {
    _ = try addHarbor("A", file)
    let transaction = try file.beginWrite()
    try transaction.insert("Harbor", object: Self.harbor("B"))
    try transaction.insert("Harbor", object: Self.harbor("C"))
    transaction.rollback()
    let unused = try file.beginWrite()
    unused.rollback()

    let (key, changes) = try addHarbor("D", file)
    #expect(key == 2)
    #expect(changes.classes["Harbor"]?.inserted == 2..<3)
    #expect(try file.snapshot().rowCount("Harbor") == 2)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `queries in a transaction do not see changes of the one before as its own`() throws {
    _ = try addHarbor("A", file)
    let changing = try file.beginWrite()
    try changing.update("Harbor", 1, members: ["name": .text("changed")])
    #expect(try changing.flush(.rows).columnSource("Harbor")?.uncommitted?.isEmpty == false)
    try changing.commit()

    let next = try file.beginWrite()
    #expect(try next.flush(.rows).columnSource("Harbor")?.uncommitted == nil)
    #expect(next.changes.classes.isEmpty)
    try next.update("Harbor", 1, members: ["depth": .double(7)])
    let depth = try #require(
      try next.layout("Harbor").schema["depth"].flatMap {
        try next.layout("Harbor").column(of: $0)
      })
    #expect(try next.commit().classes["Harbor"]?.modified == [1: [depth]])
  }

  @Test func `a changed catalogue is read again`() throws {
    _ = try addHarbor("A", file)
    let removal = try file.beginWrite()
    try removal.deleteAll()
    try removal.removeClass("Boat")
    try removal.removeClass("Harbor")
    try removal.commit()
    let addition = try file.beginWrite()
    try addition.adopt(Boats.schema)
    #expect(try addition.insert("Harbor", object: Self.harbor("B")).rawValue == 1)
    try addition.commit()

    #expect(try addHarbor("C", file).key == 2)
    #expect(try file.snapshot().rowCount("Harbor") == 2)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `a compacted store continues with its counters`() throws {
    _ = try addHarbor("A", file)
    try file.compact()
    let (key, changes) = try addHarbor("B", file)
    #expect(key == 2)
    #expect(try file.snapshot().version == changes.version)
  }

  @Test(arguments: ["before the store is opened", "between two transactions"])
  func `the counters of the store may be in any row`(time: String) throws {
    if time == "between two transactions" { _ = try addHarbor("A", file) }
    let connection = try Connection(path: file.path, mode: .readWrite)
    try connection.run("UPDATE cadastre_state SET rowid = 42")
    for code in ["B", "C"] {
      let before = try file.snapshot().version
      #expect(try addHarbor(code, file).changes.version == before + 1)
      #expect(try file.snapshot().version == before + 1)
    }
  }
}
