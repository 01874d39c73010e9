import CadastreExecutor
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore
import CadastreTestSupport
import Testing

/// Tests of text that look at a whole column agree with tests of one value.
@Suite struct TextFilterTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Word",
      properties: [
        Property(name: "text", type: .string, isOptional: true),
        Property(name: "bytes", type: .data, isOptional: true),
      ])
  ])

  @Test(arguments: Seeds.usual(1...6))
  func `parts of text are found wherever they stand`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // Few letters, so that parts begin in one value and end in the next.
    let letters = ["a", "A", "b", "é", "É", "×", "÷", "K", "@", "`"]
    func text(_ most: Int) -> String {
      (0..<random.below(most + 1)).map { _ in random.pick(letters) }.joined()
    }
    var words: [Value] = []
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for _ in 0..<5000 {
      words.append(random.oneIn(9) ? .null : .string(text(random.pick([0, 3, 12, 30]))))
      _ = try transaction.insert("Word", [words[words.count - 1], .null])
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let root = try #require(Self.schema["Word"])
    let operations: [ComparisonOperator] = [
      .contains, .beginsWith, .endsWith, .equal, .notEqual, .isIn,
    ]
    for _ in 0..<60 {
      let operation = random.pick(operations)
      let options: StringOptions = operation == .isIn ? [] : random.pick([[], .caseInsensitive])
      let parts = (0..<(operation == .isIn ? 3 : 1)).map { _ in Value.string(text(4)) }
      let right: Operand = operation == .isIn ? .list(parts) : .value(parts[0])
      let comparison = Comparison(
        .property(PropertyPath(["text"])), operation, right, options: options)
      let predicate = try QueryPredicate.comparison(comparison)
        .bound(to: Self.schema, root: root)
      let expected = words.indices.filter { index in
        operation == .isIn
          ? parts.contains { words[index].matches(.equal, $0) }
          : words[index].matches(operation, parts[0], options: options)
      }
      let plan = Planner(StoreCatalog(snapshot)).plan(BoundQuery("Word", where: predicate))
      let found = try Executor(snapshot).keys(plan).keys
      #expect(found == expected.map { Int64($0 + 1) }, "seed \(seed): \(predicate)")
      // The same of a few rows only, which are searched one by one.
      let some = words.indices.filter { _ in random.oneIn(20) }
      let matching = try Executor(snapshot).matching(
        some.map { Int64($0 + 1) }, of: "Word", predicate)
      #expect(
        matching == some.filter(Set(expected).contains).map { Int64($0 + 1) },
        "seed \(seed): \(predicate)")
    }
  }
}
