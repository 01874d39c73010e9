import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Every operator with values and constants of every type, in memory, in scans and by indexes, compared with the
/// reference evaluator.
@Suite struct FilterTableTests {
  private static let types: [PropertyType] = [
    .int, .bool, .string, .data, .date, .float, .double, .any, .objectId, .decimal128, .UUID,
  ]
  private static let numbers: [PropertyType] = [.int, .float, .double, .decimal128]
  private static let options: [StringOptions] = [
    [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
  ]
  private static let operations: [ComparisonOperator] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith,
    .contains, .like,
  ]

  /// Returns distinct values of a type, null first.
  private static func values(
    _ type: PropertyType, _ count: Int, _ random: inout SeededGenerator
  ) -> [Value] {
    var values: [Value] = [.null]
    for _ in 0..<count * 8 where values.count < count {
      let value = random.value(type)
      if !values.contains(value) { values.append(value) }
    }
    return values
  }

  /// Returns constants for a property of a type: values of the type, and of all numbers beside a number.
  private static func constants(
    _ type: PropertyType, _ values: [Value], _ random: inout SeededGenerator
  ) -> [Value] {
    guard numbers.contains(type) else { return values }
    return values + numbers.flatMap { Self.values($0, 4, &random) }
  }

  // MARK: Tests

  @Test(arguments: types, Seeds.usual(1...1))
  func `single values are compared with constants`(type: PropertyType, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let rows = try TableRows([
      Property(name: "value", type: type, isOptional: type != .any),
      Property(
        name: "listed", type: type, isOptional: type != .any,
        isIndexed: ![.data, .decimal128].contains(type)),
    ])
    let values = Self.values(type, 16, &random)
    try rows.fill(values.map { ["value": .value($0), "listed": .value($0)] })
    let constants = Self.constants(type, values, &random)
    var predicates: [QueryPredicate] = []
    for name in ["value", "listed"] {
      let property = Operand.property(PropertyPath(name))
      for constant in constants {
        for operation in Self.operations {
          for options in name == "value" && operation.acceptsOptions ? Self.options : [[]] {
            predicates.append(
              .comparison(Comparison(property, operation, .value(constant), options: options)))
          }
        }
        predicates.append(
          .comparison(Comparison(property, .between, .list([constant, random.pick(constants)]))))
      }
      for count in [0, 1, 2, 4, 12] {
        for options in name == "value" ? Self.options : [[]] {
          let some = (0..<count).map { _ in random.pick(constants) }
          predicates.append(
            .comparison(Comparison(property, .isIn, .list(some), options: options)))
        }
      }
    }
    // There are two truth values.
    #expect(try rows.check(predicates, "seed \(seed), \(type)") > (type == .bool ? 10 : 50))
  }

  @Test(arguments: types, Seeds.usual(2...2))
  func `properties are compared with properties`(type: PropertyType, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let others =
      type == .any ? [.any, .int, .string] : Self.numbers.contains(type) ? Self.numbers : [type]
    for other in others {
      let rows = try TableRows([
        Property(name: "one", type: type, isOptional: type != .any),
        Property(name: "other", type: other, isOptional: other != .any),
      ])
      let (ones, seconds) = (Self.values(type, 10, &random), Self.values(other, 9, &random))
      try rows.fill(
        ones.flatMap { one in
          (seconds + [other == type ? one : .null]).map {
            ["one": .value(one), "other": .value($0)]
          }
        })
      var predicates: [QueryPredicate] = []
      for operation in Self.operations {
        for options in operation.acceptsOptions ? Self.options : [[]] {
          for (left, right) in [("one", "other"), ("other", "one"), ("one", "one")] {
            predicates.append(
              .comparison(
                Comparison(
                  .property(PropertyPath(left)), operation, .property(PropertyPath(right)),
                  options: options)))
          }
        }
      }
      for operation in ArithmeticOperation.allCases where Self.numbers.contains(type) {
        let result = Operand.arithmetic(
          Arithmetic(
            .property(PropertyPath("one")), operation, .property(PropertyPath("other"))))
        for comparison in Self.operations.prefix(6) {
          predicates.append(
            .comparison(Comparison(result, comparison, .property(PropertyPath("one")))))
          predicates.append(.comparison(Comparison(result, comparison, .value(.int(2)))))
        }
      }
      #expect(try rows.check(predicates, "seed \(seed), \(type) and \(other)") > 5)
    }
  }

  @Test(arguments: types, Seeds.usual(3...3))
  func `elements of collections are compared with constants`(
    type: PropertyType, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let rows = try TableRows([
      Property(name: "list", type: type, isOptional: type != .any, collection: .list),
      Property(name: "set", type: type, collection: .set),
      Property(name: "map", type: type, isOptional: type != .any, collection: .map),
    ])
    let values = Self.values(type, 7, &random)
    func some(_ values: [Value]) -> [Value] {
      (0..<random.below(4)).map { _ in random.pick(values) }
    }
    // A set has no element twice by value.
    let distinct = values.dropFirst().reduce(into: [Value]()) { distinct, value in
      let isKnown = distinct.contains { ReferenceRules.areEqual($0, value, areStored: true) }
      if !isKnown { distinct.append(value) }
    }
    try rows.fill(
      (0..<24).map { _ in
        [
          "list": .list(some(values)),
          "set": .list(distinct.filter { _ in random.oneIn(2) }),
          "map": .map(
            ValueMap(
              ["k", "l", "m"].filter { _ in random.oneIn(2) }.map { ($0, random.pick(values)) })),
        ]
      })
    let constants = Self.constants(type, values, &random)
    var predicates: [QueryPredicate] = []
    for constant in constants {
      for operation in (0..<3).map({ _ in random.pick(Self.operations) }) {
        for quantifier in Quantifier.allCases {
          for path in ["list", "set", "map"].map({ PropertyPath($0) }) {
            predicates.append(
              .comparison(
                Comparison(
                  .elements(quantifier, path), operation, .value(constant),
                  options: operation.acceptsOptions && random.oneIn(3) ? .caseInsensitive : [])))
          }
        }
        for steps in [
          [.property("list"), .index(1)], [.property("list"), .first], [.property("list"), .last],
          [.property("map"), .key("l")],
        ] as [[PropertyPath.Step]] {
          predicates.append(
            .comparison(
              Comparison(
                .elements(.any, PropertyPath(steps: steps)), operation, .value(constant))))
        }
        for function in AggregateOperation.allCases {
          // A store reads the elements of a set in any order, on which the digits of a sum depend.
          let isSum = function == .sum || function == .average
          for name in isSum ? ["list", "map"] : ["list", "set", "map"] {
            predicates.append(
              .comparison(
                Comparison(
                  .aggregate(Aggregate(function, of: PropertyPath(name))), operation,
                  .value(constant))))
          }
        }
      }
    }
    for count in Int64(0)..<4 {
      for operation in Self.operations.prefix(6) {
        for name in ["list", "set", "map"] {
          predicates.append(
            .comparison(
              Comparison(
                .elements(.any, PropertyPath(steps: [.property(name), .count])), operation,
                .value(.int(count)))))
        }
      }
      let whole = Operand.list(some(values))
      for operation in [ComparisonOperator.equal, .notEqual] {
        predicates.append(
          .comparison(Comparison(.property(PropertyPath("list")), operation, whole)))
        predicates.append(
          .comparison(Comparison(.property(PropertyPath("set")), operation, whole)))
      }
      for left in Quantifier.allCases {
        for right in Quantifier.allCases {
          predicates.append(
            .comparison(
              Comparison(
                .elements(left, PropertyPath("list")), random.pick([.equal, .notEqual, .less]),
                .constants(right, some(values)))))
        }
      }
    }
    // There are two truth values.
    #expect(try rows.check(predicates, "seed \(seed), \(type)") > (type == .bool ? 10 : 50))
  }

  @Test(arguments: [PropertyType.string, .data])
  func `long values that begin alike are distinct`(type: PropertyType) throws {
    let rows = try TableRows([Property(name: "value", type: type, isOptional: true)])
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    var texts: [String] = []
    for count in [1, 7, 8, 9, 15, 16, 17, 24] {
      texts.append(String(letters.prefix(count)))
      // Words of eight bytes are compared at once.
      for place in [0, 6, 7, 8, 15, 16] where place < count {
        var other = letters.prefix(count)
        other[place] = "Z"
        texts.append(String(other))
      }
      texts.append(String(letters.prefix(count).suffix(7)))
    }
    let values = [.null] + texts.map { type == .string ? Value.string($0) : .data(Data($0.utf8)) }
    try rows.fill(values.map { ["value": .value($0)] })
    var predicates: [QueryPredicate] = []
    for operation in Self.operations {
      for options in operation.acceptsOptions ? [[], StringOptions.caseInsensitive] : [[]] {
        for value in values {
          predicates.append(
            .comparison(
              Comparison(
                .property(PropertyPath("value")), operation, .value(value), options: options)))
        }
      }
    }
    #expect(try rows.check(predicates, "\(type)") > 50)
  }
}
