import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Pages in the order of an index equal those of a scan where another program has written values that the type cannot
/// hold.
@Suite struct ForeignValueTests {
  private static func schema(_ type: PropertyType) -> Schema {
    Schema([
      ObjectSchema(
        className: "Entry",
        properties: [
          Property(name: "value", type: type, isOptional: true, isIndexed: true),
          Property(name: "plain", type: .int),
        ])
    ])
  }

  /// Creates a store with values; another program replaces those at some indexes by the values of SQL texts.
  private func store(
    _ type: PropertyType, _ values: [Value], _ foreign: [Int: String]
  ) throws -> StoreFile {
    let file = try TestStore.temporary(Self.schema(type))
    let transaction = try file.beginWrite()
    var keys: [Int64] = []
    for (number, value) in values.enumerated() {
      keys.append(try transaction.insert("Entry", [value, .int(Int64(number % 7))]).rawValue)
    }
    let connection = try transaction.flush(.indexes).connection
    let table = SQL.quoted(try #require(transaction.catalogue.layout("Entry")).tableName)
    let key = SQL.quoted(TableLayout.keyName)
    for (index, text) in foreign {
      try connection.run("UPDATE \(table) SET value = \(text) WHERE \(key) = \(keys[index])")
    }
    try transaction.commit()
    return file
  }

  /// Costs by which each ordered search is chosen.
  private static let always: Planner.Options = {
    var options = Planner.Options()
    options.disabledPaths = Set(AccessPath.Kind.allCases).subtracting([.scan, .orderedSearch])
    options.costs.scanStart = 1e12
    return options
  }()

  /// Compares a page with that of a scan; returns whether the index yields its order.
  private func check(_ reader: any StoreReader, _ query: ObjectQuery, _ type: PropertyType) throws
    -> Bool
  {
    let bound = try query.boundWithAnyOrder(to: Self.schema(type))
    let scan = Planner(StoreCatalog(reader), options: .withoutIndexes).plan(bound)
    let plan = Planner(StoreCatalog(reader), options: Self.always).plan(bound)
    let expected = try Executor(reader).keys(scan).keys
    let found = try Executor(reader).keys(plan).keys
    let count = try Executor(reader).count(plan).count
    #expect(found == expected && count == expected.count, "\(type): \(query)")
    return plan.access.kind == .orderedSearch
  }

  private func query(
    _ text: String, and term: QueryPredicate? = nil, isAscending: Bool, further: [String] = [],
    offset: Int = 0, limit: Int
  ) throws -> ObjectQuery {
    let first = SortKey(PropertyPath(["value"]), isAscending: isAscending)
    let parsed = try QueryPredicate(parsing: text)
    return ObjectQuery(
      "Entry", where: term.map { .and([$0, parsed]) } ?? parsed,
      order: [first] + further.map { SortKey(PropertyPath([$0])) }, offset: offset, limit: limit)
  }

  /// A value that many rows have.
  private static func frequent(_ type: PropertyType) -> Value {
    switch type {
    case .int: .int(3)
    case .bool: .bool(true)
    case .string: .string("alma")
    // One second after 2001-01-01.
    case .date: .date(Timestamp(seconds: 978_307_201))
    case .double: .double(1)
    case .float: .float(1)
    case .objectId: .objectId(ObjectId(bytes: Array(repeating: 7, count: 12)))
    default: UUID(bytes: Array(repeating: 1, count: 16)).map(Value.uuid) ?? .null
    }
  }

  /// Values that the type reads as null, or as a value that it stores in another form.
  private static let foreign: [(type: PropertyType, texts: [String])] = [
    (.int, ["'x'", "x'00'"]), (.bool, ["'x'", "x'01'"]), (.string, ["x'6180'", "x''"]),
    (.date, ["'x'", "x'01'", "x''", "x'3FF0000000000000'", "x'C000000000000000'"]),
    (
      .double,
      [
        "'x'", "x'01'", "x'7FF8'", "x'800000000000000000'", "x'3FF0000000000000'",
        "x'C000000000000000'", "x'7FF8000000000005'", "x'8000000000000000'",
      ]
    ),
    (.float, ["'x'", "x'3FF0000000000000'", "x'3F800000'", "x'C0000000'", "x'FFC00001'"]),
    (.objectId, ["5", "'x'"]), (.UUID, ["5", "'x'"]),
  ]

  @Test(arguments: foreign.indices, Seeds.usual(1...2))
  func `pages of a store with foreign values equal those of a scan`(
    index: Int, seed: UInt64
  ) throws {
    let (type, texts) = Self.foreign[index]
    var random = SeededGenerator(seed: seed)
    let values = (0..<200).map { _ in
      random.oneIn(8) ? .null : random.oneIn(3) ? Self.frequent(type) : random.value(type)
    }
    // Without foreign values, with one of them, and with all.
    for chosen in [[], [random.pick(texts)], texts] {
      var foreign: [Int: String] = [:]
      for text in chosen {
        for _ in 0..<2 { foreign[random.below(values.count)] = text }
      }
      let snapshot = try store(type, values, foreign).snapshot()
      for _ in 0..<20 {
        var term: QueryPredicate?
        if [.int, .string, .date, .double, .float].contains(type), random.oneIn(2) {
          let bound = random.oneIn(3) ? Self.frequent(type) : random.value(type)
          let operations: [ComparisonOperator] = [
            .greater, .greaterOrEqual, .less, .lessOrEqual, .equal,
          ]
          let path = PropertyPath(["value"])
          term = .comparison(
            Comparison(.property(path), random.pick(operations), .value(bound)))
        }
        let page = try query(
          random.oneIn(3) ? "plain > 2" : "TRUEPREDICATE", and: term, isAscending: random.oneIn(2),
          further: random.pick([[], [], ["plain"]]),
          offset: random.pick([0, 0, 3, 50]), limit: random.pick([1, 5, 40, 190, 500]))
        _ = try check(snapshot, page, type)
      }
      let isInOrder = try check(
        snapshot, query("TRUEPREDICATE", isAscending: true, limit: 5), type)
      #expect(isInOrder)
    }
  }

  @Test(arguments: ["6180", "61FF", "FF"], [true, false])
  func `many rows with a text that is no UTF-8 are neither lost nor read for ever`(
    bytes: String, isAscending: Bool
  ) throws {
    let values = (0..<200).map { Value.string("name \($0 % 20)") }
    let foreign = Dictionary(
      uniqueKeysWithValues: (50..<90).map { ($0, "CAST(x'\(bytes)' AS TEXT)") })
    let snapshot = try store(.string, values, foreign).snapshot()
    for limit in [1, 30, 45, 170, 500] {
      for further in [[], ["plain"]] {
        for text in ["TRUEPREDICATE", "value >= 'a'", "plain > 2"] {
          let page = try query(text, isAscending: isAscending, further: further, limit: limit)
          _ = try check(snapshot, page, .string)
        }
      }
    }
  }

  @Test func `a fraction in a column of integers is found where it is met`() throws {
    let values = (0..<200).map { Value.int(Int64($0 / 4)) }
    let snapshot = try store(.int, values, [100: "7.5", 101: "1e300"]).snapshot()
    for isAscending in [true, false] {
      for text in ["value >= 0", "value < 30", "value > 10 AND plain > 2"] {
        for limit in [3, 60, 500] {
          _ = try check(
            snapshot, query(text, isAscending: isAscending, limit: limit), .int)
        }
      }
    }
  }
}
