import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Dispatch
import Synchronization
import Testing

/// Property: a plan with an operator has the result of the reference evaluator.
@Suite struct OperatorTests {
  /// The budget for cached columns of stores of their own: the usual one, a tiny one, and none.
  private static let budgets = [ColumnCache.defaultBudget, 4000, 0]

  private static let objects = OperatorRows.objects(plots: 150, seed: 401)
  private static let stores = Result {
    try budgets.map { try OperatorRows.store(holding: objects, budget: $0) }
  }

  private static func report(_ problems: [String]) {
    for problem in problems { Issue.record("\(problem)") }
  }

  @Test(arguments: OperatorCase.all)
  func `pages agree with the reference evaluator, with each cache`(operation: OperatorCase) throws {
    let expected = try operation.expected(Self.objects)
    for (number, file) in try Self.stores.get().enumerated() {
      for threads in [1, 2] {
        let isFirst = number == 0 && threads == 1
        let pages = isFirst ? Page.all(of: expected.keys.count) : Page.few(of: expected.keys.count)
        Self.report(
          try operation.problems(file.snapshot(), expected, pages, threads: threads))
      }
    }
  }

  @Test(arguments: OperatorCase.all)
  func `two threads at once, each with a snapshot, share the caches`(operation: OperatorCase) throws
  {
    let file = try Self.stores.get()[1]
    let expected = try operation.expected(Self.objects)
    let pages = Page.few(of: expected.keys.count)
    let problems = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      let found = Result { try operation.problems(file.snapshot(), expected, pages) }
      problems.withLock { all in
        switch found {
        case .success(let problems): all += problems
        case .failure(let error): all.append("\(error)")
        }
      }
    }
    Self.report(problems.withLock { $0 })
  }

  private static let smallStores = Result {
    try [(0, 0), (1, 1)].map { plots, keepers in
      let objects = OperatorRows.objects(plots: plots, keepers: keepers, seed: 402)
      return (objects, try OperatorRows.store(holding: objects))
    }
  }

  @Test(arguments: OperatorCase.all)
  func `an empty table and one row`(operation: OperatorCase) throws {
    for (objects, file) in try Self.smallStores.get() {
      let expected = try operation.expected(objects)
      Self.report(
        try operation.problems(
          file.snapshot(), expected, Page.all(of: expected.keys.count), isSmall: true))
    }
  }

  @Test(arguments: OperatorCase.all)
  func `a transaction sees its changes, and a frozen snapshot never does`(
    operation: OperatorCase
  ) throws {
    let objects = OperatorRows.objects(plots: 60, seed: 403)
    var changed = objects
    let file = try OperatorRows.store(holding: objects)
    let frozen = try file.snapshot()
    let before = try operation.expected(objects)
    let pages = Page.few(of: before.keys.count)
    Self.report(try operation.problems(frozen, before, pages))

    let transaction = try file.beginWrite()
    try OperatorRows.change(transaction, &changed, seed: 404)
    let after = try operation.expected(changed)
    let reader = try transaction.flush(.indexes)
    for threads in [1, 2] {
      Self.report(try operation.problems(reader, after, pages, threads: threads))
    }
    Self.report(try operation.problems(frozen, before, pages, threads: 2))
    try transaction.commit()

    Self.report(try operation.problems(frozen, before, pages, threads: 2))
    Self.report(try operation.problems(file.snapshot(), after, pages))
  }

  @Test func `every kind of access path has a case`() {
    let steps = OperatorCase.all.flatMap(\.steps)
    for kind in AccessPath.Kind.allCases {
      #expect(steps.contains { $0.hasPrefix(kind.rawValue) }, "\(kind)")
    }
  }
}
