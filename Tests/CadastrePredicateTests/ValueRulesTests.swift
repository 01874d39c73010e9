import CadastreGeometry
import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastrePredicate

/// The rules for values, compared with the same rules written from the documentation.
@Suite struct ValueRulesTests {
  private static let types: [PropertyType] = [
    .int, .bool, .string, .data, .date, .float, .double, .any, .objectId, .decimal128, .UUID,
    .geometry,
  ]
  private static let numbers: [PropertyType] = [.int, .float, .double, .decimal128]
  private static let options: [StringOptions] = [
    [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
  ]

  /// Returns two values, which often are of one type or numbers.
  private func pair(_ random: inout SeededGenerator) -> (Value, Value) {
    func value(_ types: [PropertyType]) -> Value {
      random.oneIn(14) ? .null : random.value(random.pick(types))
    }
    let types = random.pick([Self.types, Self.numbers, [random.pick(Self.types)]])
    return (value(types), value(types))
  }

  @Test(arguments: Seeds.usual(91...94))
  func `comparisons agree with the rules of the language`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let operations = ComparisonOperator.allCases.filter {
      ![.isIn, .between, .matches, .text].contains($0)
    }
    for _ in 0..<4000 {
      let (first, second) = pair(&random)
      let options = random.oneIn(3) ? random.pick(Self.options) : []
      let (areStored, areMixed) = (random.oneIn(2), random.oneIn(2))
      for operation in operations {
        let found = first.matches(
          operation, second, options: options, isNaNEqualToItself: areStored,
          isNullOrdered: !areMixed)
        let expected = ReferenceRules.holds(
          first, operation, second, options, areStored: areStored, areMixed: areMixed)
        guard found != expected else { continue }
        Issue.record("seed \(seed): \(first) \(operation)\(options.suffix) \(second): \(found)")
        return
      }
    }
  }

  @Test(arguments: Seeds.usual(95...97))
  func `order, equality and keys of values agree with the rules`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4000 {
      let (first, second) = pair(&random)
      let order = ReferenceRules.totalOrder(first, second)
      let isEqual = ReferenceRules.areEqual(first, second, areStored: true)
      #expect(isEqual == (order == 0), "seed \(seed): \(first), \(second)")
      #expect(first.ordering(second).rawValue == order, "seed \(seed): \(first), \(second)")
      #expect(first.isSame(as: second) == isEqual, "seed \(seed): \(first), \(second)")
      #expect(
        (ValueKey(first) == ValueKey(second)) == isEqual, "seed \(seed): \(first), \(second)")
      if isEqual {
        #expect(
          ValueKey(first).hashValue == ValueKey(second).hashValue,
          "seed \(seed): \(first), \(second)")
      }
    }
  }

  @Test(arguments: Seeds.usual(98...100))
  func `calculations and aggregates agree with the rules`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func isSame(_ one: Value, _ other: Value) -> Bool {
      one.type == other.type && ReferenceRules.areEqual(one, other, areStored: true)
    }
    for _ in 0..<3000 {
      let (first, second) = pair(&random)
      for operation in ArithmeticOperation.allCases {
        let found = operation.result(first, second)
        let expected = ReferenceRules.result(first, operation, second)
        #expect(
          isSame(found, expected),
          "seed \(seed): \(first) \(operation.rawValue) \(second) is \(expected), not \(found)")
      }
      let types = random.pick([Self.types, Self.numbers, [.int], [.double], [.decimal128]])
      let elements = (0..<random.below(5)).map { _ in
        random.oneIn(6) ? Value.null : random.value(random.pick(types))
      }
      for operation in AggregateOperation.allCases {
        let isDecimal = types == [.decimal128]
        let found = operation.result(elements, isDecimal: isDecimal)
        let expected = ReferenceRules.aggregate(operation, elements, isDecimal: isDecimal)
        #expect(
          ReferenceRules.areEqual(found, expected, areStored: true),
          "seed \(seed): \(operation.rawValue) of \(elements) is \(expected), not \(found)")
      }
    }
  }

  @Test func `quantifiers hold of as many values as they say`() {
    for values in [[], [1], [2], [1, 2], [2, 1], [1, 1], [2, 2]] {
      for quantifier in Quantifier.allCases {
        #expect(
          quantifier.holds(values) { $0 == 1 }
            == ReferenceEvaluator.holds(quantifier, values) { $0 == 1 },
          "\(quantifier.rawValue) \(values)")
      }
    }
  }

  @Test func `letters fold as the rule says`() {
    for code in UInt32(0)..<0x2_0000 {
      guard let scalar = Unicode.Scalar(code) else { continue }
      // Marks of the scripts above do not change with the options of case.
      for options in code < 0x3000 ? Self.options : [.caseInsensitive] {
        let text = String(scalar)
        let expected = Array(ReferenceText.folded(text, options).utf8)
        guard StringFolding.folded(text, options) != expected else { continue }
        Issue.record("\(options.suffix) U+\(String(code, radix: 16))")
        return
      }
    }
  }

  @Test func `each character is a part of words as the rule says`() {
    let letters = "acdeinosuyAEINOUYÅåçß".unicodeScalars
    let scalars = (UInt32(0)..<0x2_0000).compactMap(Unicode.Scalar.init)
    // A mark changes the letter before it.
    let marks = (UInt32(0x2F0)..<0x380).compactMap(Unicode.Scalar.init)
    let texts =
      scalars.map { "a\($0)b" } + letters.flatMap { letter in marks.map { "\(letter)\($0)" } }
    for text in texts {
      let found = TextTokens.words(of: text).map { Array($0.unicodeScalars) }
      guard found != ReferenceText.words(of: text) else { continue }
      Issue.record("\(text): \(found)")
      return
    }
  }

  @Test(arguments: Seeds.usual(101...102))
  func `texts and data fold as the rule says`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "A", "Z", "[", "@", "é", "É", "e\u{301}", "×", "÷", "Þ", "ß", "ÿ", "Ÿ", "İ", "ı", "ſ",
      "Σ",
      "ς", "\u{212A}", "ǅ", "𐐀", "日", "\0",
    ]
    for _ in 0..<2000 {
      let text = (0..<random.below(8)).map { _ in random.pick(pieces) }.joined()
      for options in Self.options {
        #expect(
          StringFolding.folded(text, options) == Array(ReferenceText.folded(text, options).utf8),
          "seed \(seed): \(text)\(options.suffix)")
      }
      let data = Array(text.utf8.dropFirst(random.below(3)))
      var folded = data
      StringFolding.foldLatin(&folded)
      #expect(
        folded == ReferenceText.bytes(.data(Data(data)), .caseInsensitive), "seed \(seed): \(data)")
    }
  }

  @Test(arguments: Seeds.usual(103...105))
  func `words and wildcards match as the rules say`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let letters = [
      "a", "b", "B", "é", "É", "e\u{301}", "å", "ø", "č", "1", " ", "-", ".", "'", "*", "?",
    ]
    func text(_ most: Int) -> String {
      (0..<random.below(most + 1)).map { _ in random.pick(letters) }.joined()
    }
    for _ in 0..<3000 {
      let (text, pattern) = (text(10), text(5))
      let like = LikePattern(Array(pattern.utf8))
      #expect(
        Array(text.utf8).withUnsafeBufferPointer(like.matches)
          == ReferenceText.holds(.string(text), .like, .string(pattern), []),
        "seed \(seed): \(text) LIKE \(pattern)")
      guard let words = try? TextPattern(pattern) else { continue }
      #expect(
        words.matches(text) == ReferenceText.holds(.string(text), .text, .string(pattern), []),
        "seed \(seed): \(text) TEXT \(pattern)")
    }
  }

  @Test(arguments: Seeds.usual(106...109))
  func `expressions match as the rules say`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let atoms = [
      "a", "b", "É", "é", "K", "k", "1", "_", " ", ".", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S",
      "\\x41", "\\u00e9", "\\.", "\\b", "\\B", "^", "$", "[ab]", "[^a]", "[A-K]", "[a-z\\d]",
      "[]é]", "[b-]",
      "[à-é]", "\u{212A}", "ſ", "ß",
    ]
    func piece(_ depth: Int) -> String {
      guard depth > 0, !random.oneIn(4) else { return random.pick(atoms) }
      return switch random.below(4) {
      case 0: "(\(piece(depth - 1))|\(piece(depth - 1)))"
      case 1:
        "(?:\(piece(depth - 1)))" + random.pick(["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?"])
      default: piece(depth - 1) + piece(depth - 1)
      }
    }
    let letters = [
      "a", "A", "b", "é", "É", "e\u{301}", "K", "\u{212A}", "s", "ſ", "1", "_", " ", "\n", "ß",
    ]
    for _ in 0..<400 {
      let (pattern, options) = (piece(4), random.pick(Self.options))
      let expression = try RegularExpression(pattern, options: options)
      for _ in 0..<10 {
        let text = (0..<random.below(6)).map { _ in random.pick(letters) }.joined()
        #expect(
          expression.matches(text)
            == ReferenceText.holds(.string(text), .matches, .string(pattern), options),
          "seed \(seed): \(text) MATCHES\(options.suffix) \(pattern)")
      }
    }
  }

  @Test func `a distance of zero is not less and not greater than zero`() throws {
    let edges = EdgeModel.spherical
    func located(_ text: String) throws -> LocatedGeometry {
      try #require(LocatedGeometry(Geometry(wkt: text), edges: edges))
    }
    let polygon = "POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))"
    let table: [(String, String, isZero: Bool)] = [
      ("POINT (1 2)", "POINT (1 2)", true), ("POINT (1 2)", "POINT (1 3)", false),
      ("POINT (5 5)", polygon, true), (polygon, "POINT (5 50)", false),
      ("LINESTRING (5 -5, 5 20)", polygon, true), ("LINESTRING (20 0, 30 0)", polygon, false),
    ]
    for (first, second, isZero) in table {
      for (left, right) in [(first, second), (second, first)] {
        let holding = [ComparisonOperator.less, .lessOrEqual, .greater, .greaterOrEqual].filter {
          (try? GeometryRelationKind.distance($0, .zero)
            .holds(located(left), located(right), edges: edges)) == true
        }
        #expect(
          holding == (isZero ? [.lessOrEqual, .greaterOrEqual] : [.greater, .greaterOrEqual]),
          "\(left), \(right)")
      }
    }
  }
}
