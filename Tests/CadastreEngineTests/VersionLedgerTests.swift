import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Testing

@testable import CadastreEngine
@testable import CadastreStore

/// The epochs of a reader, and the validity of rows and results across them.
@Suite struct VersionLedgerTests {
  private let first = ObjectKey(1)
  private let second = ObjectKey(2)

  /// The dependencies of a query that reads a column of boats.
  private func dependencies(column: Int) throws -> QueryDependencies {
    let snapshot = try TestStore.temporary(holding: Boats.examples).snapshot()
    let layout = try #require(snapshot.catalogue.layout("Boat"))
    let root = try Boats.schema.queriedClass("Boat")
    let path = try Boats.schema.resolve(
      PropertyPath(layout.schema.properties[column].name), from: root)
    return QueryDependencies(
      "Boat", .constant(true), [path], in: Boats.schema, snapshot.catalogue)
  }

  @Test func `a row is valid until it is written`() {
    let ledger = VersionLedger()
    let start = ledger.epoch
    ledger.recordUpdate("Boat", first, columns: [0])
    #expect(!ledger.isUnchanged("Boat", first, since: start))
    #expect(ledger.isUnchanged("Boat", first, since: ledger.epoch))
    #expect(ledger.isUnchanged("Boat", second, since: start))
    #expect(ledger.isUnchanged("Harbor", first, since: start))
    ledger.advance()
    #expect(ledger.isUnchanged("Boat", second, since: start))
    ledger.discardAll()
    #expect(!ledger.isUnchanged("Boat", second, since: start))
    #expect(ledger.isUnchanged("Boat", second, since: ledger.epoch))
  }

  @Test func `written rows are stale, however many there are`() {
    let ledger = VersionLedger()
    let before = ledger.epoch
    let count = VersionLedger.maximumWrittenRows + 10
    for key in 1...count { ledger.recordUpdate("A", ObjectKey(Int64(key)), columns: [0]) }
    for key in [1, 2, count / 2, count - 10, count] {
      #expect(!ledger.isUnchanged("A", ObjectKey(Int64(key)), since: before))
    }
    #expect(ledger.isUnchanged("A", ObjectKey(1), since: ledger.epoch))
  }

  @Test func `a result is valid until a class or a column that it depends on is written`() throws {
    let ledger = VersionLedger()
    let dependencies = try dependencies(column: 0)
    let column = try #require(dependencies.columns["Boat"]?.first)
    let start = ledger.epoch
    ledger.recordUpdate("Boat", first, columns: [column + 1])
    ledger.recordInsertion("Harbor")
    #expect(ledger.isUnchanged(dependencies, since: start))
    ledger.recordUpdate("Boat", first, columns: [column])
    #expect(!ledger.isUnchanged(dependencies, since: start))
    #expect(ledger.isUnchanged(dependencies, since: ledger.epoch))
    let later = ledger.epoch
    ledger.recordInsertion("Boat")
    #expect(!ledger.isUnchanged(dependencies, since: later))
  }

  @Test func `the epochs of a rolled-back transaction are remembered, however many there are`() {
    let ledger = VersionLedger()
    var rolledBack: [UInt64] = []
    var kept: [UInt64] = []
    for number in 0..<100 {
      kept.append(ledger.epoch)
      ledger.beginTransaction()
      #expect(ledger.transactionIsUnchanged)
      ledger.recordUpdate("Boat", first, columns: [0])
      #expect(!ledger.transactionIsUnchanged)
      if number % 2 == 0 {
        rolledBack.append(ledger.epoch)
        ledger.rollBackTransaction()
      } else {
        kept.append(ledger.epoch)
      }
    }
    let allAreKnown = rolledBack.allSatisfy(ledger.isRolledBack)
    #expect(allAreKnown)
    // Old ranges are joined, so that epochs between them count as rolled back; recent ones do not.
    let recent = kept.suffix(20).filter(ledger.isRolledBack)
    #expect(recent.isEmpty)
    #expect(!ledger.isRolledBack(1))
  }

  @Test func `a transaction without changes leaves no rolled-back epoch`() {
    let ledger = VersionLedger()
    let start = ledger.epoch
    ledger.beginTransaction()
    ledger.rollBackTransaction()
    #expect(!ledger.isRolledBack(start) && !ledger.isRolledBack(ledger.epoch))
  }

  @Test(arguments: Seeds.usual(1...20))
  func `random writes agree with a log of every write`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let ledger = VersionLedger()
    // The expected history: the epochs in which each row was written, and those in which all were.
    var writes: [[UInt64]] = Array(repeating: [], count: 5)
    var all: [UInt64] = []
    var cached: [(row: Int, epoch: UInt64)] = []
    for _ in 0..<200 {
      switch random.below(5) {
      case 0:
        ledger.discardAll()
        all.append(ledger.epoch)
      case 1: ledger.advance()
      case 2: ledger.recordInsertion("Boat")
      default:
        let row = random.below(5)
        ledger.recordUpdate("Boat", ObjectKey(Int64(row)), columns: [random.below(3)])
        writes[row].append(ledger.epoch)
      }
      cached.append((random.below(5), ledger.epoch))
      for (row, epoch) in cached {
        let isWritten = (writes[row] + all).contains { $0 > epoch }
        #expect(
          ledger.isUnchanged("Boat", ObjectKey(Int64(row)), since: epoch) == !isWritten,
          "seed \(seed), row \(row), epoch \(epoch)")
      }
    }
  }

  /// Rows with numbers as their content, changed in transactions and by the commits of others.
  ///
  /// It expresses the validity of cached rows by the ledger, so that the test speaks of contents only.
  private struct Rows {
    private let ledger = VersionLedger()
    private var committed: [Int] = Array(repeating: 0, count: 6)
    private(set) var contents: [Int] = Array(repeating: 0, count: 6)
    private var isInTransaction = false
    private var last = 0

    /// A row that was read.
    struct Cached {
      let row: Int
      let content: Int
      /// Whether the row was written, or a transaction rolled back, since it was read.
      var mayBeStale = false
      fileprivate let epoch: UInt64
    }

    func read(_ row: Int) -> Cached {
      Cached(row: row, content: contents[row], epoch: ledger.epoch)
    }

    func isValid(_ cached: Cached) -> Bool {
      ledger.isUnchanged("Boat", ObjectKey(Int64(cached.row)), since: cached.epoch)
    }

    /// Makes a random step.
    ///
    /// - Returns: The rows whose cached contents may be stale.
    mutating func step(_ random: inout SeededGenerator) -> [Int] {
      let row = random.below(contents.count)
      last += 1
      switch random.below(6) {
      case 0 where isInTransaction:
        isInTransaction = false
        contents = committed
        ledger.rollBackTransaction()
        return Array(contents.indices)
      case 1 where isInTransaction:
        isInTransaction = false
        committed = contents
      case 2 where !isInTransaction:
        isInTransaction = true
        ledger.beginTransaction()
      case 3 where isInTransaction:
        contents[row] = last
        ledger.recordUpdate("Boat", ObjectKey(Int64(row)), column: 1)
        return [row]
      case 4 where isInTransaction:
        contents[row] = last
        contents[0] = last
        ledger.recordUpdates("Boat", [Int64(row), 0], columns: [1])
        return [row, 0]
      case 5 where !isInTransaction:
        contents[row] = last
        committed = contents
        var changed = ClassChanges(inserted: 0..<0)
        changed.modified.insert([1], of: Int64(row))
        var changes = ChangeSet(from: 1, to: 2)
        changes.classes["Boat"] = changed
        ledger.apply(ChangeRange(changes))
        return [row]
      default: ledger.recordInsertion("Harbor")
      }
      return []
    }
  }

  @Test(arguments: Seeds.usual(1...20))
  func `a valid row has the current content, through commits and rollbacks`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var rows = Rows()
    var cached: [Rows.Cached] = []
    for step in 0..<200 {
      let stale = rows.step(&random)
      for index in cached.indices where stale.contains(cached[index].row) {
        cached[index].mayBeStale = true
      }
      cached.append(rows.read(random.below(6)))
      let wrong = cached.filter { row in
        let isValid = rows.isValid(row)
        let isStale = row.content != rows.contents[row.row]
        return isValid ? isStale : !row.mayBeStale
      }
      #expect(wrong.isEmpty, "seed \(seed), step \(step), now \(rows.contents)")
    }
  }
}
