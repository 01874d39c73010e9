import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

@Suite struct TransactionTests {
  private let file: StoreFile

  init() throws { file = try TestStore.temporary(Boats.schema) }

  private func harbor(_ code: String, _ point: Member = .value(.null)) -> PlainObject {
    ["code": .text(code), "name": .text(code), "depth": .double(1), "site": point]
  }

  /// The keys between two longitudes, by SQLite's own search of the spatial index.
  private func keys(
    _ reader: any StoreReader, _ west: Double, _ east: Double
  ) throws -> [Int64] {
    let statement = try reader.connection.statement(
      "SELECT \"key\" FROM \"rtree_Harbor.site\" WHERE max_longitude >= ? AND min_longitude <= ? "
        + "ORDER BY 1")
    try statement.bind(.double(west), at: 1)
    try statement.bind(.double(east), at: 2)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }

  @Test func `a snapshot does not see later commits`() throws {
    let before = try file.snapshot()
    try add(harbor("A", Boats.point(1, 1)), to: "Harbor", file)
    let after = try file.snapshot()

    #expect(try before.rowCount("Harbor") == 0)
    #expect(try before.object("Harbor", 1) == nil)
    #expect(try keys(before, 0, 2).isEmpty)
    #expect(try after.rowCount("Harbor") == 1)
    #expect(try keys(after, 0, 2) == [1])
    #expect(after.version == before.version + 1)
  }

  @Test func `a transaction sees its own changes and snapshots do not`() throws {
    let transaction = try file.beginWrite()
    let key = try transaction.insert("Harbor", object: harbor("A", Boats.point(1, 1)))
    let outside = try file.snapshot()

    #expect(try keys(transaction.flush(.indexes), 0, 2) == [1])
    #expect(try transaction.key("Harbor", primaryKey: .string("A")) == key)
    #expect(try transaction.rowCount("Harbor") == 1)
    #expect(try outside.rowCount("Harbor") == 0)
    try transaction.update("Harbor", 1, members: ["site": Boats.point(50, 1)])
    #expect(try keys(transaction.flush(.indexes), 0, 2).isEmpty)
    #expect(try keys(transaction.flush(.indexes), 49, 51) == [1])
    try transaction.commit()
    #expect(try keys(file.snapshot(), 49, 51) == [1])
    #expect(try keys(outside, 49, 51).isEmpty)
  }

  private func boat(_ id: Int) -> PlainObject {
    ["id": .value(.int(Int64(id))), "name": .text("boat \(id % 7)"), "crew": .value(.int(3))]
  }

  /// The names of the indexes of a class in the file.
  private func indexNames(_ className: String, _ reader: any StoreReader) throws -> Set<String> {
    let statement = try reader.connection.statement(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?")
    try statement.bind(.string(className), at: 1)
    var names: Set<String> = []
    while try statement.step() { names.insert(statement.text(0)) }
    return names
  }

  @Test(arguments: ["commit", "change of classes", "rollback"])
  func `suspended indexes are built before others see the transaction`(end: String) throws {
    let indexes = try indexNames("Boat", file.snapshot())
    #expect(indexes.count > 1)
    let transaction = try file.beginWrite()
    try transaction.suspendIndexes(of: "Boat")
    try transaction.suspendIndexes(of: "Boat")
    #expect(try indexNames("Boat", transaction.flush(.indexes)).isStrictSubset(of: indexes))
    for number in 0..<300 {
      try transaction.insert("Boat", object: boat(number))
    }
    if end == "change of classes" {
      try transaction.adopt(
        Schema([
          ObjectSchema(
            className: "Buoy", properties: [Property(name: "code", type: .int, isIndexed: true)])
        ]))
      #expect(try indexNames("Boat", transaction.flush(.indexes)) == indexes)
    }
    if end == "rollback" { transaction.rollback() } else { try transaction.commit() }

    let snapshot = try file.snapshot()
    #expect(try indexNames("Boat", snapshot) == indexes)
    #expect(try snapshot.rowCount("Boat") == (end == "rollback" ? 0 : 300))
    #expect(try StoreCheck(snapshot).problems() == [])
  }

  @Test func `indexes of a class with objects are not suspended`() throws {
    try add(boat(1), to: "Boat", file)
    let transaction = try file.beginWrite()
    try transaction.suspendIndexes(of: "Boat")
    #expect(
      try indexNames("Boat", transaction.flush(.indexes)) == indexNames("Boat", file.snapshot()))
    transaction.rollback()
  }

  @Test func `a rollback leaves no trace`() throws {
    try add(harbor("A", Boats.point(1, 1)), to: "Harbor", file)
    let before = try file.snapshot()
    let transaction = try file.beginWrite()
    for number in 0..<3000 {
      try transaction.insert("Harbor", object: harbor("B\(number)", Boats.point(2, 2)))
    }
    try transaction.delete("Harbor", ObjectKey(1))
    #expect(try keys(transaction.flush(.indexes), 0, 1.5).isEmpty)
    transaction.rollback()
    let after = try file.snapshot()

    #expect(after.version == before.version)
    #expect(try after.rowCount("Harbor") == 1)
    #expect(try keys(after, 0, 3) == [1])
    #expect(try after.spatialProblems() == [])
    #expect(try add(harbor("C"), to: "Harbor", file) == ObjectKey(2))
  }

  @Test func `a released transaction is rolled back and the next one can begin`() throws {
    do { _ = try file.beginWrite().insert("Harbor", object: harbor("A")) }

    #expect(try file.snapshot().rowCount("Harbor") == 0)
    try add(harbor("A"), to: "Harbor", file)
  }

  @Test func `an empty commit does not change the version`() throws {
    let before = try file.snapshot().version
    let changes = try file.beginWrite().commit()

    #expect(changes.version == before && changes.classes.isEmpty)
    #expect(try file.snapshot().version == before)
  }

  @Test func `a duplicate primary key is refused and the transaction continues`() throws {
    let transaction = try file.beginWrite()
    try transaction.insert("Harbor", object: harbor("A", Boats.point(1, 1)))
    let error = #expect(throws: StoreError.self) {
      try transaction.insert("Harbor", object: harbor("A", Boats.point(2, 2)))
    }
    let other = try transaction.insert("Harbor", object: harbor("B", Boats.point(3, 3)))
    let update = #expect(throws: StoreError.self) {
      try transaction.update("Harbor", other.rawValue, members: ["code": .text("A")])
    }
    try transaction.commit()
    let snapshot = try file.snapshot()

    #expect(error?.reason == .duplicateKey(className: "Harbor", property: "code"))
    #expect(
      error?.description == "an object of type 'Harbor' with this primary key 'code' exists already"
    )
    #expect(update?.reason == error?.reason)
    #expect(try snapshot.rowCount("Harbor") == 2)
    #expect(try keys(snapshot, 0, 5) == [1, other.rawValue])
    #expect(try snapshot.spatialProblems() == [])
  }

  @Test func `null is a primary key like any other`() throws {
    let schema = Schema([
      ObjectSchema(
        className: "Note",
        properties: [Property(name: "id", type: .string, isOptional: true, isPrimaryKey: true)])
    ])
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    try transaction.insert("Note", object: [:])
    let error = #expect(throws: StoreError.self) { try transaction.insert("Note", object: [:]) }
    try transaction.insert("Note", object: ["id": .text("")])
    let update = #expect(throws: StoreError.self) {
      try transaction.update("Note", ObjectKey(2), [(0, .null)])
    }
    try transaction.update("Note", ObjectKey(1), [(0, .null)])
    try transaction.commit()

    #expect(error?.reason == .duplicateKey(className: "Note", property: "id"))
    #expect(update?.reason == error?.reason)
    #expect(try file.snapshot().rowCount("Note") == 2)
    #expect(try file.snapshot().key("Note", primaryKey: .null) == ObjectKey(1))
  }

  @Test func `deleting an object nulls the links to it`() throws {
    let transaction = try file.beginWrite()
    try transaction.insert(Boats.examples)
    try transaction.commit()
    let deletion = try file.beginWrite()
    try deletion.delete("Harbor", ObjectKey(1))
    try deletion.delete("Boat", ObjectKey(5))
    #expect(try !deletion.delete("Boat", ObjectKey(5)))
    let changes = try deletion.commit()
    let snapshot = try file.snapshot()

    #expect(try snapshot.object("Boat", 1)?["berth"] == nil)
    #expect(try snapshot.object("Boat", 2)?["berth"] == .link(ObjectKey(2)))
    #expect(try snapshot.rowCount("Harbor") == 2)
    #expect(try snapshot.rowCount("Boat") == 4)
    #expect(changes.classes["Harbor"]?.deleted == [1])
    #expect(changes.classes["Boat"]?.deleted == [5])
    #expect(changes.classes["Boat"]?.modified.keys.sorted() == [1, 4])
  }

  @Test func `keys are never reused`() throws {
    let folder = try TestFolder()
    let path = folder.file("keys.cadastre")
    for round in 0..<3 {
      let file = try OpenStores.store(at: path)
      try file.prepare(for: Boats.schema)
      let transaction = try file.beginWrite()
      let key = try transaction.insert("Harbor", object: harbor("A"))
      #expect(key.rawValue == Int64(round) + 1)
      try transaction.commit()
      let deletion = try file.beginWrite()
      if round == 1 { try deletion.deleteAll() } else { try deletion.delete("Harbor", key) }
      try deletion.commit()
    }
  }

  @Test func `a change set contains inserted, changed and deleted objects`() throws {
    try add(harbor("A"), to: "Harbor", file)
    try add(harbor("B"), to: "Harbor", file)
    let transaction = try file.beginWrite()
    let layout = try transaction.layout("Harbor")
    let new = try transaction.insert("Harbor", object: harbor("C"))
    try transaction.update("Harbor", new.rawValue, members: ["name": .text("c")])
    try transaction.update("Harbor", 1, members: ["name": .text("a")])
    try transaction.update("Harbor", 99, members: ["name": .text("?")])
    try transaction.delete("Harbor", ObjectKey(2))
    let changes = try transaction.commit()
    let harbors = try #require(changes.classes["Harbor"])
    let name = try #require(layout.schema["name"].flatMap { layout.column(of: $0) })

    #expect(harbors.inserted == 3..<4)
    #expect(harbors.modified == [1: [name]])
    #expect(harbors.deleted == [2])
    #expect(changes.classes.names == ["Harbor"] && !changes.changesSchema)
  }

  @Test func `readers and a writer work concurrently`() async throws {
    let file = file
    let rounds = 60
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<rounds {
          let transaction = try file.beginWrite()
          for part in 0..<5 {
            try transaction.insert(
              "Harbor",
              object: [
                "code": .text("\(round)-\(part)"), "site": Boats.point(Double(round), Double(part)),
              ])
          }
          try transaction.commit()
        }
      }
      for _ in 0..<3 {
        group.addTask {
          var last: Int64 = 0
          while last < rounds * 5 {
            let snapshot = try file.snapshot()
            let count = try snapshot.rowCount("Harbor")
            let counted = try snapshot.connection.integer("SELECT count(*) FROM Harbor")
            // Commits are atomic, and versions ascend.
            #expect(count.isMultiple(of: 5) && counted == Int64(count) && Int64(count) >= last)
            last = Int64(count)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try file.snapshot().spatialProblems() == [])
  }

  @Test func `concurrent writers are serialized`() async throws {
    let file = file
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for round in 0..<10 {
            let transaction = try file.beginWrite()
            try transaction.insert("Harbor", object: ["code": .text("\(writer)-\(round)")])
            if round.isMultiple(of: 3) { transaction.rollback() } else { try transaction.commit() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try file.snapshot().rowCount("Harbor") == 24)
  }
}

@Suite struct KilledWriterTests {
  @Test func `a killed writer leaves no trace of an uncommitted transaction`() async throws {
    let folder = try TestFolder()
    let path = folder.file("killed.cadastre")

    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let file = try OpenStores.store(at: path)
      try file.prepare(for: Boats.schema)
      try add(["code": .text("kept"), "site": Boats.point(1, 1)], to: "Harbor", file)
      let transaction = try file.beginWrite()
      for number in 0..<5000 {
        try transaction.insert(
          "Harbor", object: ["code": .text("\(number)"), "site": Boats.point(2, 2)])
      }
      _ = try transaction.flush(.indexes)
      kill(getpid(), SIGKILL)
    }

    let file = try OpenStores.store(at: path)
    #expect(try file.snapshot().rowCount("Harbor") == 1)
    #expect(try file.snapshot().object("Harbor", 1)?["code"] == .text("kept"))
    #expect(try file.snapshot().spatialProblems() == [])
    #expect(try add(["code": .text("next")], to: "Harbor", file) == ObjectKey(2))
  }
}
