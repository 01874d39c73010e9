import Foundation
import Testing

@Suite struct ImportTests {
  @Test func `rejected rows are printed where the file is a hyphen`() throws {
    let scratch = try Scratch()
    let file = try scratch.csv("id,n\n1,1\n2,x\n")
    let outcome = try run(
      "import", file, "--store", scratch.path("s"), "--into", "T", "--types", "n=int",
      "--max-rejects", "1", "--rejects", "-")

    #expect(outcome.status == 2 && outcome.lines.count == 1)
    #expect((outcome.json as? [String: Any])?["line"] as? Int == 3)
    #expect(!scratch.names.contains("-"))
  }

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func summary(_ arguments: String...) throws -> [String: Int] {
    let outcome = try Program.run(["import"] + arguments + ["--summary", "json"])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    let counts = try #require(outcome.json as? [String: Double])
    return counts.filter { !["seconds", "rowsPerSecond"].contains($0.key) && $0.value != 0 }
      .mapValues { Int($0) }
  }

  /// Returns a column of all objects, sorted by key; points as longitude and latitude.
  private func column(_ name: String, of store: String, _ className: String = "T") throws
    -> [String]
  {
    let outcome = try succeed("query", store, className, "--select", name, "--format", "csv")
    return outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false)
      .dropFirst().dropLast().map { $0 == "\"\"" ? "" : String($0) }
  }

  @Test func `types are inferred from all rows, and nulls make them optional`() throws {
    let csv = try scratch.csv(
      """
      id,n,opened,flag,code,uuid,lat,lon
      1,3,2024-01-02,true,007,6f9619ff-8b86-d011-b42d-00c04fc964ff,1,2
      2,NA,NA,NA,NA,NA,NA,NA
      3,2.5,2024-01-02T03:04:05Z,false,8,6f9619ff-8b86-d011-b42d-00c04fc964fe,-1,-2

      """)
    let store = scratch.path("s")
    #expect(
      try summary(csv, "--store", store, "--into", "T", "--pk", "id", "--null", "NA")
        == ["read": 3, "inserted": 3])

    #expect(
      try succeed("schema", store).stdout.contains(
        """
        T
          id: int, primary key
          n: double, optional
          opened: date, optional
          flag: bool, optional
          code: string, optional
          uuid: uuid, optional
          location: Location, optional

        """))
    #expect(try column("n", of: store) == ["3.0", "", "2.5"])
    #expect(try column("location", of: store) == ["2,1", ",", "-2,-1"])
    #expect(
      try column("opened", of: store) == ["2024-01-02T00:00:00Z", "", "2024-01-02T03:04:05Z"])
  }

  @Test func `types, coordinate columns and nulls can be declared`() throws {
    let csv = try scratch.csv("id,a,b,east,north\n1,5,x,2,1\n2,6,-,3,2\n")
    let store = scratch.path("s")
    try succeed(
      "import", csv, "--store", store, "--into", "T", "--types", "a=string,id=double", "--null",
      "-", "--location", "east,north")

    let schema = try succeed("schema", store).stdout
    #expect(schema.contains("  a: string\n") && schema.contains("  id: double\n"))
    #expect(schema.contains("  b: string, optional\n"))
    #expect(try column("location", of: store) == ["2,1", "3,2"])
  }

  @Test func `tabs, points in WKT and several files are read`() throws {
    let first = try scratch.csv("name\tshape\na\tPOINT (1 2)\nb, c\t\n", "first.tsv")
    let second = try scratch.csv("name\tshape\nd\tPoint(3 4)\n", "second.tsv")
    let store = scratch.path("s")

    #expect(
      try summary(
        first, second, "--store", store, "--into", "T", "--wkt", "shape", "--format", "tsv")
        == ["read": 3, "inserted": 3])
    #expect(try column("name", of: store) == ["a", "\"b, c\"", "d"])
    #expect(try column("location", of: store) == ["1,2", ",", "3,4"])
    try fail(
      "import", first, try scratch.csv("other\tshape\n"), "--store", scratch.path("t"), "--into",
      "T", saying: "table.csv", "other", "expected those of")
  }

  @Test(arguments: ["-", "/dev/stdin"])
  func `a pipe is copied to a file for the second pass`(name: String) throws {
    let store = scratch.path("s")
    let outcome = try Program.run(
      [],
      through: [
        "/bin/sh", "-c",
        "printf 'a,lat,lon\\n1,2,3\\n' | \"$0\" import \(name) --store \(store) --into T",
      ])

    #expect(outcome.status == 0)
    #expect(try column("a", of: store) == ["1"])
  }

  @Test func `a second import adds objects and indexes to the class`() throws {
    let store = scratch.path("s")
    let first = try scratch.csv("id,n\n1,10\n2,20\n", "first.csv")
    let second = try scratch.csv("id,n\n2,21\n3,30\n", "second.csv")
    try succeed("import", first, "--store", store, "--into", "T", "--pk", "id")
    #expect(try succeed("explain", store, "T", "n == 20").stdout.contains("Scan T"))

    try fail(
      "import", second, "--store", store, "--into", "T", saying: "second.csv, line 2", "'id'")
    #expect(try column("n", of: store) == ["10", "20"])
    #expect(
      try summary(second, "--store", store, "--into", "T", "--skip-existing")
        == ["read": 2, "inserted": 1, "skipped": 1])
    #expect(try column("n", of: store) == ["10", "20", "30"])
    #expect(
      try summary(second, "--store", store, "--into", "T", "--upsert", "--index", "n")
        == ["read": 2, "updated": 1, "unchanged": 1])
    #expect(try column("n", of: store) == ["10", "21", "30"])
    #expect(try succeed("info", store).stdout.contains("  index    n\n"))
    #expect(try succeed("query", store, "T", "n == 21", "--format", "count").stdout == "1\n")
    #expect(try succeed("check", store).stdout == "ok\n")

    let other = try scratch.csv("id,m\n9,1\n", "other.csv")
    try fail("import", other, "--store", store, "--into", "T", saying: "'m': int in the files")
    try succeed("import", other, "--store", store, "--into", "U")
    #expect(try column("m", of: store, "U") == ["1"])
    #expect(try column("n", of: store) == ["10", "21", "30"])
  }

  @Test func `rows are selected by predicate, box, offset and limit`() throws {
    let where1 = "country == 'FR' AND elevation > 1000"
    let store = scratch.path("s")
    let csv = Airports.csv
    let high = Airports.all.filter { $0.country == "FR" && $0.elevation > 1000 }

    #expect(
      try summary(csv, "--store", store, "--into", "A", "--where", where1)
        == ["read": 28_298, "inserted": high.count, "skipped": 28_298 - high.count])
    #expect(try column("icao", of: store, "A") == high.map(\.icao))
    try succeed(
      "import", csv, "--store", store, "--into", "B", "--where", where1, "--offset", "2",
      "--limit", "3")
    #expect(try column("icao", of: store, "B") == high[2..<5].map(\.icao))
    // This box contains the antimeridian.
    try succeed("import", csv, "--store", store, "--into", "C", "--bbox", "176,-20,-171,-12")
    let pacific = Airports.all.filter {
      ($0.longitude >= 176 || $0.longitude <= -171) && (-20 ... -12).contains($0.latitude)
    }
    #expect(try column("icao", of: store, "C") == pacific.map(\.icao) && pacific.count > 10)
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `rejected rows up to --max-rejects are written with reasons`() throws {
    let csv = try scratch.csv("id,lat,lon\n1,1,1\n1,2,2\n2,95,2\n3\n4,x,1\n5,3,4\n")
    let store = scratch.path("s")
    let arguments = [
      "import", csv, "--store", store, "--into", "T", "--pk", "id", "--rejects",
      scratch.path("rejects.ndjson"), "--max-rejects",
    ]

    let failed = try Program.run(arguments + ["3"])
    expectSentence(failed, ["line 6", "'x'", "--max-rejects allows 3"])
    #expect(scratch.names == ["table.csv"])

    let outcome = try Program.run(arguments + ["4", "--summary", "json"])
    #expect(outcome.status == 2)
    let counts = outcome.json as? [String: Double]
    #expect(counts?["read"] == 6 && counts?["inserted"] == 2 && counts?["rejected"] == 4)
    #expect(try column("id", of: store) == ["1", "5"])
    let rejects = try String(decoding: scratch.bytes("rejects.ndjson"), as: UTF8.self)
      .split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
    #expect(rejects.map { $0["line"] as? Int } == [3, 4, 5, 6])
    #expect(rejects.allSatisfy { $0["file"] as? String == csv })
    #expect((rejects[1]["reason"] as? String)?.contains("latitude 95") == true)
  }

  @Test func `a dry run prints the class and stores nothing`() throws {
    let csv = try scratch.csv("id,lat,lon\n1,1,1\n2,2,2\n")
    let store = scratch.path("s")
    let first = try succeed("import", csv, "--store", store, "--into", "T", "--dry-run")

    #expect(first.stdout == "T\n  id: int\n  location: Location, optional\n")
    #expect(first.stderr.hasPrefix("would import into T: 2 rows read, 2 inserted in "))
    #expect(scratch.names == ["table.csv"])

    try succeed("import", csv, "--store", store, "--into", "T", "--pk", "id")
    let bytes = try scratch.bytes("s")
    try succeed("import", csv, "--store", store, "--into", "U", "--dry-run")
    // Regression: a dry run did not detect keys that are stored already.
    try fail("import", csv, "--store", store, "--into", "T", "--dry-run", saying: "line 2", "'id'")
    #expect(try scratch.bytes("s") == bytes)
    try fail(
      "import", csv, "--store", csv, "--into", "T", "--dry-run", saying: "not a Cadastre store")
  }

  @Test func `a file with only a header creates the class`() throws {
    let csv = try scratch.csv("a,b\n")
    let store = scratch.path("s")

    #expect(try summary(csv, "--store", store, "--into", "T") == [:])
    #expect(
      try succeed("schema", store).stdout == "T\n  a: string, optional\n  b: string, optional\n")
    #expect(try succeed("query", store, "T", "--format", "count").stdout == "0\n")
  }

  @Test func `field names may contain any characters`() throws {
    let csv = try scratch.csv("a.b,select,\"c d\",é,\"q\"\"x\"\n1,2,3,4,5\n")
    let store = scratch.path("s")
    try succeed("import", csv, "--store", store, "--into", "Ab c'\"d")

    let outcome = try succeed("query", store, "Ab c'\"d", "--format", "json")
    let object = try #require((outcome.json as? [[String: Int]])?.first)
    #expect(object == ["a_b": 1, "select": 2, "c d": 3, "é": 4, "q\"x": 5])
  }

  @Test func `--progress writes to standard error`() throws {
    let csv = try scratch.csv("a\n1\n")
    let outcome = try succeed(
      "import", csv, "--store", scratch.path("s"), "--into", "T", "--progress")

    #expect(outcome.stdout == "")
    #expect(outcome.stderr.contains("imported into T: 1 rows read"))
  }
}
