import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// Calculations as texts of their own, in which a sign after an operand is an operator.
@Suite struct CalculationTextTests {
  /// A calculation, and a text that denotes it.
  private struct Written {
    var operand: Operand
    var text: String

    init(_ operand: Operand, _ text: String) { (self.operand, self.text) = (operand, text) }

    static func random(_ random: inout SeededGenerator, depth: Int) -> Written {
      guard depth > 0 else { return leaf(&random) }
      let (left, right) = (
        self.random(&random, depth: depth - 1), self.random(&random, depth: random.below(depth))
      )
      let operation = random.pick(Arithmetic.Operation.allCases)
      let blanks = [random.pick(["", " "]), random.pick(["", "  "])]
      return Written(
        .arithmetic(Arithmetic(left.operand, operation, right.operand)),
        left.bracketed + blanks[0] + operation.rawValue + blanks[1] + right.bracketed)
    }

    private static func leaf(_ random: inout SeededGenerator) -> Written {
      let names = ["a", "b1", "größe", "text", "T1", "_x", "in_", "e\u{301}", "\u{10FFFF}"]
      if random.oneIn(2) {
        let name = random.pick(names)
        return Written(.property(PropertyPath([name])), name)
      }
      let numbers: [(Value, String)] = [
        (.int(3), "3"), (.int(-4), "-4"), (.int(31), "0x1F"), (.double(2.5), "2.5"),
        (.double(0.001), "1e-3"), (.double(-0.0), "-0.0"), (.double(1e308), "1e+308"),
        (.int(.min), "-9223372036854775808"), (.double(-.infinity), "-infinity"),
      ]
      let (value, text) = random.pick(numbers)
      return Written(.value(value), text)
    }

    /// The text in brackets if it is a calculation.
    private var bracketed: String {
      if case .arithmetic = operand { "(\(text))" } else { text }
    }
  }

  @Test(arguments: Seeds.usual(51...53))
  func `random calculations denote their trees`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let written = Written.random(&random, depth: 1 + random.below(4))
      #expect(
        try Operand(parsingCalculation: written.text) == written.operand,
        "seed \(seed): \(written.text)")
      let predicate = QueryPredicate.comparison(
        Comparison(written.operand, .less, .value(.null)))
      #expect(
        try QueryPredicate(parsing: "\(predicate)") == predicate, "seed \(seed): \(predicate)")
    }
  }

  @Test(arguments: [
    ("a-1", "a - 1"), ("a-1-b", "(a - 1) - b"), ("a-b*2", "a - (b * 2)"), ("a--1", "a - -1"),
    ("2*(a+b)-c.d", "(2 * (a + b)) - c.d"), ("a[0]-1", "a[0] - 1"), ("2000-5", "2000 - 5"),
    ("a/-2", "a / -2"), ("a.@count-1", "a.@count - 1"), ("#in-#any", "#in - #any"),
    ("a\\-b-1", "a-b - 1"),
  ])
  func `a sign after an operand is an operator`(text: String, spaced: String) throws {
    let expected = try QueryPredicate(parsing: "null == " + spaced)
    let operand = try Operand(parsingCalculation: text)
    #expect(QueryPredicate.comparison(Comparison(.value(.null), .equal, operand)) == expected)
  }

  @Test(arguments: [
    ("a b", 2, 1, "expected an operator or the end of the text, found 'b'"),
    ("a-", 2, 1, "expected a property or a value, found the end of the text"),
    ("a > 2", 2, 1, "expected an operator or the end of the text, found '>'"),
    ("a-(b", 4, 1, "expected ')', found the end of the text"),
    ("geoCircle([0, 0], 1)", 0, 9, "expected a calculation, found a region"),
    ("", 0, 1, "expected a property or a value, found the end of the text"),
  ])
  func `an error has its location`(
    text: String, offset: Int, count: Int, message: String
  ) throws {
    let error = #expect(throws: QueryPredicateError.self) {
      try Operand(parsingCalculation: text)
    }
    #expect(error?.message == message)
    #expect(error?.span == TextSpan(offset: offset, count: count))
    #expect(error?.text == text)
  }
}
