import CSQLite
import Foundation
import Testing

/// Aggregates, compared with what SQLite works out from the store's own table.
@Suite struct AggregateTests {
  private func rows(_ arguments: String...) throws -> [[String: Any]] {
    let outcome = try Program.run(
      ["aggregate", try Airports.store(), "Airport"] + arguments + ["--format", "json"])
    #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
    return try #require(outcome.json as? [[String: Any]])
  }

  /// The rows of a query of SQLite, as texts; nil is null.
  private func sqlite(_ sql: String) throws -> [[String?]] {
    var database: OpaquePointer?
    #expect(
      sqlite3_open_v2(try Airports.store(), &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    defer { sqlite3_close(database) }
    var statement: OpaquePointer?
    #expect(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) }
        })
    }
    return rows
  }

  @Test(arguments: [
    ("TRUEPREDICATE", "1"), ("country == 'FR'", "country = 'FR'"),
    ("elevation > 300 AND name CONTAINS 'a'", "elevation > 300 AND instr(name, 'a')"),
    ("country == 'XX'", "country = 'XX'"),
  ])
  func `all together, as SQLite has it`(predicate: String, condition: String) throws {
    for indexes in ["on", "off"] {
      let row = try #require(
        try rows(
          predicate, "--compute",
          "count, count(city), sum(elevation), avg(elevation), min(elevation), max(name)",
          "--indexes", indexes
        ).first)
      let expected = try #require(
        try sqlite(
          "SELECT count(*), count(city), total(elevation), avg(elevation), min(elevation), max(name) "
            + "FROM Airport WHERE \(condition)"
        ).first)

      #expect(row["count"] as? Int == expected[0].flatMap(Int.init))
      #expect(row["count(city)"] as? Int == expected[1].flatMap(Int.init))
      for (index, name) in ["sum(elevation)", "avg(elevation)", "min(elevation)"].enumerated() {
        let (found, wanted) = (row[name] as? Double, expected[index + 2].flatMap(Double.init))
        #expect((found == nil) == (wanted == nil))
        // The order of the additions may differ.
        #expect(abs((found ?? 0) - (wanted ?? 0)) <= 1e-9 * abs(wanted ?? 0))
      }
      #expect(row["max(name)"] as? String == expected[5])
    }
  }

  @Test func `by a field, null first, as SQLite has it`() throws {
    let found = try rows("elevation > 1000", "--compute", "count, max(elevation)", "--by", "city")
    let expected = try sqlite(
      "SELECT city, count(*), max(elevation) FROM Airport WHERE elevation > 1000 GROUP BY city "
        + "ORDER BY city")

    #expect(found.count == expected.count && found.first?["city"] is NSNull)
    for (row, wanted) in zip(found, expected) {
      #expect(row["city"] as? String == wanted[0])
      #expect(row["count"] as? Int == wanted[1].flatMap(Int.init))
      #expect(row["max(elevation)"] as? Double == wanted[2].flatMap(Double.init))
    }
  }

  @Test func `lines in another order, and only some of them`() throws {
    let found = try rows(
      "--compute", "count", "--by", "country", "--sort", "count desc,country desc", "--limit", "20")
    let expected = try sqlite(
      "SELECT country FROM Airport GROUP BY country ORDER BY count(*) DESC, country DESC LIMIT 20")

    #expect(found.map { $0["country"] as? String } == expected.map { $0[0] })
    #expect(
      try succeed(
        "aggregate", try Airports.store(), "Airport", "country IN {'LU', 'XX'}", "--compute",
        "count",
        "--by", "country"
      ).stdout == """
        country  count
        ───────  ─────
        LU           3

        """)
  }

  @Test func `mistakes say what was expected`() throws {
    let store = try Airports.store()
    func refuse(_ compute: String, _ more: String..., saying words: String...) throws {
      let outcome = try Program.run(
        ["aggregate", store, "Airport", "--compute", compute] + more)
      expectSentence(outcome, words)
    }
    try refuse("median(elevation)", saying: "median(elevation)", "expected 'count'")
    try refuse("", saying: "expected 'count'")
    try refuse("count,count", saying: "'count' is asked for twice")
    try refuse("sum(name)", saying: "expected numbers", "'string'")
    try refuse("max(location)", saying: "single value", "'Location'")
    try refuse("max(elevatio)", saying: "did you mean 'elevation'?")
    try refuse("count", "--by", "location", saying: "--by", "single value")
    try refuse(
      "count", "--by", "country", "--sort", "name", saying: "no column 'name'", "'country', 'count'"
    )
    try fail(
      "aggregate", store, "Airport", "--compute", "count", "--limit", "1", saying: "--by",
      status: 64)
  }

  @Test func `a sum beyond 64 bits is refused`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("n\n9223372036854775807\n1\n")
    try succeed("import", csv, "--store", scratch.path("s"), "--into", "A")

    try fail(
      "aggregate", scratch.path("s"), "A", "--compute", "sum(n)", saying: "'sum(n)'", "64 bits")
    #expect(
      try succeed("aggregate", scratch.path("s"), "A", "--compute", "max(n)", "--format", "csv")
        .stdout
        == "max(n)\n9223372036854775807\n")
  }
}
