import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastreQuery

/// The numbers of keys, texts and values, and the groups of their combinations.
@Suite struct GroupTableTests {
  @Test(arguments: Seeds.usual(1...3))
  func `keys and texts are numbered in the order of their first occurrence`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for bound in [3, 40, 5000] {
      var keys = KeyNumbers()
      var texts = TextNumbers()
      var expectedKeys: [UInt64: Int32] = [:]
      var expectedTexts: [String: Int32] = [:]
      for _ in 0..<4000 {
        let number = UInt64(random.below(bound))
        // Keys that differ in their highest or in their lowest bits only.
        let key = random.oneIn(2) ? number : number << 50 | 7
        let expectedKey = expectedKeys[key, default: Int32(expectedKeys.count)]
        expectedKeys[key] = expectedKey
        #expect(keys.number(of: key) == expectedKey, "seed \(seed), bound \(bound)")
        let text = number == 0 ? "" : "é\(number)"
        let expectedText = expectedTexts[text, default: Int32(expectedTexts.count)]
        expectedTexts[text] = expectedText
        let found = Array(text.utf8).withUnsafeBytes { texts.number(of: $0) }
        #expect(found == expectedText, "seed \(seed), bound \(bound)")
      }
      #expect(keys.count == expectedKeys.count && texts.count == expectedTexts.count)
    }
  }

  @Test func `values that are the same have one number, and null has 0`() {
    var numbers = ValueNumbers()

    #expect(numbers.number(of: .null) == 0)
    #expect(numbers.number(of: .double(-0.0)) == 1 && numbers.number(of: .int(0)) == 1)
    #expect(numbers.number(of: .double(.nan)) == 2 && numbers.number(of: .float(.nan)) == 2)
    #expect(numbers.number(of: .string("")) == 3 && numbers.number(of: .null) == 0)
    #expect(numbers.number(of: .string("\u{e9}")) == 4)
    #expect(numbers.number(of: .string("e\u{301}")) == 5)
  }

  @Test(arguments: Seeds.usual(11...13))
  func `the groups of combinations equal those of a dictionary`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for columns in 0...4 {
      var table = GroupTable(Array(repeating: nil, count: columns))
      var expected: [[Value]: Int32] = [:]
      for _ in 0..<500 {
        let values = (0..<columns).map { _ in
          random.oneIn(5) ? Value.null : .int(Int64(random.below(4)))
        }
        let isNew = expected[values] == nil
        let group = expected[values, default: Int32(expected.count)]
        expected[values] = group
        let found = table.group(of: values)
        #expect(found == (group, isNew), "seed \(seed), \(columns) columns: \(values)")
      }
      #expect(table.count == expected.count)
    }
  }

  @Test func `grouped aggregations equal an aggregation of each group`() {
    let values: [Value] = [
      .int(3), .null, .int(.max), .int(-7), .int(.min), .double(.nan), .double(0.5),
      .double(-.infinity), .double(-0.0),
    ]
    for (type, values) in [
      (.int, values.prefix(5)), (.double, [.null] + values.suffix(4)), (.any, values[...]),
      (.float, [.float(1.5), .float(.nan), .float(-2)]), (.string, [.string("b"), .string("a")]),
    ] as [(PropertyType, ArraySlice<Value>)] {
      for isStored in [true, false] {
        var grouped = GroupedAggregation(of: type, isStored: isStored)
        var separate = [Aggregation(of: type), Aggregation(of: type), Aggregation(of: type)]
        for _ in separate { grouped.addGroup() }
        for (index, value) in (values + values.reversed()).enumerated() {
          grouped.add(value, to: index % 2)
          separate[index % 2].add(value)
        }
        for (group, expected) in separate.enumerated() {
          let found = grouped.aggregation(of: group)
          #expect(found.minimum == expected.minimum && found.maximum == expected.maximum)
          #expect(found.sum == expected.sum && found.average == expected.average)
        }
      }
    }
  }
}
