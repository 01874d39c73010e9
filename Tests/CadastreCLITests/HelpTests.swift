import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

private let commands = [
  "import", "inspect", "formats", "query", "head", "sample", "stats", "aggregate", "join", "export",
  "explain", "bench", "sql",
  "delete",
  "set", "map-geometry", "dissolve",
  "index", "rename", "copy",
  "drop", "history", "undo", "push", "pull", "schema", "info", "check",
  "optimize", "compact", "serve", "demo",
]

@Suite struct HelpTests {
  private let golden = repository.appendingPathComponent("Tests/CadastreCLITests/Golden")

  @Test(arguments: commands)
  func `every command has an abstract and an example`(command: String) throws {
    let help = try succeed(command, "--help").stdout

    #expect(help.hasPrefix("OVERVIEW: "))
    #expect(help.contains("\nEXAMPLE"))
    #expect(help.contains("\n  cadastre \(command) "))
    #expect(help.contains("\nUSAGE: cadastre \(command) "))
    #expect(try succeed("help", command).stdout == help)
  }

  @Test func `the help of the program names every command`() throws {
    let help = try succeed("--help").stdout

    for command in commands { #expect(help.contains("\n  \(command) ")) }
    #expect(try succeed().stdout == help)
  }

  /// To update the recorded texts, run `CADASTRE_RECORD=1 swift test --filter HelpTests`.
  @Test(arguments: ["cadastre"] + commands)
  func `the help equals the recorded text`(name: String) throws {
    let help = try Program.run(name == "cadastre" ? ["--help"] : [name, "--help"]).stdout
    let file = golden.appendingPathComponent("\(name).txt")
    if ProcessInfo.processInfo.environment["CADASTRE_RECORD"] == "1" {
      try FileManager.default.createDirectory(at: golden, withIntermediateDirectories: true)
      try Data(help.utf8).write(to: file)
    }

    #expect(help == (try? String(contentsOf: file, encoding: .utf8)))
  }

  /// Returns the commands below "EXAMPLES", each on one line.
  private func examples(_ help: String) -> [String] {
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.hasPrefix("EXAMPLE") }.dropFirst().prefix { !$0.isEmpty }
    return lines.joined(separator: "\n").replacing("\\\n", with: " ")
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The examples of `serve` run until they are interrupted.
  @Test(arguments: ["cadastre"] + commands.filter { $0 != "serve" })
  func `every example runs`(name: String) throws {
    let help = try Program.run(name == "cadastre" ? ["--help"] : [name, "--help"]).stdout
    let examples = examples(help)
    #expect(!examples.isEmpty)
    for example in examples where !example.contains("https:") {
      let scratch = try Scratch()
      if !example.contains("cadastre import") {
        _ = try scratch.airportsStore("a.cadastre", from: Airports.smallStore())
      }
      try scratch.file("airports.csv", Airports.smallCSV)
      try scratch.file("predicates.txt", "country == 'FR'\n")
      if example.contains("--compare before.json") {
        try succeed(
          "bench", try Airports.smallStore(), "Airport", scratch.path("predicates.txt"), "--format",
          "json"
        ).stdout.write(toFile: scratch.path("before.json"), atomically: true, encoding: .utf8)
      }
      try FileManager.default.copyItem(
        atPath: repository.appendingPathComponent(
          "Tests/CadastreRealmFileTests/Fixtures/objectstore.realm"
        ).path, toPath: scratch.path("app.realm"))
      try scratch.file(
        "region.geojson", #"{"type":"Polygon","coordinates":[[[2,48],[3,48],[3,49],[2,48]]]}"#)
      for file in ["quakes.geojson.gz", "places.parquet"] where example.contains(file) {
        try succeed(
          "export", try Airports.smallStore(), "Airport", "--limit", "3", "--to", scratch.path(file)
        )
      }
      if example.contains("Country") {
        let countries = repository.appendingPathComponent("Datasets/naturalearth/countries.geojson")
        try succeed(
          "import", countries.path, "--store", scratch.path("a.cadastre"), "--into", "Country")
      }
      let example = try withDatabase(example, scratch)
      // `$0` is the program.
      let outcome = try Program.run(
        [], through: ["/bin/sh", "-c", "PATH=\"${0%/*}:$PATH\"; \(example) > out"],
        in: scratch.url)
      #expect(outcome.status == 0, "\(example): \(outcome.stderr)")
    }
  }

  /// Returns an example with the address of a new database to which its store was copied; `true`
  /// without a server.
  private func withDatabase(_ example: String, _ scratch: Scratch) throws -> String {
    guard let address = example.firstMatch(of: /postgresql:\S*/)?.0 else { return example }
    guard let server = PostgresServer.shared else { return "true" }
    let database = try server.newURL()
    try succeed("push", scratch.path("a.cadastre"), database)
    return example.replacing(address, with: database)
  }

  /// To update the page, run `Scripts/man .build/debug/cadastre`.
  @Test func `the manual page equals the help`() throws {
    let scratch = try Scratch()
    let script = repository.appendingPathComponent("Scripts/man").path
    let outcome = try Program.run([scratch.path("cadastre.1")], through: [script])
    let page = repository.appendingPathComponent("Documentation/man/cadastre.1")

    #expect(outcome.status == 0)
    #expect(try scratch.bytes("cadastre.1") == Data(contentsOf: page))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completion scripts name every command`(shell: String) throws {
    let script = try succeed("--generate-completion-script", shell).stdout

    for command in commands { #expect(script.contains(command)) }
  }

  @Test func `classes and fields are completed from the store`() throws {
    let store = try Airports.store()

    #expect(
      try succeed(
        "---completion", "query", "--", "positional@1", "2", "0", "cadastre", "query", store, ""
      )
      .stdout == "Airport\n")
    let fields = try succeed(
      "---completion", "index", "--", "positional@2", "4", "0", "cadastre", "index", store,
      "Airport", "")
    #expect(fields.lines.contains("elevation") && fields.lines.contains("location"))
  }

  @Test func `the version is followed by those of libraries`() throws {
    let version = try succeed("--version").stdout
    #expect(version.hasPrefix("\(CadastreVersion.number)\n"))

    #expect(
      version.wholeMatch(
        of:
          /\d+\.\d+\.\d+\nSQLite 3\.[\d.]+, GEOS 3\.[\d.]+, zlib 1\.[\d.]+, zstd 1\.[\d.]+(, PROJ [\d.]+)?\n/
      )
        != nil)
  }

  @Test func `unknown commands and invalid options are usage errors`() throws {
    try fail("nonsense", saying: "nonsense", "Usage: cadastre", status: 64)
    try fail("query", "a", "B", "--nonsense", saying: "--nonsense", status: 64)
    try fail("query", "a", saying: "Missing expected argument '<class-name>'", status: 64)
    try fail("query", "a", "B", "--format", "xml", saying: "xml", "ndjson", status: 64)
    try fail("query", "a", "B", "--indexes", "maybe", saying: "maybe", "off", status: 64)
    try fail("query", "a", "B", "--limit", "many", saying: "many", status: 64)
    try fail("query", "a", "B", "--limit=-1", saying: "must not be negative", status: 64)
    try fail("query", "a", "B", "--repeat", "0", saying: "at least 1", status: 64)
    try fail("import", "a.csv", "--into", "A", saying: "--store", status: 64)
    try fail("import", "--store", "a", "--into", "A", saying: "<files>", status: 64)
    try fail(
      "import", "a", "--store", "a", "--into", "A", "--bbox", "1,2,3", saying: "W,S,E,N",
      status: 64)
    try fail(
      "import", "a", "--store", "a", "--into", "A", "--upsert", "--skip-existing",
      saying: "exclude each other", status: 64)
  }
}
