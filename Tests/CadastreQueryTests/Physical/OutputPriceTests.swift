import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// The price of a plan includes what the query yields.
@Suite struct OutputPriceTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Event",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "level", type: .int, isIndexed: true), Property(name: "note", type: .string),
      ])
  ])

  private static let count = 12_000

  private static let store = Result {
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for number in 0..<count {
      let row: [Value] = [
        .int(Int64(number)), .int(Int64(number * 7919 % count)), .string("note \(number)"),
      ]
      _ = try transaction.insert("Event", row)
    }
    try transaction.commit()
    return file
  }

  private enum Output { case keys, count, columns([String]) }

  private static func plan(
    _ text: String, _ output: Output, order: String? = nil, limit: Int? = nil
  ) throws -> String {
    var query = try ObjectQuery(
      "Event", where: QueryPredicate(parsing: text),
      order: order.map { [SortKey(PropertyPath([$0]))] } ?? [], limit: limit
    ).bound(to: schema)
    let root = try #require(schema["Event"])
    query.output =
      switch output {
      case .keys: .keys
      case .count: .count
      case .columns(let names):
        .columns(try names.map { try schema.resolve(PropertyPath([$0]), from: root) })
      }
    return PlanText(Planner(StoreCatalog(try store.get().snapshot())).plan(query)).text()
  }

  @Test func `a range that a scan beats is a scan, where a column is read with each key`() throws {
    let range = "level >= 1000 AND level < 9000"
    #expect(try Self.plan(range, .keys) == "IndexSearch Event.level [1000, 9000)")
    #expect(
      try Self.plan(range, .columns(["note"])) == """
        Project note (in the scan)
        └─ Filter level >= 1000 AND level < 9000
           └─ Scan Event
        """)
    #expect(
      try Self.plan(range, .count) == """
        Count
        └─ IndexSearch Event.level [1000, 9000)
        """)
  }

  @Test func `a range whose entries contain the columns is a search of the index`() throws {
    #expect(
      try Self.plan("level >= 1000 AND level < 9000", .columns(["level"])) == """
        Project level (from the index)
        └─ IndexSearch Event.level [1000, 9000)
        """)
    #expect(
      try Self.plan("level >= 1000 AND level < 9000", .columns(["id", "level"])) == """
        Project id, level (from the index)
        └─ IndexSearch Event.level [1000, 9000)
        """)
    #expect(
      try Self.plan("level > 100", .columns(["id"]), order: "level", limit: 5) == """
        Project id (from the index)
        └─ Limit 5
           └─ OrderedSearch Event.level (100, …) ascending
        """)
  }

  @Test func `a narrow range reads the columns of its rows by key`() throws {
    #expect(
      try Self.plan("level >= 1000 AND level < 1010", .columns(["note", "level"])) == """
        Project note, level (by key)
        └─ IndexSearch Event.level [1000, 1010)
        """)
  }

  @Test func `rows that conditions read have the columns`() throws {
    #expect(
      try Self.plan("level == 7 AND note CONTAINS '1'", .columns(["id"])) == """
        Project id (with the rows)
        └─ Filter note CONTAINS '1'
           └─ IndexSearch Event.level == 7
        """)
  }

  @Test func `a sort of all rows keeps the columns, a sort of the first ones reads them after`()
    throws
  {
    #expect(
      try Self.plan("TRUEPREDICATE", .columns(["id"]), order: "note") == """
        Project id (with the rows)
        └─ Sort note ascending
           └─ Scan Event
        """)
    #expect(
      try Self.plan("TRUEPREDICATE", .columns(["id"]), order: "note", limit: 5) == """
        Project id (by key)
        └─ Limit 5
           └─ Sort note ascending
              └─ Scan Event
        """)
  }

  @Test func `a count needs no order`() throws {
    #expect(
      try Self.plan("level > 100", .count, order: "note", limit: 5) == """
        Count
        └─ Limit 5
           └─ Filter level > 100
              └─ Scan Event
        """)
  }
}
