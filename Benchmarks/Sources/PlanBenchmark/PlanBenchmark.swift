import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import Foundation

/// Counts the instructions of generated queries by each plan that the planner can offer; started by `Benchmarks/plans`.
///
///     PlanBenchmark create FILE OBJECTS
///     PlanBenchmark count FILE SEED CASES processor|callgrind|clock
///
/// Each plan of a case runs once as a warm-up, except where a run would change what is in memory, and once counted. The program prints a line for each counted run.
@main struct PlanBenchmark {
  let file: StoreFile
  let snapshot: Snapshot
  let counter: Counter
  private var residency: Residency

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let words = Array(arguments.dropFirst(2))
    switch (arguments.first, words.count) {
    case ("create", 1):
      let file = try OpenStores.store(at: arguments[2])
      try file.prepare(for: Items.schema)
      try Items.add(Int(words[0]) ?? 0, to: file)
    case ("count", 3):
      guard let counter = Counter(words[2]), let seed = UInt64(words[0]), let count = Int(words[1])
      else {
        print("there is no such counter, or a program may not read it")
        exit(2)
      }
      let file = try OpenStores.store(at: arguments[2])
      var benchmark = try PlanBenchmark(file, counter)
      try benchmark.run(seed: seed, cases: count)
    default: print("usage: PlanBenchmark create FILE OBJECTS | count FILE SEED CASES COUNTER")
    }
  }

  init(_ file: StoreFile, _ counter: Counter) throws {
    self.file = file
    self.counter = counter
    snapshot = try file.snapshot()
    residency = try Residency(of: file, snapshot)
  }

  private mutating func run(seed: UInt64, cases: Int) throws {
    let count = try snapshot.rowCount(Items.className)
    var generator = CaseGenerator(seed: seed, count: count)
    let queries = try generator.cases(cases).map { ($0.description, try $0.bound()) }
    for kind in Residency.Kind.allCases {
      for (number, (text, query)) in queries.enumerated() where residency.applies(kind, to: query) {
        try run(query, kind) { role, plan, count in
          let count = count.map { "\($0)" } ?? ""
          print("\(number)\t\(kind.rawValue)\t\(role)\t\(count)\t\(plan)\t\(text)")
        }
      }
    }
  }

  // MARK: Plans

  /// The plan that is chosen for a query, and all others.
  ///
  /// Each cost model makes the planner offer combinations of indexes that it would not offer with another one.
  private func plans(_ query: BoundQuery) -> (chosen: Plan, others: [Plan]) {
    var options = Planner.Options()
    options.cachesPlans = false
    let chosen = Planner(StoreCatalog(snapshot, for: query), options: options).plan(query)
    options.comparesAll = true
    var seen: Set<Work> = [Work(chosen)]
    var others: [Plan] = []
    for (scan, read) in [(1.0, 1.0), (1e6, 1), (1, 1e6), (1e6, 1e6)] {
      var costs = CostModel()
      costs.scanStep *= scan
      costs.keyScanStep *= scan
      costs.memoryStep *= scan
      costs.rowRead *= read
      costs.memoryRead *= read
      options.costs = costs
      let plan = Planner(StoreCatalog(snapshot, for: query), options: options).plan(query)
      for plan in [plan] + plan.alternatives where seen.insert(Work(plan)).inserted {
        others.append(plan)
      }
    }
    return (chosen, others)
  }

  /// What distinguishes two plans of a query.
  private struct Work: Hashable {
    let access: AccessPath
    let output: OutputAccess

    init(_ plan: Plan) {
      access = plan.access
      output = plan.output
    }
  }

  /// Counts the instructions of the planner, and of each plan of a query.
  private mutating func run(
    _ query: BoundQuery, _ kind: Residency.Kind, _ report: (String, String, Int64?) -> Void
  ) throws {
    try residency.establish(kind, for: query)
    let (chosen, others) = plans(query)
    var options = Planner.Options()
    options.cachesPlans = false
    let planning = try counter.count {
      sink &+= Int64(
        Planner(StoreCatalog(snapshot, for: query), options: options).plan(query).filters.count)
    }
    report("planning", "", planning)
    // The states before have prepared the statements, and a run would change this one.
    let warmsUp = kind != .tested
    let result = warmsUp ? try result(of: chosen) : nil
    for (role, plan) in [("chosen", chosen)] + others.map({ ("other", $0) }) {
      guard try !warmsUp || self.result(of: plan) == result else {
        print(
          "The plans of a query have different results:\n\(Self.line(chosen))\n\(Self.line(plan))")
        exit(2)
      }
      try residency.establish(kind, for: query)
      report(role, Self.line(plan), try counter.count { sink &+= try self.result(of: plan).sum })
    }
  }

  /// The number and a sum of the rows of a result, in their order.
  private struct RowSum: Equatable {
    var count = 0
    var sum: Int64 = 0

    mutating func add(_ key: Int64) {
      count += 1
      sum = sum &* 31 &+ key
    }
  }

  /// Runs a plan on one thread.
  private func result(of plan: Plan) throws -> RowSum {
    let executor = Executor(snapshot, threads: QueryThreads(maximum: 1))
    var result = RowSum()
    switch plan.query.output {
    case .count: result.count = try executor.count(plan).count
    case .keys: for key in try executor.keys(plan).keys { result.add(key) }
    case .columns:
      _ = try executor.forEachBatch(plan) { batch, _, rows in
        for row in rows { result.add(batch.key(row)) }
      }
    }
    return result
  }

  /// The plan in one line, with its parts and its output.
  private static func line(_ plan: Plan) -> String {
    let lines = PlanText(plan).text(.estimates).split(separator: "\n")
    return lines.map { $0.drop { "├└─│ ".contains($0) } }.joined(separator: " < ")
  }
}
