import CadastreModel
import CadastrePredicate
import CadastreQuery
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
    let plain = ["a", "A", "b", "é", "É", "×", "÷", "K", "@", "`"]
    // Capitals beyond Latin-1: of two scripts, and those whose small letter takes fewer or more bytes.
    let letters =
      seed % 2 == 0
      ? plain
      : plain + [
        "Ж", "ж", "Č", "č", "Ÿ", "ÿ", "\u{212A}", "k", "Ⱥ", "ⱥ", "𐐀", "𐐨", "ſ", "s", "S", "µ", "μ",
        "Μ", "ς", "σ",
      ]
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
          ? parts.contains { ReferenceRules.holds(words[index], .equal, $0) }
          : ReferenceRules.holds(words[index], operation, parts[0], options)
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

  @Test func `case folds for every letter, with and without diacritics`() throws {
    // Pairs of texts that differ in case only; none of them has a mark that the small form lacks.
    let pairs = [
      ("ПАРКОВА", "паркова"), ("Čapek", "čapek"), ("ŁÓDŹ", "łódź"), ("Ÿ", "ÿ"),
      ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"), ("5 µm", "5 ΜM"), ("ſ", "S"), ("ϐ", "Β"),
      ("ԵՐԵՎԱՆ", "երեվան"), ("\u{212A}", "k"), ("ẞ", "ß"), ("𐐀", "𐐨"), ("ǅ", "ǆ"), ("Ⱥ", "ⱥ"),
      ("ÆRØ", "ærø"),
    ]
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for (capital, small) in pairs {
      _ = try transaction.insert("Word", [.string(capital), .null])
      _ = try transaction.insert("Word", [.string(small), .null])
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let root = try #require(Self.schema["Word"])
    func keys(_ text: String) throws -> [Int64] {
      let predicate = try QueryPredicate(parsing: text).bound(to: Self.schema, root: root)
      let plan = Planner(StoreCatalog(snapshot)).plan(BoundQuery("Word", where: predicate))
      return try Executor(snapshot).keys(plan).keys
    }
    for (number, (capital, small)) in pairs.enumerated() {
      let both = [Int64(2 * number + 1), Int64(2 * number + 2)]
      for text in [capital, small] {
        for options in ["c", "cd"] {
          for operation in options == "c" ? ["==", "LIKE"] : ["=="] {
            #expect(
              try keys("text \(operation)[\(options)] '\(text)'") == both,
              "\(operation)[\(options)] \(text)")
          }
          for operation in ["CONTAINS", "BEGINSWITH", "ENDSWITH"] {
            let found = try keys("text \(operation)[\(options)] '\(text)'")
            #expect(Set(found).isSuperset(of: both), "\(operation)[\(options)] \(text)")
          }
        }
      }
    }
    // Case and diacritics are distinct: a letter with a mark is not the letter without.
    #expect(try keys("text ==[c] 'CAPEK'").isEmpty)
    #expect(try keys("text ==[cd] 'CAPEK'") == [3, 4])
    // The capital İ folds to a small i, one letter to one.
    #expect(StringFolding.folded("İ", .caseInsensitive) == Array("i".utf8))
  }

  @Test func `letters are equal without case as Python's casefold says`() {
    // The classes of equal letters up to U+1FFFF in Python 3.11, with Unicode 14: of `str.casefold`, of `str.lower`
    // where that gives more than one scalar, and of i for U+0130. The sum is over c * (least of its class + 3).
    var classes: [UInt32: [UInt32]] = [:]
    for (letter, folded) in StringFolding.letters where (letter.properties.age?.major ?? 99) <= 14 {
      classes[folded.value, default: [folded.value]].append(letter.value)
    }
    #expect(classes.count == 1424)
    #expect(classes.values.reduce(0) { $0 + $1.count } == 2879)
    let sum = classes.values.reduce(into: UInt32(0)) { sum, members in
      for member in members { sum &+= member &* ((members.min() ?? 0) &+ 3) }
    }
    #expect(sum == 2025510210)
  }
}
