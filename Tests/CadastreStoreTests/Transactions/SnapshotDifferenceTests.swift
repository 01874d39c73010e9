import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// The difference of two snapshots, compared with the changes of the commits between them.
@Suite struct SnapshotDifferenceTests {
  private let file: StoreFile

  init() throws { file = try TestStore.temporary(Boats.schema) }

  private func commit(_ body: (WriteTransaction) throws -> Void) throws {
    let transaction = try file.beginWrite()
    try body(transaction)
    try transaction.commit()
  }

  private func addHarbors(_ codes: ClosedRange<Int>) throws {
    try commit { transaction in
      for code in codes { try transaction.insert("Harbor", object: ["code": .text("\(code)")]) }
    }
  }

  @Test func `rows that were inserted and deleted in between are deleted`() throws {
    try addHarbors(1...2)
    let old = try file.snapshot()
    try addHarbors(3...7)
    try commit { transaction in
      for key in [1, 4, 6] { try transaction.delete("Harbor", ObjectKey(Int64(key))) }
    }
    let new = try file.snapshot()
    let changes = try SnapshotDifference(from: old, to: new).changes().classes["Harbor"]
    #expect(changes?.inserted == 3..<8)
    #expect(changes?.deleted == [1, 4, 6])
    let committed = file.changes(after: old.version, through: new.version)?.classes["Harbor"]
    #expect(committed?.inserted == changes?.inserted && committed?.deleted == changes?.deleted)
  }

  @Test func `rows between two differences were deleted`() throws {
    let history = ChangeHistory()
    for (version, keys) in [(1, 12..<14), (2, 15..<16), (3, 200_000..<200_001)]
      as [(Int64, Range<Int64>)]
    {
      var changes = ChangeSet(from: version - 1, to: version)
      changes.classes["Harbor"] = ClassChanges(inserted: keys)
      history.note(changes)
    }
    let two = history.changes(after: 0, through: 2)
    #expect(two?.classes["Harbor"]?.inserted == 12..<16)
    #expect(two?.classes["Harbor"]?.deleted == [14])
    #expect(two?.changesSchema == false)
    // Too many to record them: everything is read again.
    #expect(history.changes(after: 0, through: 3)?.changesSchema == true)
  }

  @Test func `very many of them are a change of everything`() throws {
    try addHarbors(1...1)
    let old = try file.snapshot()
    try addHarbors(2...3)
    try commit { transaction in
      let key = SQL.quoted(TableLayout.keyName)
      let table = try SQL.quoted(transaction.layout("Harbor").tableName)
      try transaction.connection.run("UPDATE \(table) SET \(key) = 1000000000 WHERE \(key) = 3")
      try transaction.update("Harbor", 2, members: ["code": .text("changed")])
    }
    #expect(try SnapshotDifference(from: old, to: file.snapshot()).changes().changesSchema)
  }
}
