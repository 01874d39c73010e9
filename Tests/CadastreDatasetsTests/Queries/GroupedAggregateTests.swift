import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// A row of a table with nulls, repeated and distinct values.
private struct Sample {
  let id: Int
  let number: Int?
  /// A multiple of 0.25, so that sums are exact in any order.
  let fraction: Double?
  /// One of few texts, which have a dictionary in memory.
  let text: String?
  /// One of many texts, which have none.
  let name: String?
  /// Hours since 1970-01-01.
  let hours: Int?

  init(_ id: Int, _ random: inout SeededGenerator) {
    self.id = id
    number = random.oneIn(9) ? nil : random.below(60) - 30
    fraction = random.oneIn(9) ? nil : Double(random.below(400) - 200) / 4
    text = random.oneIn(9) ? nil : "t\(random.below(7))"
    name = random.oneIn(9) ? nil : "n\(random.below(900))"
    hours = random.oneIn(9) ? nil : random.below(96) - 48
  }

  private static func day(_ hours: Int) -> (day: String, hour: Int) {
    let days = ["1969-12-30", "1969-12-31", "1970-01-01", "1970-01-02"]
    return (days[(hours + 48) / 24], (hours + 48) % 24)
  }

  var day: String? { hours.map { Self.day($0).day } }

  var line: String {
    let date = hours.map { hours in
      let (day, hour) = Self.day(hours)
      return "\(day)T\(hour < 10 ? "0" : "")\(hour):30:00.5Z"
    }
    return [
      "\(id)", number.map { "\($0)" }, fraction.map { "\($0)" }, text, name, date,
    ].map { $0 ?? "" }.joined(separator: ",")
  }
}

/// Property: aggregates by groups equal those of a plain computation over the rows.
@Suite struct GroupedAggregateTests {
  /// Fields to group by, and the key of a row in text.
  private static let groupings: [(by: String, key: @Sendable (Sample) -> [String?])] = [
    ("text", { [$0.text] }),
    ("number", { [$0.number.map { "\($0)" }] }),
    ("fraction", { [$0.fraction.map { "\($0)" }] }),
    ("text, number", { [$0.text, $0.number.map { "\($0)" }] }),
    ("day(at)", { [$0.day] }),
    ("at, text", { [$0.hours.map { "\($0)" }, $0.text] }),
    ("number / 10 as tens", { [$0.number.map { "\($0 / 10)" }] }),
    (
      "fraction * 2, text, day(at)",
      { [$0.fraction.map { "\($0 * 2)" }, $0.text, $0.day] }
    ),
    ("name", { [$0.name] }), ("name, id", { [$0.name, "\($0.id)"] }),
  ]

  private static let compute =
    "count, count(number), sum(number), avg(fraction), min(fraction), max(number), min(text), "
    + "count(distinct text), count(distinct name), median(fraction), stddev(fraction), "
    + "stddev(number), sum(number * 2), first(number), last(text)"

  /// Returns the expected results for the rows of a group, in their order.
  private static func expected(_ rows: [Sample]) -> [Value] {
    let numbers = rows.compactMap(\.number)
    let fractions = rows.compactMap(\.fraction).sorted()
    let texts = rows.compactMap(\.text)
    let middle = fractions.count / 2
    let median: Double? =
      fractions.isEmpty
      ? nil
      : fractions.count % 2 == 1
        ? fractions[middle] : (fractions[middle - 1] + fractions[middle]) / 2
    func deviation(_ values: [Double]) -> Value {
      guard values.count > 1 else { return .null }
      let mean = values.reduce(0, +) / Double(values.count)
      let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return .double((squares / Double(values.count - 1)).squareRoot())
    }
    func value(_ number: Int?) -> Value { number.map { .int(Int64($0)) } ?? .null }
    return [
      value(rows.count), value(numbers.count), value(numbers.reduce(0, +)),
      fractions.isEmpty
        ? .null : .double(fractions.reduce(0, +) / Double(fractions.count)),
      fractions.first.map(Value.double) ?? .null, value(numbers.max()),
      texts.min().map(Value.string) ?? .null, value(Set(texts).count),
      value(Set(rows.compactMap(\.name)).count),
      median.map(Value.double) ?? .null, deviation(fractions), deviation(numbers.map(Double.init)),
      value(numbers.reduce(0) { $0 + $1 * 2 }), value(numbers.first),
      texts.last.map(Value.string) ?? .null,
    ]
  }

  private static func isNear(_ first: Value, _ second: Value) -> Bool {
    guard case .double(let first) = first, case .double(let second) = second else {
      return first == second
    }
    return abs(first - second) <= 1e-9 * max(1, abs(second))
  }

  @Test(arguments: Seeds.usual(81...81))
  func `aggregates by fields, parts of dates and calculations agree with the rows`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let samples = (0..<2000).map { Sample($0, &random) }
    let folder = try ScratchFolder()
    let store = folder.url.appendingPathComponent("s").path
    let csv = "id,number,fraction,text,name,at\n" + samples.map { $0.line + "\n" }.joined()
    _ = try Importer(
      ImportSettings(files: [try folder.file("a.csv", csv)], store: store, className: "T")
    ).run()
    for (predicate, order, matches) in [
      (nil, nil, { _ in true }), ("id >= 700", nil, { $0.id >= 700 }),
      ("id >= 1900", "id desc", { $0.id >= 1900 }), ("id < 0", nil, { _ in false }),
    ] as [(String?, String?, (Sample) -> Bool)] {
      let query = try StoreQuery(
        store: store, className: "T", predicate: predicate, order: order)
      let rows = order == nil ? samples.filter(matches) : samples.filter(matches).reversed()
      for (by, key) in Self.groupings {
        var groups: [[String?]: [Sample]] = [:]
        for row in rows { groups[key(row), default: []].append(row) }
        let aggregate = try AggregateQuery(query, compute: Self.compute, by: by)
        let records = try aggregate.records()

        #expect(records.count == groups.count, "seed \(seed), by \(by), \(predicate ?? "all")")
        let keyCount = records.first.map { $0.fields.count - 15 } ?? 0
        var left = groups
        for record in records {
          let fields = record.fields.map(\.content)
          let own = fields.prefix(keyCount).map(Self.text)
          let removed = left.removeValue(forKey: own)
          let members = try #require(removed, "seed \(seed), by \(by): \(own)")
          let values = fields.dropFirst(keyCount).map { content -> Value in
            if case .value(let value) = content { value } else { .null }
          }
          #expect(
            zip(values, Self.expected(members)).allSatisfy(Self.isNear),
            "seed \(seed), by \(by), \(predicate ?? "all"), group \(own): \(values)")
        }
      }
      let total = try AggregateQuery(query, compute: Self.compute, by: nil).records()
      let values = total.flatMap { $0.fields }.map { field -> Value in
        if case .value(let value) = field.content { value } else { .null }
      }
      #expect(
        total.count == 1 && zip(values, Self.expected(rows)).allSatisfy(Self.isNear),
        "seed \(seed), \(predicate ?? "all"): \(values)")
    }
  }

  /// Returns the text of a value of a key; dates are hours since 1970.
  private static func text(_ content: StoredRecord.Content) -> String? {
    switch content {
    case .value(.null): nil
    case .value(.date(let date)): "\((date.seconds - 1800) / 3600)"
    case .value(.int(let number)): "\(number)"
    case .value(.double(let number)): "\(number)"
    case .value(.string(let text)): text
    default: "?"
    }
  }

  @Test(arguments: Seeds.usual(91...91))
  func `the first objects of each group are those of a plain computation`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let samples = (0..<1200).map { Sample($0, &random) }
    let ranks = Array(samples.indices).shuffled(using: &random)
    let folder = try ScratchFolder()
    let store = folder.url.appendingPathComponent("s").path
    let lines = zip(samples, ranks).map { "\($0.line),\($1)\n" }.joined()
    _ = try Importer(
      ImportSettings(
        files: [try folder.file("a.csv", "id,number,fraction,text,name,at,rank\n" + lines)],
        store: store, className: "T")
    ).run()
    let query = try StoreQuery(store: store, className: "T", predicate: nil, order: "rank desc")
    let all = try query.keys()
    let byRank = zip(samples, ranks).sorted { $0.1 > $1.1 }.map(\.0)
    for (per, key) in Self.groupings {
      for top in [0, 1, 3, 1200] {
        var counts: [[String?]: Int] = [:]
        let expected = byRank.indices.filter { index in
          counts[key(byRank[index]), default: 0] += 1
          return counts[key(byRank[index]), default: 0] <= top
        }.map { all[$0] }

        #expect(
          try query.keys(top: top, per: per) == expected, "seed \(seed), top \(top) per \(per)")
      }
    }
    #expect(throws: QueryPredicateError.self) { try query.keys(top: 1, per: "missing") }
  }

  @Test func `a standard deviation keeps its digits beside a large mean`() {
    var deviation = Deviation()
    #expect(deviation.value == nil)
    deviation.add(1e9)
    #expect(deviation.value == nil)
    for number in [1e9 + 1, 1e9 + 2] { deviation.add(number) }

    #expect(deviation.value == 1)
    deviation.add(.infinity)
    #expect(deviation.value?.isNaN == true)
  }
}
