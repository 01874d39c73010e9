import CadastreModel
import CadastrePredicate
import CadastreStore
import CadastreTestSupport
import Testing
@testable import CadastreQuery

/// Live queries whose reads fail.
@Suite struct FailedReadTests {
  private struct ReadError: Error {}

  /// The newest version of a store; some of its reads fail.
  private final class Context: QueryContext {
    let schema = Boats.schema
    let queryThreads = QueryThreads()
    let generation = Generation()
    private let file: StoreFile
    private var snapshot: Snapshot
    private var recent = RecentChanges()
    /// The number of reads until one fails; negative for none.
    var readsUntilFailure = -1

    init(_ file: StoreFile) throws {
      self.file = file
      snapshot = try file.snapshot()
    }

    func move() throws {
      let next = try file.snapshot()
      let range = try #require(file.changes(after: snapshot.version, through: next.version))
      recent.replace(with: range, after: snapshot.version, through: next.version)
      generation.apply(range)
      snapshot = next
    }

    private func read() throws {
      readsUntilFailure -= 1
      if readsUntilFailure == 0 { throw ReadError() }
    }

    func currentReader() throws -> any StoreReader {
      try read()
      return snapshot
    }

    func committedVersion() throws -> Int64 {
      try read()
      return snapshot.version
    }

    func changes(since cached: UInt64, _ version: Int64) throws -> ChangeRange? {
      try read()
      return recent.range(after: version, through: snapshot.version) {
        file.changes(after: $0, through: $1)
      }
    }
  }

  /// Commits two changes after the result was computed; the first one cannot be read.
  ///
  /// - Parameters:
  ///   - isSorted: Whether the result has an order of its own.
  ///   - failing: The number of the read that fails.
  /// - Returns: False where there are fewer reads.
  /// - Throws: An error of the store.
  private func check(isSorted: Bool, failing: Int) throws -> Bool {
    let file = try TestStore.temporary(holding: Boats.examples)
    let context = try Context(file)
    let root = try Boats.schema.queriedClass("Boat")
    let path = try Boats.schema.resolve(PropertyPath("crew"), from: root)
    let query = BoundQuery("Boat")
    let steps: [LiveQuery.Step] = isSorted ? [.sort([BoundSortKey(path)])] : []
    let live = LiveQuery(query, steps: steps, in: context)
    func keys() -> [Int64] {
      if case .keys(let keys)? = live.content { keys } else { [] }
    }
    func commit(_ body: (WriteTransaction) throws -> Void) throws {
      let transaction = try file.beginWrite()
      try body(transaction)
      try transaction.commit()
      try context.move()
    }
    try live.update()
    let old = keys()
    #expect(old.count == 5)

    try commit { transaction in
      try transaction.delete("Boat", ObjectKey(2))
      try transaction.update("Boat", 4, members: ["crew": .value(.int(-7))])
    }
    context.readsUntilFailure = failing
    do {
      _ = try live.advance()
      return false
    } catch is ReadError {
      #expect(keys() == old)
    }
    context.readsUntilFailure = -1
    try commit { try $0.update("Boat", 1, members: ["crew": .value(.int(1000))]) }

    let difference = try live.advance()
    let expected = LiveQuery(query, steps: steps, in: context)
    guard case .keys(let new) = try expected.update() else { return true }
    #expect(keys() == new)
    var (kept, rest) = (old, new)
    for index in difference.deletions.reversed() { kept.remove(at: index) }
    for index in difference.insertions.reversed() { rest.remove(at: index) }
    #expect(kept == rest, "\(old) \(new) \(difference), read \(failing)")
    #expect(!difference.isEmpty)
    return true
  }

  @Test func `a result that could not be read at first had no elements`() throws {
    let context = try Context(TestStore.temporary(holding: Boats.examples))
    let live = LiveQuery(BoundQuery("Boat"), in: context)
    context.readsUntilFailure = 1
    #expect(throws: ReadError.self) { try live.update() }
    #expect(live.lastIndexes(of: nil).isEmpty)
    context.readsUntilFailure = -1
    #expect(try live.advance() == SequenceDifference(insertions: Array(0..<5)))
    #expect(try live.advance().isEmpty)
  }

  @Test(arguments: [false, true])
  func `the change after a failed read contains the changes before it`(isSorted: Bool) throws {
    var failing = 1
    while try check(isSorted: isSorted, failing: failing) { failing += 1 }
    #expect(failing > 2)
  }
}
