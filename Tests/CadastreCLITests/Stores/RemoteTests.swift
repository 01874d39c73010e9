import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// The commands on a database: the output is that of the same command on the store.
@Suite(.enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct RemoteTests {
  private let folder: Scratch
  private let store: String
  private let database: String

  init() throws {
    folder = try Scratch()
    // A push writes to the store what it has copied.
    store = try folder.airportsStore(from: Airports.smallStore())
    database = try #require(PostgresServer.shared).newURL()
    try succeed("push", store, database)
  }

  /// Runs a command on the store and on the database.
  private func compare(_ command: String, _ arguments: String...) throws {
    let local = try Program.run([command, store] + arguments)
    let remote = try Program.run([command, database] + arguments)
    #expect(remote.stdout == local.stdout, "\(arguments): \(remote.stderr)")
    #expect(
      remote.stderr == local.stderr && remote.status == local.status,
      "\(arguments): status \(remote.status), \(remote.stderr)")
  }

  @Test func `queries print the objects of the store`() throws {
    let circle = "location GEOWITHIN geoCircle([2.3522, 48.8566], 200km)"
    try compare("query", "Airport", circle, "--format", "geojson")
    try compare("query", "Airport", circle, "--format", "count")
    try compare("query", "Airport", "name CONTAINS[c] 'paris'", "--near", "2.35,48.85")
    try compare("query", "Airport", "--near", "2.35,48.85", "--limit", "7", "--format", "csv")
    try compare(
      "query", "Airport", "country IN {'FR', 'DE'} AND elevation > 100", "--sort",
      "country, elevation desc", "--limit", "20", "--offset", "3", "--select", "icao,location",
      "--format", "json")
    try compare("query", "Airport", "--bbox", "170,-50,-170,10", "--format", "ids")
    try compare("query", "Airport", "elevation > $0", "--arg", "3000", "--format", "ndjson")
    try compare("query", "Airport", "countr == 'FR'")
    try compare("query", "Airpor")
    try compare("schema")
    try compare("export", "Airport", "country == 'CH'", "--to", "-", "--format", "csv")
  }

  @Test func `aggregates are those of the store`() throws {
    try compare("aggregate", "Airport", "country == 'FR'", "--compute", "count, max(elevation)")
    try compare("aggregate", "Airport", "country == '?'", "--compute", "count, min(name)")
    try compare(
      "aggregate", "Airport", "--compute", "count, avg(elevation), sum(elevation)", "--by",
      "country", "--sort", "count desc", "--limit", "10", "--format", "csv")
    try compare(
      "aggregate", "Airport", "elevation > 100", "--compute", "count, count(icao), min(name)",
      "--by", "country,tz", "--having", "count > 100", "--format", "json")
    // Those that need the objects themselves.
    try compare(
      "aggregate", "Airport", "--bbox", "-5,42,8,51", "--compute",
      "median(elevation), count(distinct country), first(name), sum(elevation / 3)")
    try compare(
      "aggregate", "Airport", "country == 'FR'", "--by", "tile(location, 6)", "--compute", "count")
    try compare("aggregate", "Airport", "--compute", "avg(name)")
    try compare("aggregate", "Airport", "countr == 1", "--compute", "count")
  }

  @Test func `joins are those of the store`() throws {
    try compare(
      "join", "Airport", "Airport", "GEODISTANCE(location, other.location) < 2km", "--format",
      "count")
    try compare(
      "join", "Airport", "Airport", "--where", "country == 'FR' AND elevation > 1000",
      "--nearest", "2", "--within", "500km", "--select", "name,other.name")
    try compare("join", "Airport", "Airport", "GEODISTANCE(location, other.nowhere) < 2km")
  }

  @Test func `partitions are printed as the store`() throws {
    let others = try PostgresServer.three.flatMap { ["--server", try $0.newURL()] }
    let spread = try #require(PostgresServer.shared).newURL()
    let pushed = try Program.run(
      ["push", store, spread, "Airport", "--partition-by", "cell(location, 10)"] + others)
    #expect(pushed.status == 0, "\(pushed.stderr)")
    for arguments in [
      ["query", "Airport", "country == 'CH'", "--format", "csv"],
      ["query", "Airport", "--near", "2.35,48.85", "--limit", "7"],
      ["aggregate", "Airport", "--by", "country", "--compute", "count, avg(elevation)"],
    ] {
      let local = try Program.run([arguments[0], store] + arguments.dropFirst())
      let remote = try Program.run([arguments[0], spread] + arguments.dropFirst())
      #expect(remote.stdout == local.stdout && !local.stdout.isEmpty, "\(arguments)")
    }
    let plan = try succeed(
      "explain", spread, "Airport", "location GEOWITHIN geoCircle([2.3522, 48.8566], 10km)")
    #expect(plan.stdout.split(separator: "\n").count { $0.contains("Foreign Scan") } == 1)
    try fail(
      "push", store, spread, "Airport", "--partition-by", "cell(name)",
      saying: "no embedded point 'name'")
    try fail("push", store, spread, "--partitions", "3", saying: "need --partition-by", status: 64)
    let citus = try Program.run(["push", store, spread, "Airport", "--distribute"])
    #expect(citus.stdout.contains("SELECT create_distributed_table(E'\"Airport\"', E'_key');"))
    #expect(citus.status == 1 && citus.stderr.contains("no extension 'citus'"))
  }

  @Test func `explain prints the index of the server`() throws {
    let plan = try succeed(
      "explain", database, "Airport", "location GEOWITHIN geoCircle([2.3522, 48.8566], 10km)")
    #expect(plan.stdout.contains("Index Scan"))
  }

  @Test func `info prints the classes with their counts`() throws {
    let text = try succeed("info", database).stdout
    #expect(text.contains("class      Airport: ") && !text.contains("password"))
    #expect(try succeed("info", database, "--format", "json").stdout.contains("\"Airport\""))
  }

  @Test func `a pull returns the store`() throws {
    let scratch = try Scratch()
    let copy = scratch.path("copy.cadastre")
    let outcome = try succeed("pull", database, copy)
    #expect(outcome.stderr.contains("Airport: "))
    try succeed("check", copy)
    let (first, second) = (
      try succeed("query", store, "Airport", "--format", "ndjson"),
      try succeed("query", copy, "Airport", "--format", "ndjson")
    )
    #expect(first.stdout == second.stdout)
    let again = try succeed("pull", database, copy)
    #expect(again.stderr.contains("Airport: "))
    #expect(try succeed("query", copy, "Airport", "--format", "ndjson").stdout == first.stdout)
    try fail("pull", database, scratch.path("x.cadastre"), "Town", saying: "it has Airport")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("x.cadastre")))
  }

  @Test func `changes of others are named and overwritten only on request`() throws {
    let scratch = try Scratch()
    let copy = scratch.path("copy.cadastre")
    try succeed("pull", database, copy)
    try succeed("set", copy, "Airport", "icao == 'LFPG'", "elevation=1")
    try succeed("push", copy, database)
    try succeed("set", store, "Airport", "icao == 'EDDF'", "elevation=2")
    try fail(
      "push", store, database,
      saying: "class 'Airport': 1 row was changed ('LFPG') since the last copy", status: 1)
    try fail("push", store, database, saying: "--replace")
    let pulled = try succeed("pull", database, store)
    #expect(pulled.stderr.contains("changes of the store that stay, for the next push: 1"))
    try succeed("push", store, database)
    // The same row on both sides.
    try succeed("set", store, "Airport", "icao == 'LFPO'", "elevation=3")
    try succeed("push", store, database)
    try succeed("set", copy, "Airport", "icao == 'LFPO'", "elevation=4")
    try fail("push", copy, database, saying: "2 rows were changed")
    try fail("pull", database, copy, saying: "1 row was changed ('LFPO') here, and in the database")
    try succeed("pull", database, copy, "--replace")
    let elevations = try succeed(
      "query", copy, "Airport", "icao IN {'LFPG', 'EDDF', 'LFPO'}", "--sort", "icao", "--select",
      "elevation", "--format", "csv")
    #expect(
      elevations.stdout.split(whereSeparator: \.isNewline) == ["elevation", "2.0", "1.0", "3.0"])
  }

  @Test func `a field that was dropped is dropped in the database, unless a view has it`() throws {
    let server = try #require(PostgresServer.shared)
    let name = String(database.split(separator: "/").last ?? "")
    #expect(server.query(name, "CREATE VIEW zones AS SELECT icao, tz FROM \"Airport\""))
    #expect(server.query(name, "CREATE VIEW countries AS SELECT country FROM \"Airport\""))
    try succeed("drop", store, "Airport", "tz")
    try fail(
      "push", store, database,
      saying: "would remove columns 'tz', and with it what others have added: view zones")
    let replaced = try succeed("push", store, database, "--replace")
    #expect(replaced.stderr.contains("view zones") && !replaced.stderr.contains("countries"))
    try compare("query", "Airport", "country == 'CH'", "--format", "csv")
    #expect(server.query(name, "SELECT * FROM countries"))
    #expect(!server.query(name, "SELECT * FROM zones"))
  }

  @Test func `the commands of the README run as printed`() throws {
    let server = try #require(PostgresServer.shared)
    let text = try Article("README.md", in: ".").text
    let section = try #require(
      text.firstMatch(of: /(?s)## PostgreSQL\n.*?```sh\n(.*?)```/))
    let shell = try ShellSample()
    try FileManager.default.copyItem(
      atPath: store, toPath: shell.folder.appendingPathComponent("a.cadastre").path)
    // The database may exist for another test.
    let name = "d" + UUID().uuidString.replacing("-", with: "").lowercased()
    for command in section.1.replacing("places", with: name).split(separator: "\n") {
      let outcome = try shell.run(
        "export PGHOST=\(server.folder) PGUSER=postgres; \(command)")
      #expect(outcome.status == 0, "\(command)\n\(outcome.stdout)")
      if command.contains(" query ") { #expect(outcome.stdout.contains("elevation")) }
    }
  }

  @Test func `what a database cannot do is refused`() throws {
    try fail(
      "query", database, "Airport", "--map", "m.svg", saying: "--map needs a store", status: 64)
    try fail("query", database, "Airport", "name CONTAINS[d] 'x'", saying: "same meaning")
    try fail("push", store, "a.cadastre", saying: "expected a database", status: 64)
    try fail("push", store, database, "Town", saying: "no such class")
    try fail(
      "query", "postgresql://me:secret@127.0.0.1:1/x", "Airport", saying: "Connection refused")
    let failed = try Program.run(["query", "postgresql://me:secret@127.0.0.1:1/x", "Airport"])
    #expect(!failed.stderr.contains("secret"))
  }
}
