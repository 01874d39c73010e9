import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastreStore

@Suite("Change history")
struct ChangeHistoryTests {
  private let schema = Schema([
    ObjectSchema(
      className: "Thing",
      properties: [
        Property(name: "number", type: .int), Property(name: "name", type: .string),
      ])
  ])

  @Test("consecutive commits are merged", arguments: 1...20)
  func merged(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    let file = try OpenStores.store(at: folder.file("changes.cadastre"))
    try file.prepare(for: schema)
    let start = try file.snapshot()
    var rows: [[Int64: [Value]]] = [[:]]
    var versions = [start.version]
    for _ in 0..<12 {
      let transaction = try file.beginWrite()
      var now = rows[rows.count - 1]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let value = Value.int(.random(in: 0...9, using: &random))
        let key = now.keys.sorted().randomElement(using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0 where key != nil:
          try transaction.delete("Thing", ObjectKey(key ?? 0))
          now[key ?? 0] = nil
        case 1 where key != nil:
          let column = Int.random(in: 0...1, using: &random)
          let next = column == 0 ? value : .string("\(value)")
          try transaction.update("Thing", ObjectKey(key ?? 0), [(column, next)])
          now[key ?? 0]?[column] = next
        default:
          let row: [Value] = [value, .string("new")]
          now[try transaction.insert("Thing", row).rawValue] = row
        }
      }
      if Int.random(in: 0...5, using: &random) == 0 {
        transaction.rollback()
      } else {
        versions.append(try transaction.commit().version)
        rows.append(now)
      }
    }
    for first in versions.indices {
      for last in first..<versions.count {
        let changes = try #require(
          file.changes(after: versions[first], through: versions[last]))
        let merged = changes.classes["Thing"] ?? ClassChanges(inserted: 0..<0)
        let (old, new) = (rows[first], rows[last])
        for (key, row) in old {
          #expect((new[key] == nil) == merged.deleted.contains(key), "seed \(seed)")
          guard let next = new[key] else { continue }
          let differing = row.indices.filter { row[$0] != next[$0] }
          #expect(
            differing.allSatisfy((merged.modified[key] ?? []).contains), "seed \(seed)")
        }
        for key in new.keys where old[key] == nil {
          #expect(merged.inserted.contains(key), "seed \(seed)")
          #expect(!merged.deleted.contains(key), "seed \(seed)")
        }
        for key in merged.modified.keys { #expect(old[key] != nil && new[key] != nil) }
      }
    }
  }

  @Test("a commit of another process leaves a gap")
  func gap() throws {
    let folder = try TestFolder()
    let path = folder.file("changes.cadastre")
    let ours = try OpenStores.store(at: path)
    try ours.prepare(for: schema)
    // A second instance acts as another process: they share only the file.
    let theirs = StoreFile(path: ours.path)
    let start = try ours.snapshot().version
    func commit(_ file: StoreFile) throws -> Int64 {
      let transaction = try file.beginWrite()
      _ = try transaction.insert("Thing", [.int(1), .null])
      return try transaction.commit().version
    }
    let first = try commit(ours)
    let second = try commit(theirs)
    let third = try commit(ours)
    #expect(ours.changes(after: start, through: first) != nil)
    #expect(ours.changes(after: start, through: second) == nil)
    #expect(ours.changes(after: start, through: third) == nil)
    #expect(ours.changes(after: first, through: third) == nil)
    #expect(ours.changes(after: second, through: third) != nil)
    #expect(ours.changes(after: third, through: third)?.classes.isEmpty == true)
  }

  @Test func `the changes of one commit are returned by reference`() throws {
    let history = ChangeHistory()
    let noted = (1...4 as ClosedRange<Int64>).map { history.note(ChangeSet(from: $0 - 1, to: $0)) }
    for range in noted {
      #expect(history.changes(after: range.base, through: range.version) === range)
    }
    let merged = try #require(history.changes(after: 0, through: 4))
    #expect(!noted.contains { $0 === merged })
  }

  @Test func `only the newest commit is withdrawn`() {
    let history = ChangeHistory()
    for version in 1...3 as ClosedRange<Int64> {
      history.note(ChangeSet(from: version - 1, to: version))
    }
    history.withdraw(2)
    #expect(history.newest == 3)
    history.withdraw(3)
    #expect(history.newest == 2)
    #expect(history.changes(after: 2, through: 3) == nil)
    #expect(history.changes(after: 0, through: 3) == nil)
    #expect(history.changes(after: 0, through: 2)?.version == 2)
    // The next commit has the number of the failed one.
    let next = history.note(ChangeSet(from: 2, to: 3))
    #expect(history.changes(after: 2, through: 3) === next)
    #expect(history.changes(after: 1, through: 3)?.base == 1)
  }

  @Test func `several chains may lead to one version`() throws {
    let history = ChangeHistory()
    // Another process has committed 3. Realms at 1 and 2 have compared their snapshots with it, the older one last.
    let first = history.note(ChangeSet(from: 1, to: 2))
    let short = history.note(ChangeSet(from: 2, to: 3))
    let long = history.note(ChangeSet(from: 1, to: 3))
    let last = history.note(ChangeSet(from: 3, to: 4))
    #expect(history.changes(after: 1, through: 3) === long)
    #expect(history.changes(after: 2, through: 3) === short)
    #expect(history.changes(after: 1, through: 2) === first)
    #expect(history.changes(after: 3, through: 4) === last)
    let found = try #require(history.changes(after: 2, through: 4))
    #expect((found.base, found.version) == (2, 4))
    #expect(history.changes(after: 1, through: 4)?.base == 1)
    #expect(history.changes(after: 0, through: 4) == nil)
  }

  @Test func `a commit with too many rows leaves a gap`() {
    let history = ChangeHistory()
    history.note(ChangeSet(from: 0, to: 1))
    var large = ChangeSet(from: 1, to: 2)
    large.classes["Thing"] = ClassChanges(
      inserted: 0..<0, deleted: Set(0...Int64(ChangeHistory.rowCapacity)))
    history.note(large)
    #expect(history.newest == nil)
    #expect(history.changes(after: 1, through: 2) == nil)
    // Such a commit may fail too.
    history.withdraw(2)
    let next = history.note(ChangeSet(from: 2, to: 3))
    #expect(history.changes(after: 2, through: 3) === next)
    #expect(history.changes(after: 1, through: 3) == nil)
  }

  @Test("the history is bounded")
  func bounded() {
    let history = ChangeHistory()
    for version in 1...10_000 {
      let changes = ClassChanges(inserted: 0..<0, deleted: [], modified: [1: [0]])
      var commit = ChangeSet(from: Int64(version - 1), to: Int64(version))
      commit.classes["Thing"] = changes
      history.note(commit)
    }
    #expect(history.changes(after: 1, through: 10_000) == nil)
    #expect(history.changes(after: 9_000, through: 10_000)?.version == 10_000)
    #expect(history.changes(after: 8_000, through: 9_000)?.version == 9_000)
    let oldest = Int64(10_000 - ChangeHistory.capacity)
    #expect(history.changes(after: oldest, through: 10_000)?.base == oldest)
    #expect(history.changes(after: oldest - 1, through: 10_000) == nil)
  }

  // Two Realms of a process moved to another process's commit from different versions, and the shorter change set
  // hid the longer one: observers then reported every element as modified.
  @Test("a chain of change sets is found if there is one", arguments: 1...200)
  func chain(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let history = ChangeHistory()
    var steps: [(base: Int64, version: Int64)] = []
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let base = Int64.random(in: 0...8, using: &random)
      let version = Int64.random(in: base + 1...9, using: &random)
      steps.append((base, version))
      history.note(ChangeSet(from: base, to: version))
    }
    for old in 0...9 as ClosedRange<Int64> {
      // The versions that can be reached, by repeated search.
      var reached: Set = [old]
      for _ in 0...9 {
        for step in steps where reached.contains(step.base) { reached.insert(step.version) }
      }
      for new in old...9 {
        let changes = history.changes(after: old, through: new)
        #expect((changes != nil) == reached.contains(new), "seed \(seed), \(old) to \(new)")
        if let changes { #expect((changes.base, changes.version) == (old, new)) }
      }
    }
  }
}

/// Modified rows, compared with a dictionary.
struct ModifiedRowsTests {
  /// Adds and removes rows; mostly ascending keys, then any.
  @Test(arguments: Seeds.usual(1...40)) func `rows are those of a dictionary`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // More sets of columns than those that share their storage, for some seeds.
    let columnCount = seed.isMultiple(of: 4) ? 9 : 2
    var rows = ModifiedRows()
    var expected: [Int64: Set<Int>] = [:]
    var next: Int64 = 0
    var copies: [(rows: ModifiedRows, expected: [Int64: Set<Int>])] = []
    for _ in 0..<Int.random(in: 0..<400, using: &random) {
      if Int.random(in: 0..<40, using: &random) == 0 { copies.append((rows, expected)) }
      let key: Int64
      switch Int.random(in: 0..<10, using: &random) {
      case 0: key = Int64.random(in: -5...60, using: &random)
      case 1...3: key = next
      default:
        next += Int64.random(in: 1...3, using: &random)
        key = next
      }
      if Int.random(in: 0..<12, using: &random) == 0 {
        rows.remove(key)
        expected[key] = nil
      } else {
        let column = Int.random(in: 0..<columnCount, using: &random)
        rows.insert(column, of: key)
        expected[key, default: []].insert(column)
      }
    }
    #expect(rows.count == expected.count && rows.isEmpty == expected.isEmpty, "seed \(seed)")
    for key in -6...(next + 1) {
      #expect(rows[key].map { Set($0) } == expected[key], "seed \(seed), key \(key)")
    }
    // Changes of a value change none of its copies.
    for (rows, expected) in copies + [(rows, expected)] {
      let listed = Dictionary(rows.map { ($0.key, Set($0.columns)) }) { $1.union([-1]).union($0) }
      #expect(listed == expected && rows.count == expected.count, "seed \(seed)")
    }

    var inAnotherOrder = ModifiedRows()
    for (key, columns) in expected { inAnotherOrder.insert(ColumnSet(columns), of: key) }
    #expect(rows == inAnotherOrder && rows.hashValue == inAnotherOrder.hashValue, "seed \(seed)")
    inAnotherOrder.insert(100, of: 0)
    #expect(rows != inAnotherOrder, "seed \(seed)")
  }

  @Test func `the only row may be changed and removed`() {
    var rows: ModifiedRows = [7: [1]]
    let copy = rows
    rows.insert(2, of: 7)
    #expect(rows == [7: [1, 2]] && rows.count == 1 && rows.keys == [7] && copy == [7: [1]])
    rows.remove(8)
    #expect(rows[7] == [1, 2] && rows[8] == nil)
    rows.remove(7)
    #expect(rows.isEmpty && rows == [:] && rows[7] == nil && rows.keys == [])
    rows.insert(3, of: 5)
    rows.insert(3, of: 4)
    #expect(rows == [4: [3], 5: [3]] && copy == [7: [1]])
  }
}
