import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
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

  @Test(arguments: [1000, LargeValue.limit, LargeValue.comparisonLimit], Seeds.usual(1...3))
  func `changes of large values are those of the rows`(valueLimit: Int32, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(Documents.schema)
    let layout = try file.snapshot().layout(Documents.className)
    var versions: [(snapshot: Snapshot, rows: [Int64: [Value]])] = []
    var rows: [Int64: [Value]] = [:]
    for round in 0..<6 {
      let transaction = try file.beginWrite()
      for step in 0..<20 {
        let keys = rows.keys.sorted()
        if rows.isEmpty || random.oneIn(4) {
          let row = try Documents.row(Int64(round * 100 + step), &random)
          rows[try transaction.insert(Documents.className, row).rawValue] = row
        } else if random.oneIn(8) {
          let key = random.pick(keys)
          try transaction.delete(Documents.className, ObjectKey(key))
          rows[key] = nil
        } else {
          let key = random.pick(keys)
          let column = 1 + random.below(6)
          let value = try variant(of: rows[key]?[column] ?? .null, column, &random)
          rows[key]?[column] = value
          try transaction.update(Documents.className, ObjectKey(key), [(column, value)])
        }
      }
      try transaction.commit()
      versions.append((try file.snapshot(), rows))
      let old = random.pick(versions)
      let changes =
        try SnapshotDifference(
          from: old.snapshot, to: versions[round].snapshot, valueLimit: valueLimit
        )
        .changes().classes[Documents.className] ?? ClassChanges(inserted: 0..<0)
      for (key, row) in rows {
        guard let before = old.rows[key] else {
          #expect(changes.inserted.contains(key), "seed \(seed), round \(round), row \(key)")
          continue
        }
        let changed = layout.columns.indices.filter { before[$0] != row[$0] }
        #expect(
          changes.modified[key] ?? [] == ColumnSet(changed),
          "seed \(seed), round \(round), row \(key)")
      }
      for key in old.rows.keys where rows[key] == nil {
        #expect(changes.deleted.contains(key), "seed \(seed), round \(round), row \(key)")
      }
    }
  }

  /// Returns another value of a column: one with the same size but for a byte, with the same bytes and another type,
  /// or any.
  private func variant(
    of value: Value, _ column: Int, _ random: inout SeededGenerator
  ) throws -> Value {
    switch value {
    case .data(var data) where !data.isEmpty && random.oneIn(2):
      data[random.below(data.count)] ^= 1
      return .data(data)
    case .string(let text) where !text.isEmpty && random.oneIn(2):
      var bytes = Array(text.utf8)
      bytes[random.below(bytes.count)] = UInt8(ascii: "c")
      return .string(String(decoding: bytes, as: UTF8.self))
    case .string(let text) where column == Documents.any && random.oneIn(2):
      return .data(Data(text.utf8))
    default: return try Documents.value(column, &random)
    }
  }

  @Test func `a large value that differs in one byte is modified`() throws {
    let file = try TestStore.temporary(Documents.schema)
    var content = Data(repeating: 7, count: 1_000_000)
    let insertion = try file.beginWrite()
    for id in 0..<3 as Range<Int64> {
      _ = try insertion.insert(
        Documents.className,
        [.int(id), .null, .data(content), .null, .int(id), .null, .string("body")])
    }
    try insertion.commit()
    for offset in [0, 3999, 4096, 262_143, 262_144, 500_000, 999_999] {
      let old = try file.snapshot()
      content[offset] ^= 1
      let transaction = try file.beginWrite()
      try transaction.update(
        Documents.className, ObjectKey(2), [(Documents.content, .data(content))])
      try transaction.commit()
      let changes = try SnapshotDifference(from: old, to: file.snapshot()).changes()
      #expect(
        changes.classes[Documents.className]?.modified == [2: [Documents.content]], "\(offset)")
    }
  }
}
