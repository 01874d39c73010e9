import CSQLite
import Foundation
import Testing

/// Aggregates, compared with aggregates that SQLite computes on the table of the store.
@Suite struct AggregateTests {
  private func rows(_ arguments: String...) throws -> [[String: Any]] {
    let outcome = try Program.run(
      ["aggregate", try Airports.store(), "Airport"] + arguments + ["--format", "json"])
    #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
    return try #require(outcome.json as? [[String: Any]])
  }

  /// Returns the rows of an SQL query as texts; nil is null.
  private func sqlite(_ sql: String) throws -> [[String?]] {
    var database: OpaquePointer?
    #expect(
      sqlite3_open_v2(try Airports.store(), &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    defer { sqlite3_close(database) }
    // Other tests open and close the same store meanwhile.
    sqlite3_busy_timeout(database, 60_000)
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
  func `aggregates in total equal SQLite's`(predicate: String, condition: String) throws {
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
        let (actual, reference) = (row[name] as? Double, expected[index + 2].flatMap(Double.init))
        #expect((actual == nil) == (reference == nil))
        // The two sums may add the values in different orders.
        #expect(abs((actual ?? 0) - (reference ?? 0)) <= 1e-9 * abs(reference ?? 0))
      }
      #expect(row["max(name)"] as? String == expected[5])
    }
  }

  @Test func `aggregates by a field equal SQLite's, null first`() throws {
    let groups = try rows("elevation > 1000", "--compute", "count, max(elevation)", "--by", "city")
    let expected = try sqlite(
      "SELECT city, count(*), max(elevation) FROM Airport WHERE elevation > 1000 GROUP BY city "
        + "ORDER BY city")

    #expect(groups.count == expected.count && groups.first?["city"] is NSNull)
    for (group, row) in zip(groups, expected) {
      #expect(group["city"] as? String == row[0])
      #expect(group["count"] as? Int == row[1].flatMap(Int.init))
      #expect(group["max(elevation)"] as? Double == row[2].flatMap(Double.init))
    }
  }

  @Test func `several groups and a condition on them equal SQLite's`() throws {
    let groups = try rows(
      "elevation > 100", "--compute", "count, count( distinct city ), avg(elevation)", "--by",
      "country, tz", "--having",
      "count(DISTINCT city) > 5 AND (avg(elevation) < 2000 OR country == 'US')", "--sort",
      "count(distinct city) desc, country, tz desc")
    let expected = try sqlite(
      "SELECT country, tz, count(*), count(DISTINCT city) FROM Airport WHERE elevation > 100 "
        + "GROUP BY 1, 2 HAVING count(DISTINCT city) > 5 "
        + "AND (avg(elevation) < 2000 OR country = 'US') ORDER BY 4 DESC, 1, 2 DESC")

    #expect(groups.count == expected.count && expected.count > 50)
    for (group, row) in zip(groups, expected) {
      #expect(group["country"] as? String == row[0] && group["tz"] as? String == row[1])
      #expect(group["count"] as? Int == row[2].flatMap(Int.init))
      #expect(group["count(distinct city)"] as? Int == row[3].flatMap(Int.init))
    }
  }

  /// Returns whether two numbers are equal but for rounding; both may be nil.
  private func isNear(_ number: Any?, _ text: String?) -> Bool {
    guard let number = number as? Double, let expected = text.flatMap(Double.init) else {
      return !(number is Double) && text == nil
    }
    return abs(number - expected) <= 1e-9 * max(1, abs(expected))
  }

  @Test func `calculations by groups and deviations equal SQLite's`() throws {
    let groups = try rows(
      "country IN {'FR', 'CH', 'NZ', 'LU'}", "--compute", "count, stddev(elevation)", "--by",
      "country, location.latitude * 0 + 2 as two", "--having", "two == 2 AND count > 1", "--sort",
      "two, country desc")
    // The sample's variance from the differences to the mean.
    let expected = try sqlite(
      "SELECT country, count(*), sum((elevation - mean) * (elevation - mean)) / (count(*) - 1) "
        + "FROM (SELECT country, elevation, avg(elevation) OVER (PARTITION BY country) AS mean "
        + "FROM Airport WHERE country IN ('FR', 'CH', 'NZ', 'LU')) "
        + "GROUP BY country HAVING count(*) > 1 ORDER BY country DESC")

    #expect(groups.count == expected.count && expected.count >= 3)
    for (group, row) in zip(groups, expected) {
      #expect(group["country"] as? String == row[0] && group["two"] as? Double == 2)
      #expect(group["count"] as? Int == row[1].flatMap(Int.init))
      let deviation = try #require(group["stddev(elevation)"] as? Double)
      #expect(isNear(deviation * deviation, row[2]))
    }
    let doubled = try rows(
      "--compute", "count", "--by", "elevation * 2", "--sort", "elevation * 2 desc")
    let sums = try sqlite("SELECT elevation * 2, count(*) FROM Airport GROUP BY 1 ORDER BY 1 DESC")
    #expect(doubled.count == sums.count)
    for (group, row) in zip(doubled, sums) {
      #expect(isNear(group["elevation * 2"], row[0]))
      #expect(group["count"] as? Int == row[1].flatMap(Int.init))
    }
  }

  @Test func `groups, distinct values and their numbers agree on which values are equal`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv(
      """
      id,fee,share,name
      1,1.50,-0.0,\u{e9}
      2,1.5,0.5,e\u{301}
      3,-0,0.0,\u{e9}
      4,0.00,nan,a
      5,NaN,nan,a

      """)
    let store = scratch.path("s")
    try succeed(
      "import", csv, "--store", store, "--into", "T", "--pk", "id", "--types",
      "fee=decimal128,share=double")
    for (field, groups, distinct) in [
      ("fee", "NaN,1\n-0,2\n1.50,2\n", "1.50\n-0\nNaN\n"),
      ("share", "nan,2\n-0.0,2\n0.5,1\n", "-0.0\n0.5\nnan\n"),
      ("name", "a,2\ne\u{301},1\n\u{e9},2\n", "\u{e9}\ne\u{301}\na\n"),
    ] {
      let grouped = try succeed(
        "aggregate", store, "T", "--by", field, "--compute", "count", "--format", "csv"
      ).stdout
      #expect(Array(grouped.utf8) == Array("\(field),count\n\(groups)".utf8), "\(grouped)")
      let values = try succeed("query", store, "T", "--distinct", field, "--format", "csv").stdout
      #expect(Array(values.utf8) == Array("\(field)\n\(distinct)".utf8), "\(values)")
    }
    let numbers = try succeed(
      "aggregate", store, "T", "--compute",
      "count(distinct fee), count(distinct share), count(distinct name)", "--format", "csv"
    ).stdout
    #expect(numbers.hasSuffix("\n3,3,3\n"), "\(numbers)")
    let stats = try succeed("stats", store, "T", "--format", "csv").stdout
    for field in ["fee,decimal128,0,3,", "share,double,0,3,", "name,string,0,3,"] {
      #expect(stats.contains("\n\(field)"), "\(stats)")
    }
  }

  @Test func `quantiles are interpolated between sorted values`() throws {
    let elevations = Airports.all.filter { $0.country == "FR" }.map(\.elevation).sorted()
    func quantile(_ percent: Double) -> Double {
      let position = percent / 100 * Double(elevations.count - 1)
      let (low, high) = (Int(position.rounded(.down)), Int(position.rounded(.up)))
      return elevations[low] * (Double(high) - position + (low == high ? 1 : 0))
        + elevations[high] * (position - Double(low))
    }
    for arguments in [[], ["--by", "country"]] {
      let outcome = try Program.run(
        [
          "aggregate", try Airports.store(), "Airport", "country == 'FR'", "--format", "json",
          "--compute",
          "median(elevation), percentile(elevation, 0), percentile(elevation,100), "
            + "percentile( elevation , 37.5 )",
        ] + arguments)
      let row = try #require((outcome.json as? [[String: Any]])?.first)
      for (name, percent) in [
        ("median(elevation)", 50), ("percentile(elevation, 0)", 0),
        ("percentile(elevation, 100)", 100), ("percentile(elevation, 37.5)", 37.5),
      ] {
        let value = try #require(row[name] as? Double)
        #expect(abs(value - quantile(percent)) < 1e-9, "\(name)")
      }
    }
    let none = try rows("country == 'XX'", "--compute", "median(elevation), count(distinct city)")
    #expect(none[0]["median(elevation)"] is NSNull)
    #expect(none[0]["count(distinct city)"] as? Int == 0)
  }

  @Test func `dates are grouped by their parts`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv(
      "id,d\n1,2024-12-20T23:00:00Z\n2,2024-12-20T01:00:00Z\n3,2024-11-01\n4,\n5,0099-01-01\n")
    let store = scratch.path("s")
    try succeed("import", csv, "--store", store, "--into", "D", "--pk", "id")
    for (by, lines) in [
      ("year(d)", ",1\n0099,1\n2024,3\n"), ("month(d)", ",1\n0099-01,1\n2024-11,1\n2024-12,2\n"),
      ("day(d)", ",1\n0099-01-01,1\n2024-11-01,1\n2024-12-20,2\n"),
      ("hour( d )", ",1\n0099-01-01T00,1\n2024-11-01T00,1\n2024-12-20T01,1\n2024-12-20T23,1\n"),
    ] {
      #expect(
        try succeed("aggregate", store, "D", "--by", by, "--compute", "count", "--format", "csv")
          .stdout == "\(by.filter { $0 != " " }),count\n\(lines)")
    }
    #expect(
      try succeed("aggregate", store, "D", "--compute", "min(d),max(d)", "--format", "csv").stdout
        == "min(d),max(d)\n0099-01-01T00:00:00Z,2024-12-20T23:00:00Z\n")
  }

  @Test func `a histogram has bins of equal width with their bounds`() throws {
    let bins = try rows("--histogram", "elevation", "--bins", "4")
    let elevations = Airports.all.map { Double($0.elevation) }
    let (least, greatest) = (try #require(elevations.min()), try #require(elevations.max()))
    #expect(bins.count == 4 && bins[0]["from"] as? Double == least)
    #expect(bins[3]["to"] as? Double == greatest)
    for (index, bin) in bins.enumerated() {
      let (from, to) = (
        try #require(bin["from"] as? Double), try #require(bin["to"] as? Double)
      )
      let expected = elevations.filter { $0 >= from && ($0 < to || index == 3) }
      #expect(bin["count"] as? Int == expected.count)
    }
    let outcome = try Program.run([
      "aggregate", try Airports.store(), "Airport", "icao IN {'LFPG', 'LFPO'}", "--histogram",
      "elevation - elevation", "--format", "csv",
    ])
    #expect(outcome.stdout == "from,to,count\n0.0,0.0,2\n", "\(outcome.stderr)")
    try fail(
      "aggregate", try Airports.store(), "Airport", "--histogram", "name", saying: "numbers",
      "'name'")
    try fail(
      "aggregate", try Airports.store(), "Airport", "--histogram", "elevation", "--compute",
      "count",
      saying: "either --compute", status: 64)
    try fail(
      "aggregate", try Airports.store(), "Airport", "--histogram", "elevation", "--by", "country",
      saying: "bin(FIELD, WIDTH)", status: 64)
    try fail("aggregate", try Airports.store(), "Airport", saying: "--histogram", status: 64)
    try fail(
      "aggregate", try Airports.store(), "Airport", "--compute", "count", "--bins", "3",
      saying: "--bins needs --histogram", status: 64)
  }

  @Test func `a histogram leaves out null`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("n,x\n-150,-0.5\n-100,0.25\n-1,\n,0.5\n99,1.75\n100,0.0\n")
    let store = scratch.path("s")
    #expect(try Program.run(["import", csv, "--store", store, "--into", "T"]).status == 0)
    for (field, bins) in [
      ("n", "-150.0,-25.0,2\n-25.0,100.0,3\n"), ("x", "-0.5,0.625,4\n0.625,1.75,1\n"),
      ("n + x", "-150.5,-24.875,2\n-24.875,100.75,2\n"),
    ] {
      let outcome = try Program.run([
        "aggregate", store, "T", "--histogram", field, "--bins", "2", "--format", "csv",
      ])
      #expect(outcome.stdout == "from,to,count\n\(bins)", "\(field): \(outcome.stderr)")
    }
  }

  @Test func `a histogram of dates has dates as bounds`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv(
      "d\n2024-01-01T00:00:00Z\n2024-01-02T12:00:00Z\n\n2024-01-02T11:59:59.999Z\n"
        + "2024-01-04T00:00:00Z\n")
    let store = scratch.path("s")
    #expect(try Program.run(["import", csv, "--store", store, "--into", "T"]).status == 0)
    let outcome = try Program.run([
      "aggregate", store, "T", "--histogram", "d", "--bins", "2", "--format", "csv",
    ])
    #expect(
      outcome.stdout
        == "from,to,count\n2024-01-01T00:00:00Z,2024-01-02T12:00:00Z,2\n"
        + "2024-01-02T12:00:00Z,2024-01-04T00:00:00Z,2\n", "\(outcome.stderr)")
  }

  @Test func `groups by bins are the multiples of a width below the numbers`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("n,x\n-150,-0.5\n-100,0.25\n-1,0.5\n0,\n99,1.75\n100,0.0\n,0.75\n")
    let store = scratch.path("s")
    #expect(try Program.run(["import", csv, "--store", store, "--into", "T"]).status == 0)
    func groups(_ by: String, _ more: String...) throws -> String {
      let outcome = try Program.run(
        ["aggregate", store, "T", "--compute", "count", "--by", by, "--format", "csv"] + more)
      #expect(outcome.status == 0, "\(by): \(outcome.stderr)")
      return outcome.stdout
    }
    #expect(
      try groups("bin(n, 100)")
        == "\"bin(n, 100)\",count\n,1\n-200,1\n-100,2\n0,2\n100,1\n")
    #expect(
      try groups("bin( x , 0.5 )")
        == "\"bin(x, 0.5)\",count\n,1\n-0.5,1\n0.0,2\n0.5,2\n1.5,1\n")
    #expect(
      try groups("bin(n, 100)", "--having", "bin(n, 100) >= 0", "--sort", "bin(n, 100) desc")
        == "\"bin(n, 100)\",count\n100,1\n0,2\n")
    for wrong in ["bin(n)", "bin(n, 0)", "bin(n, -1)", "bin(n, wide)", "bin(n, inf)"] {
      try fail(
        "aggregate", store, "T", "--compute", "count", "--by", wrong, saying: "a width above 0")
    }
  }

  @Test func `--sort and --limit apply to the groups`() throws {
    let groups = try rows(
      "--compute", "count", "--by", "country", "--sort", "count desc,country desc", "--limit", "20")
    let expected = try sqlite(
      "SELECT country FROM Airport GROUP BY country ORDER BY count(*) DESC, country DESC LIMIT 20")

    #expect(groups.map { $0["country"] as? String } == expected.map { $0[0] })
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

  @Test func `errors name what was expected`() throws {
    let store = try Airports.store()
    func expectError(_ compute: String, _ more: String..., saying words: String...) throws {
      let outcome = try Program.run(
        ["aggregate", store, "Airport", "--compute", compute] + more)
      expectSentence(outcome, words)
    }
    try expectError("mode(elevation)", saying: "mode(elevation)", "expected 'count'")
    try expectError("median(name)", saying: "expected numbers", "'string'")
    try expectError("percentile(elevation, 101)", saying: "found 'percentile(elevation, 101)'")
    try expectError("percentile(elevation)", saying: "expected 'count'")
    try expectError("count", "--by", "country,country", saying: "occurs twice")
    try expectError("count", "--by", "day(name)", saying: "expects a date", "'string'")
    try expectError("count", "--by", "week(name)", saying: "year, month, day or hour")
    try expectError(
      "count", "--by", "country", "--having", "sum(elevation) > 1", saying: "is not computed")
    try expectError(
      "count", "--by", "country", "--having", "coun > 1", saying: "--having", "'coun'")
    try expectError("count", "--by", "country", "--having", "count >", saying: "--having")
    try expectError("", saying: "expected 'count'")
    try expectError("count,count", saying: "'count' occurs twice")
    try expectError("stddev(name)", saying: "expected numbers", "'string'")
    try expectError("count", "--by", "name * 2", saying: "'name * 2'")
    try expectError("count", "--by", "elevation * 2, elevation  * 2", saying: "occurs twice")
    try expectError("count", "--by", "country as c", saying: "only calculations get a name")
    try expectError("sum(name)", saying: "expected numbers", "'string'")
    try expectError("max(location)", saying: "single value", "'Location'")
    try expectError("max(elevatio)", saying: "did you mean 'elevation'?")
    try expectError("count", "--by", "location", saying: "--by", "single value")
    try expectError(
      "count", "--by", "country", "--sort", "name", saying: "no column 'name'", "'country', 'count'"
    )
    try fail(
      "aggregate", store, "Airport", "--compute", "count", "--limit", "1", saying: "--by",
      status: 64)
  }

  @Test func `a sum that overflows Int64 is an error`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("n\n9223372036854775807\n1\n")
    try succeed("import", csv, "--store", scratch.path("s"), "--into", "A")

    try fail(
      "aggregate", scratch.path("s"), "A", "--compute", "sum(n)", saying: "'sum(n)'", "64-bit")
    #expect(
      try succeed("aggregate", scratch.path("s"), "A", "--compute", "max(n)", "--format", "csv")
        .stdout
        == "max(n)\n9223372036854775807\n")
  }
}
