import Foundation
import Testing

/// Imports of a feed whose columns and rows change from day to day.
@Suite struct FeedTests {
  private static let days = [
    "id,name,pop,lat,lon,day\n1,Oslo,700,59.9,10.7,2024-01-01\n2,Rome,2800,41.9,12.5,2024-01-02\n"
      + "3,Bonn,330,50.7,7.1,2024-01-03\n",
    "id,name,pop,lat,lon,day,note\n1,Oslo,700.5,59.9,10.7,2024-01-01,\n"
      + "2,,2800,41.9,12.5,2024-01-02,hi\n4,Kiel,246,54.3,10.1,unknown,x\n",
  ]

  @Test func `alter changes the class and says so`() throws {
    let scratch = try Scratch()
    let files = try Self.days.enumerated().map { try scratch.csv($1, "\($0).csv") }
    let store = scratch.path("s")
    try succeed(
      "import", files[0], "--store", store, "--into", "City", "--pk", "id", "--index", "pop")
    let before = try scratch.bytes("s")

    try fail(
      "import", files[1], "--store", store, "--into", "City", "--pk", "id", "--upsert",
      saying: "'pop': double in the files", "'note'", "with --alter the class is changed")
    #expect(try scratch.bytes("s") == before)
    let outcome = try succeed(
      "import", files[1], "--store", store, "--into", "City", "--pk", "id", "--upsert", "--alter")
    for change in [
      "altered: City.name is optional\n", "altered: City.pop is a double, was an int\n",
      "altered: City.day is a string, was a date\n",
      "altered: City.note is new: string, optional\n", "1 inserted, 2 updated in",
    ] {
      #expect(outcome.stderr.contains(change))
    }
    #expect(
      try succeed("query", store, "City", "--sort", "id", "--format", "csv").stdout == """
        id,name,pop,day,longitude,latitude,note
        1,Oslo,700.5,2024-01-01,10.7,59.9,
        2,,2800.0,2024-01-02,12.5,41.9,hi
        3,Bonn,330.0,2024-01-03,7.1,50.7,
        4,Kiel,246.0,unknown,10.1,54.3,x

        """)
    let plan = try succeed("explain", store, "City", "pop > 700").stdout
    #expect(plan.contains("IndexSearch City.pop"))
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `a dry run names the changes and changes nothing`() throws {
    let scratch = try Scratch()
    let files = try Self.days.enumerated().map { try scratch.csv($1, "\($0).csv") }
    let store = scratch.path("s")
    try succeed("import", files[0], "--store", store, "--into", "City", "--pk", "id")
    let before = try scratch.bytes("s")
    let outcome = try succeed(
      "import", files[1], "--store", store, "--into", "City", "--pk", "id", "--upsert", "--alter",
      "--delete-missing", "--dry-run")

    #expect(outcome.stderr.contains("would alter: City.pop is a double, was an int\n"))
    #expect(outcome.stderr.contains("1 inserted, 2 updated, 1 deleted"))
    #expect(try scratch.bytes("s") == before)
  }

  @Test func `an import of a full snapshot deletes the missing objects`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let lines = try String(contentsOfFile: Airports.csv, encoding: .utf8).split(separator: "\n")
    let kept = lines.enumerated().filter { $0.offset == 0 || $0.offset % 3 == 1 }.map(\.element)
    let file = try scratch.csv(kept.joined(separator: "\n") + "\n")
    let outcome = try succeed(
      "import", file, "--store", store, "--into", "Airport", "--pk", "icao", "--upsert",
      "--delete-missing", "--summary", "json")
    let summary = try #require(outcome.json as? [String: Any])

    #expect(summary["unchanged"] as? Int == kept.count - 1)
    #expect(summary["deleted"] as? Int == Airports.all.count - kept.count + 1)
    #expect(summary["inserted"] as? Int == 0)
    let expected = Airports.all.indices.filter { $0 % 3 == 0 }.map { Airports.all[$0].icao }
    #expect(
      try succeed("query", store, "Airport", "--select", "icao", "--format", "csv").lines
        .dropFirst().map(String.init) == expected)
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `only objects with another version are compared`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let first = try scratch.csv("id,n,day\n1,1,2024-01-01\n2,2,2024-01-01\n3,3,\n4,4,\n", "a.csv")
    let second = try scratch.csv(
      "id,n,day\n1,9,2024-01-01\n2,8,2024-01-02\n3,7,\n4,6,2024-01-02\n5,5,\n", "b.csv")
    try succeed("import", first, "--store", store, "--into", "T", "--pk", "id")
    let outcome = try succeed(
      "import", second, "--store", store, "--into", "T", "--pk", "id", "--upsert",
      "--where-changed", "day", "--delete-missing")

    #expect(outcome.stderr.contains("1 inserted, 2 updated, 2 unchanged in"))
    #expect(
      try succeed("query", store, "T", "--select", "n", "--format", "csv").lines.dropFirst()
        == ["1", "8", "3", "6", "5"])
    let before = try scratch.bytes("s")
    func run(_ options: String...) throws -> Outcome {
      try Program.run(["import", second, "--store", store, "--into", "T", "--pk", "id"] + options)
    }
    expectSentence(try run("--upsert", "--where-changed", "dya"), ["'dya'", "'day'"])
    expectSentence(try run("--where-changed", "day"), ["needs --upsert"], status: 64)
    #expect(try scratch.bytes("s") == before)
  }

  @Test func `missing objects are not deleted where the rows are not known`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let first = try scratch.csv("id,n\n1,1\n2,2\n")
    try succeed("import", first, "--store", store, "--into", "T", "--pk", "id")
    let before = try scratch.bytes("s")
    func run(_ text: String, _ options: String...) throws -> Outcome {
      try Program.run(
        [
          "import", try scratch.csv(text, "next.csv"), "--store", store, "--into", "T", "--pk",
          "id", "--delete-missing",
        ] + options)
    }

    expectSentence(try run("id,n\n", "--upsert"), ["no rows"])
    expectSentence(
      try run("id,n\n1,1\n2,x\n", "--upsert", "--max-rejects", "5"), ["--delete-missing: 1 row"])
    expectSentence(try run("id,n\n1,1\n"), ["needs --upsert"], status: 64)
    expectSentence(try run("id,n\n1,1\n", "--upsert", "--limit", "1"), ["all rows"], status: 64)
    #expect(try scratch.bytes("s") == before)
  }

  @Test func `alter changes embedded classes of nested records`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let first = try scratch.csv(#"{"id":1,"a":{"x":1}}"# + "\n", "a.ndjson")
    let second = try scratch.csv(
      #"{"id":2,"a":{"y":"z"},"b":{"k":1},"c":[{"d":1}]}"# + "\n", "b.ndjson")
    try succeed("import", first, "--store", store, "--into", "A", "--pk", "id")
    try succeed("import", second, "--store", store, "--into", "A", "--pk", "id", "--alter")

    #expect(
      try succeed("query", store, "A", "--format", "ndjson").stdout == """
        {"id":1,"a":{"x":1,"y":null},"b":null,"c":[]}
        {"id":2,"a":{"x":null,"y":"z"},"b":{"k":1},"c":[{"d":1}]}

        """)
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `alter removes a compound index on a property that becomes mixed`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let first = try scratch.csv(#"{"id":1,"a":1,"b":2}"# + "\n", "a.ndjson")
    let second = try scratch.csv(
      #"{"id":2,"a":true,"b":3}"# + "\n" + #"{"id":3,"a":0,"b":4}"# + "\n", "b.ndjson")
    try succeed(
      "import", first, "--store", store, "--into", "T", "--pk", "id", "--index", "a,b",
      "--index", "b,id")
    let outcome = try succeed(
      "import", second, "--store", store, "--into", "T", "--pk", "id", "--alter")

    #expect(outcome.stderr.contains("altered: T.a is a mixed, was an int\n"))
    #expect(
      outcome.stderr.contains("altered: T.(a, b) has no index, because 'a' is mixed\n"))
    let schema = try succeed("schema", store).stdout
    #expect(!schema.contains("index on a, b\n") && schema.contains("  index on b, id\n"))
    #expect(
      try succeed("query", store, "T", "--sort", "id", "--format", "ndjson").stdout == """
        {"id":1,"a":1,"b":2}
        {"id":2,"a":true,"b":3}
        {"id":3,"a":0,"b":4}

        """)
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `alter leaves a mixed property mixed`() throws {
    // Another change of the class made it a string.
    let scratch = try Scratch()
    let store = scratch.path("s")
    let first = try scratch.csv(
      #"{"id":1,"a":1}"# + "\n" + #"{"id":2,"a":true}"# + "\n", "a.ndjson")
    let second = try scratch.csv(#"{"id":3,"a":5,"c":"x"}"# + "\n", "b.ndjson")
    try succeed("import", first, "--store", store, "--into", "T", "--pk", "id")
    let outcome = try succeed(
      "import", second, "--store", store, "--into", "T", "--pk", "id", "--alter")

    #expect(outcome.stderr.contains("altered: T.c is new: string, optional\n"))
    #expect(!outcome.stderr.contains("T.a"))
    #expect(
      try succeed("query", store, "T", "--sort", "id", "--format", "ndjson").stdout == """
        {"id":1,"a":1,"c":null}
        {"id":2,"a":true,"c":null}
        {"id":3,"a":5,"c":"x"}

        """)
  }

  @Test func `a value that a wider type cannot hold stops the change`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let first = try scratch.csv("id,v\n1,9007199254740993\n")
    let second = try scratch.csv("id,v\n2,1.5\n", "b.csv")
    try succeed("import", first, "--store", store, "--into", "T", "--pk", "id")
    let before = try scratch.bytes("s")

    try fail(
      "import", second, "--store", store, "--into", "T", "--pk", "id", "--alter",
      saying: "9007199254740993 in 'v' has no exact value of type double")
    #expect(try scratch.bytes("s") == before)
    try succeed(
      "import", second, "--store", store, "--into", "T", "--pk", "id", "--alter", "--types",
      "v=string")
    #expect(
      try succeed("query", store, "T", "--format", "csv").stdout
        == "id,v\n1,9007199254740993\n2,1.5\n")
  }

  @Test func `a primary key that changes its type keeps its objects`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let first = try scratch.csv("id,v\n7,1\n8,2\n")
    let second = try scratch.csv("id,v\n7,5\nx,6\n", "b.csv")
    try succeed("import", first, "--store", store, "--into", "T", "--pk", "id")
    try succeed(
      "import", second, "--store", store, "--into", "T", "--pk", "id", "--alter", "--upsert")

    #expect(
      try succeed("query", store, "T", "--format", "csv").stdout == "id,v\n7,5\n8,2\nx,6\n")
    #expect(try succeed("check", store).stdout == "ok\n")
  }
}
