import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Property: a text that is prepared and planned once has, with all arguments and in all readers, the result of
/// the same query without any cache, of a scan, and of the reference evaluator.
@Suite struct CachedPlanTests {
  /// The columns that are cached in memory before the queries of a shape.
  enum Residency: CaseIterable {
    case none, half, all

    private static let columns = [
      "id", "crew", "seats", "length", "draft", "name", "note", "active", "built", "key", "uid",
      "blob",
    ]

    /// Fills the cache of a store again.
    func fill(_ file: StoreFile, _ schema: Schema) throws {
      let budget = ColumnCache.defaultBudget
      file.columns.budget = 0
      guard self != .none else { return }
      file.columns.budget = budget
      let session = QuerySession(try file.snapshot(), schema: schema, options: .withoutIndexes)
      for name in self == .half ? Self.columns.prefix(6) : Self.columns[...] {
        let path = Operand.property(PropertyPath(name))
        let query = try ObjectQuery("Ship", where: .comparison(Comparison(path, .equal, path)))
          .bound(to: schema)
        _ = try session.keys(query)
      }
    }
  }

  @Test(arguments: Seeds.usual(201...202))
  func `many arguments in one plan agree with literals in every reader`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let schema = CachedPlanRows.schema()
    var objects = CachedPlanRows.objects(schema, ports: 8, ships: 40, &random)
    let file = try TestStore.temporary(holding: objects)
    let older = CachedPlanChecks.Source(
      name: "an older version", reader: try file.snapshot(), objects: objects)
    let first = try file.beginWrite()
    try Self.change(first, &objects, &random)
    try first.commit()
    let current = CachedPlanChecks.Source(
      name: "the current version", reader: try file.snapshot(), objects: objects)
    let transaction = try file.beginWrite()
    try Self.change(transaction, &objects, &random)
    let writing = CachedPlanChecks.Source(
      name: "a write transaction", reader: try transaction.flush(.indexes), objects: objects)

    var checks = CachedPlanChecks(seed: seed, schema)
    for number in 0..<10 {
      let shape = CachedPlanShape(isOrdered: true, &random)
      let prepared = try PreparedPredicate(parsing: shape.text)
      try Residency.allCases[number % 3].fill(file, schema)
      for _ in 0..<8 {
        let arguments = shape.arguments(from: objects, &random)
        for source in [older, current, writing] {
          try checks.check(shape, prepared, arguments, in: source)
        }
      }
    }
    try transaction.commit()

    Self.expectVariety(of: checks)
  }

  @Test(arguments: Seeds.usual(203...203))
  func `a plan stays right while the table grows`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let schema = CachedPlanRows.schema()
    var objects = CachedPlanRows.objects(schema, ports: 8, ships: 10, &random)
    let file = try TestStore.temporary(holding: objects)
    let frozen = CachedPlanChecks.Source(
      name: "the first version", reader: try file.snapshot(), objects: objects)
    let shapes = (0..<6).map { _ in CachedPlanShape(isOrdered: false, &random) }
    let prepared = try shapes.map { try PreparedPredicate(parsing: $0.text) }
    var checks = CachedPlanChecks(seed: seed, schema)
    // The longest table takes minutes.
    let sizes = Seeds.rounds >= 10 && seed == 203 ? [10, 1000, 100_000] : [10, 1000]
    for size in sizes {
      try Self.grow(file, &objects, to: size, &random)
      let current = CachedPlanChecks.Source(
        name: "\(size) rows", reader: try file.snapshot(), objects: objects,
        sampleSize: size > 10 ? 100 : nil)
      for (shape, prepared) in zip(shapes, prepared) {
        for _ in 0..<6 {
          let arguments = shape.arguments(from: objects, &random)
          try checks.check(shape, prepared, arguments, in: current)
          try checks.check(shape, prepared, arguments, in: frozen)
        }
      }
    }

    Self.expectVariety(of: checks)
    if sizes.count > 2, checks.agrees { #expect(checks.parallel > 0, "seed \(seed)") }
  }

  @Test(arguments: Seeds.usual(204...204))
  func `threads share plans`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let schema = CachedPlanRows.schema()
    let objects = CachedPlanRows.objects(schema, ports: 8, ships: 40, &random)
    let file = try TestStore.temporary(holding: objects)
    let shapes = (0..<5).map { _ in CachedPlanShape(isOrdered: true, &random) }
    let prepared = try shapes.map { try PreparedPredicate(parsing: $0.text) }
    // The sequence lets the arguments of several threads alternate in each template.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask { [random] in
          var random = random
          for _ in 0..<thread { _ = random.next() }
          let source = CachedPlanChecks.Source(
            name: "thread \(thread)", reader: try file.snapshot(), objects: objects)
          var checks = CachedPlanChecks(seed: seed, schema)
          for _ in 0..<6 {
            for (shape, prepared) in zip(shapes, prepared) {
              try checks.check(
                shape, prepared, shape.arguments(from: objects, &random), in: source)
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Expects results and errors of all kinds.
  private static func expectVariety(of checks: CachedPlanChecks) {
    guard checks.agrees else { return }
    let text = """
      seed \(checks.seed): \(checks.answered) queries, \(checks.selective) of them selective, \
      \(checks.reused) with a reused plan, and \(checks.refused) refused
      """
    #expect(checks.answered > 50 && checks.refused > 0 && checks.selective > 10, "\(text)")
    #expect(checks.reused > 20, "\(text)")
  }

  /// Adds, changes and deletes ships.
  private static func change(
    _ transaction: WriteTransaction, _ objects: inout PlainObjects, _ random: inout SeededGenerator
  ) throws {
    for number in 0..<6 {
      let id = 1_000_000 + Int(transaction.version) * 100 + number
      let ship = CachedPlanRows.ship(id, ports: 8, &random)
      let key = try transaction.insert("Ship", object: ship)
      #expect(objects.insert("Ship", ship) == key.rawValue)
    }
    for _ in 0..<6 {
      let key = random.pick(objects.keys("Ship"))
      var changes = CachedPlanRows.ship(0, ports: 8, &random)
      for name in ["id", "marks", "visits"] { changes[name] = nil }
      for name in changes.keys.sorted() where random.oneIn(2) { changes[name] = nil }
      try transaction.update("Ship", key, members: changes)
      objects.update("Ship", key, changes)
    }
    for _ in 0..<3 {
      let key = random.pick(objects.keys("Ship"))
      try transaction.delete("Ship", ObjectKey(key))
      objects.delete("Ship", key)
    }
  }

  /// Adds ships up to a number.
  private static func grow(
    _ file: StoreFile, _ objects: inout PlainObjects, to size: Int,
    _ random: inout SeededGenerator
  ) throws {
    let transaction = try file.beginWrite()
    for number in objects.keys("Ship").count..<size {
      let ship = CachedPlanRows.ship(number, ports: 8, &random)
      try transaction.insert("Ship", object: ship)
      objects.insert("Ship", ship)
    }
    try transaction.commit()
  }
}
