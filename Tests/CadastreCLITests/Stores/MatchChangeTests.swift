import Foundation
import Testing

/// The commands that change or delete the objects that match a predicate.
@Suite struct MatchChangeTests {
  private func countries(_ store: String) throws -> [String] {
    try succeed("query", store, "Airport", "--select", "country", "--format", "csv").lines
      .dropFirst().map(String.init)
  }

  @Test func `delete removes exactly the matching objects`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let before = try scratch.bytes("airports.cadastre")
    let matching = Airports.all.filter { $0.country == "FR" || $0.elevation > 10000 }
    let predicate = "country == 'FR' OR elevation > 10000"

    #expect(
      try succeed("delete", store, "Airport", predicate, "--dry-run").stderr
        == "would delete \(matching.count) objects of Airport\n")
    #expect(try scratch.bytes("airports.cadastre") == before)
    #expect(
      try succeed("delete", store, "Airport", predicate).stderr
        == "deleted \(matching.count) objects of Airport\n")
    #expect(
      try countries(store)
        == Airports.all.filter { $0.country != "FR" && $0.elevation <= 10000 }.map(\.country))
    #expect(try succeed("check", store).stdout == "ok\n")
    #expect(
      try succeed("delete", store, "Airport", predicate).stderr == "deleted 0 objects of Airport\n")
  }

  @Test func `set changes exactly the matching objects, with their indexes`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let expected = Airports.all.map { $0.elevation > 9000 ? "HIGH" : $0.country }
    let count = expected.filter { $0 == "HIGH" }.count

    #expect(
      try succeed(
        "set", store, "Airport", "elevation > $0", "--arg", "9000", "country=HIGH", "city=null",
        "location=2.5,-49"
      ).stderr == "set 3 fields of \(count) objects of Airport\n")
    #expect(try countries(store) == expected)
    for predicate in [
      "country == 'HIGH'", "country == 'HIGH' AND city == nil",
      "location GEOWITHIN geoCircle([2.5, -49], 0.00001)",
    ] {
      for indexes in ["on", "off"] {
        #expect(
          try succeed(
            "query", store, "Airport", predicate, "--format", "count", "--indexes", indexes
          ).stdout == "\(count)\n")
      }
    }
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `values are text of the type of the field`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let file = try scratch.csv(
      #"{"id":1,"s":"a","n":1,"f":1.5,"b":true,"d":"2024-01-02","o":{"c":"x"},"m":"q"}"# + "\n"
        + #"{"id":2,"s":"a","n":null,"f":1,"b":true,"d":"2024-01-02","o":null,"m":1}"# + "\n",
      "t.ndjson")
    try succeed("import", file, "--store", store, "--into", "T", "--pk", "id")

    try succeed(
      "set", store, "T", "TRUEPREDICATE", "s=\"null\"", "n=null", "f=2", "b=no", "d=2025-12-31",
      "o.c=y=z", "m=[]x")
    #expect(
      try succeed("query", store, "T", "--format", "ndjson").stdout == """
        {"id":1,"s":"null","n":null,"f":2.0,"b":false,"d":"2025-12-31","o":{"c":"y=z"},"m":"[]x"}
        {"id":2,"s":"null","n":null,"f":2.0,"b":false,"d":"2025-12-31","o":null,"m":"[]x"}

        """)
    let before = try scratch.bytes("s")
    for (assignment, words) in [
      ("n=x", "'n': expected an int, found 'x'"), ("s=null", "'s' is required"),
      ("id=3", "primary key"), ("q=3", "'q' not found"), ("q", "expected FIELD=VALUE"),
      ("=3", "expected FIELD=VALUE"), ("o=3", "is 'TO'"), ("o.q=3", "'q' not found"),
    ] {
      try fail("set", store, "T", "TRUEPREDICATE", assignment, saying: words)
    }
    try fail("set", store, "T", "TRUEPREDICATE", "n=1", "n=2", saying: "occurs twice")
    try fail("set", store, "T", "n >", "n=1", saying: "expected")
    try fail("delete", store, "T", "q == 1", saying: "'q' not found")
    try fail("delete", store, "T", saying: "TRUEPREDICATE", status: 64)
    #expect(try scratch.bytes("s") == before)
    try succeed("set", store, "T", "id == 2", "id=3")
    #expect(try succeed("query", store, "T", "id == 3", "--format", "count").stdout == "1\n")
    try fail("set", store, "T", "id == 3", "id=1", saying: "id")
  }
}
