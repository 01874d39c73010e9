import CadastreModel
import CadastrePredicate
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreQuery

/// Orders of many rows by columns, against a plain sort: with each size of the column cache, on one thread and several,
/// and with less memory than the rows take.
@Suite struct SortTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Harbor", properties: [Property(name: "depth", type: .int, isOptional: true)]),
    ObjectSchema(
      className: "Boat",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "crew", type: .int, isOptional: true),
        Property(name: "draft", type: .double, isOptional: true),
        Property(name: "length", type: .float),
        Property(name: "name", type: .string, isOptional: true),
        Property(name: "built", type: .date, isOptional: true),
        Property(name: "sails", type: .bool),
        Property(name: "photo", type: .data),
        Property(name: "home", type: .object, isOptional: true, objectClassName: "Harbor"),
      ]),
  ])

  /// The values of an object by path; nil is a value behind a null link.
  private typealias Row = [String: Value?]

  private static let paths = [
    "crew", "draft", "length", "name", "built", "sails", "home.depth",
  ]

  private static func row(
    _ id: Int, _ harbors: [(key: Int64, depth: Value)], _ random: inout SeededGenerator
  ) -> (object: PlainObject, row: Row) {
    let doubles = [
      0, -0.0, .nan, .infinity, -.infinity, 1.5, -1.5, .leastNonzeroMagnitude,
      Double(random.below(1 << 53)) / 1000, Double(random.below(50)) / 10, -Double(random.below(9)),
    ]
    let texts = [
      "", "a", "ab", "ab\0", "ab\0c", "Saint-Martin", "Saint-Mar", "Saint-Maurice", "Saint-Ma",
      "Saint-Malo \(random.below(40))", "é", "z\u{10FFFF}", "name \(random.below(3000))",
    ]
    let seconds = Int64(random.pick([0, 1, -1, 5000, random.below(4000)]))
    let harbor = random.oneIn(5) ? nil : random.pick(harbors)
    var row: Row = [
      "id": .int(Int64(id)),
      "crew": .int(random.pick([-1, 0, 1, .min, .max, Int64(random.below(1 << 22))])),
      "draft": .double(random.pick(doubles)),
      "length": .float(random.pick([0, -0.0, .nan, 2.5, Float(random.below(700))])),
      "name": .string(random.pick(texts)),
      "built": .date(
        Timestamp(seconds: seconds, nanoseconds: Int64(random.pick([0, 1, random.below(999)])))),
      "sails": .bool(random.oneIn(2)),
      "photo": .data(Data([UInt8(id & 255), UInt8(id >> 8 & 255)])),
    ]
    for path in ["crew", "draft", "name", "built"] where random.oneIn(7) { row[path] = Value.null }
    var object: PlainObject = [:]
    for (name, value) in row { object[name] = .value(value ?? .null) }
    object["home"] = .value(harbor.map { .link(ObjectKey($0.key)) } ?? .null)
    let depth: Value? = harbor?.depth
    row["home.depth"] = depth
    return (object, row)
  }

  private static func store(
    _ count: Int, _ random: inout SeededGenerator
  ) throws -> (file: StoreFile, rows: [(key: Int64, row: Row)]) {
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    var harbors: [(key: Int64, depth: Value)] = []
    for number in 0..<20 {
      let depth = number % 4 == 0 ? Value.null : .int(Int64(number % 7))
      let key = try transaction.insert("Harbor", object: ["depth": .value(depth)]).rawValue
      harbors.append((key, depth))
    }
    var rows: [(key: Int64, row: Row)] = []
    for id in 0..<count {
      let (object, row) = row(id, harbors, &random)
      rows.append((try transaction.insert("Boat", object: object).rawValue, row))
    }
    try transaction.commit()
    let deletion = try file.beginWrite()
    for _ in 0..<count / 20 {
      let index = random.below(rows.count)
      try deletion.delete("Boat", ObjectKey(rows.remove(at: index).key))
    }
    try deletion.commit()
    return (file, rows)
  }

  // MARK: The oracle

  /// Compares two values: null, then NaN, then values, then those behind a null link.
  private static func compare(_ first: Value?, _ second: Value?) -> Int {
    let ranks = [first, second].map { value -> Int in
      switch value {
      case nil: 3
      case .null?: 0
      case .double(let number)? where number.isNaN: 1
      case .float(let number)? where number.isNaN: 1
      default: 2
      }
    }
    guard ranks == [2, 2], let first, let second else { return (ranks[0] - ranks[1]).signum() }
    func order<Number: Comparable>(_ one: Number, _ other: Number) -> Int {
      one < other ? -1 : one > other ? 1 : 0
    }
    return switch (first, second) {
    case (.int(let one), .int(let other)): order(one, other)
    case (.double(let one), .double(let other)): order(one, other)
    case (.float(let one), .float(let other)): order(one, other)
    case (.bool(let one), .bool(let other)): order(one ? 1 : 0, other ? 1 : 0)
    case (.date(let one), .date(let other)):
      order(one.seconds, other.seconds) == 0
        ? order(one.subsecond, other.subsecond) : order(one.seconds, other.seconds)
    case (.string(let one), .string(let other)):
      one.utf8.elementsEqual(other.utf8)
        ? 0 : one.utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
    default: 0
    }
  }

  private static func sorted(
    _ rows: [(key: Int64, row: Row)], by order: [(path: String, isAscending: Bool)]
  ) -> [(key: Int64, row: Row)] {
    rows.sorted { first, second in
      for (path, isAscending) in order {
        let comparison = compare(first.row[path] ?? nil, second.row[path] ?? nil)
        if comparison != 0 { return isAscending ? comparison < 0 : comparison > 0 }
      }
      return first.key < second.key
    }
  }

  // MARK: Tests

  @Test(arguments: Seeds.usual(1...6))
  func `orders by columns agree with a plain sort`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (file, rows) = try Self.store([300, 5000, 10_000][Int(seed % 3)], &random)
    for budget in [ColumnCache.defaultBudget, 4096, 0] {
      file.columns.budget = budget
      let snapshot = try file.snapshot()
      for _ in 0..<6 {
        let order = Self.paths.shuffled(using: &random).prefix(random.pick([1, 1, 2, 3])).map {
          (path: $0, isAscending: random.oneIn(2))
        }
        let limit = random.oneIn(4) ? random.pick([0, 1, 30, 6000]) : nil
        let offset = random.oneIn(3) ? random.pick([1, 50, 7000, 20_000]) : 0
        let filter = random.oneIn(3)
        let query = try ObjectQuery(
          "Boat", where: filter ? QueryPredicate(parsing: "sails == true") : .constant(true),
          order: order.map { SortKey(PropertyPath($0.path), isAscending: $0.isAscending) },
          offset: offset, limit: limit
        ).bound(to: Self.schema)
        let matching = filter ? rows.filter { $0.row["sails"] == Value.bool(true) } : rows
        let expected = Array(
          Self.sorted(matching, by: order).dropFirst(offset).prefix(limit ?? .max))
        let comment: Comment = "seed \(seed), cache \(budget), \(order), \(offset), \(limit ?? -1)"
        for maximum in [1, 2] {
          let threads = QueryThreads(
            maximum: maximum, minimumRows: 1,
            mostGatheredBytes: random.pick([1, 4096, 100_000, 1 << 30]),
            mostSortedBytes: random.pick([nil, 100, 20_000, 100_000]))
          let session = QuerySession(snapshot, options: .withoutIndexes, threads: threads)
          #expect(try session.keys(query).keys == expected.map(\.key), comment)
          let outputs = Array(["id", "name", "draft", "photo"].prefix(1 + random.below(4)))
          var found: [(key: Int64, values: [Value])] = []
          _ = try session.forEachBatch(query, at: outputs.map { PropertyPath($0) }) {
            for row in $2 { found.append(($0.key(row), $1.map { $0.value(row) })) }
          }
          #expect(found.map(\.key) == expected.map(\.key), comment)
          #expect(
            zip(found, expected).allSatisfy { found, expected in
              zip(found.values, outputs).allSatisfy {
                $0.isSame(as: (expected.row[$1] ?? nil) ?? .null)
              }
            }, comment)
        }
      }
    }
  }

  @Test(arguments: Seeds.usual(11...13))
  func `the first rows of each value, and given rows, are in the order of a plain sort`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let (file, rows) = try Self.store(6000, &random)
    for budget in [ColumnCache.defaultBudget, 4096, 0] {
      file.columns.budget = budget
      let snapshot = try file.snapshot()
      for maximum in [1, 2] {
        let threads = QueryThreads(
          maximum: maximum, minimumRows: 1, mostGatheredBytes: random.pick([1, 5000, 1 << 30]))
        let session = QuerySession(snapshot, options: .withoutIndexes, threads: threads)
        let order = [(path: random.pick(Self.paths), isAscending: random.oneIn(2))]
        let query = try ObjectQuery(
          "Boat",
          order: order.map { SortKey(PropertyPath($0.path), isAscending: $0.isAscending) }
        ).bound(to: Self.schema)
        let comment: Comment = "seed \(seed), cache \(budget), \(order)"
        let sorted = Self.sorted(rows, by: order)
        var seen: Set<Value> = []
        let distinct = sorted.filter { seen.insert(($0.row["crew"] ?? nil) ?? .null).inserted }
        let crew = try ObjectQuery("Boat", order: [SortKey(PropertyPath("crew"))])
          .bound(to: Self.schema).order[0].path
        #expect(try session.distinct(query, by: [crew]) == distinct.map(\.key), comment)

        // Rows in no order, whose ties keep theirs.
        let given = rows.shuffled(using: &random)
        let keys = try session.executor.sorted(given.map(\.key), of: "Boat", by: query.order)
        let rank = Dictionary(uniqueKeysWithValues: zip(given.map(\.key), given.indices))
        let expected = given.sorted { first, second in
          let comparison = Self.compare(
            first.row[order[0].path] ?? nil, second.row[order[0].path] ?? nil)
          if comparison != 0 { return order[0].isAscending ? comparison < 0 : comparison > 0 }
          return rank[first.key] ?? 0 < rank[second.key] ?? 0
        }
        #expect(keys == expected.map(\.key), comment)
        var ids: [Value] = []
        _ = try session.forEachBatch(given.map(\.key), of: "Boat", at: [PropertyPath("id")]) {
          for row in $2 { ids.append($1[0].value(row)) }
        }
        #expect(ids == given.map { ($0.row["id"] ?? nil) ?? .null }, comment)
      }
    }
  }
}
