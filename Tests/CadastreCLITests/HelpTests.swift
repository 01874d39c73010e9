import Foundation
import Testing

private let verbs = ["import", "query", "explain", "schema", "info", "check", "compact", "demo"]

@Suite struct HelpTests {
  private let golden = repository.appendingPathComponent("Tests/CadastreCLITests/Golden")

  @Test(arguments: verbs)
  func `every verb has an abstract and an example that runs it`(verb: String) throws {
    let help = try succeed(verb, "--help").stdout

    #expect(help.hasPrefix("OVERVIEW: "))
    #expect(help.contains("\nEXAMPLE"))
    #expect(help.contains("\n  cadastre \(verb) "))
    #expect(help.contains("\nUSAGE: cadastre \(verb) "))
    #expect(try succeed("help", verb).stdout == help)
  }

  @Test func `the program's help names every verb`() throws {
    let help = try succeed("--help").stdout

    for verb in verbs { #expect(help.contains("\n  \(verb) ")) }
    #expect(try succeed().stdout == help)
  }

  /// Record anew with `CADASTRE_RECORD=1 swift test --filter HelpTests`.
  @Test(arguments: ["cadastre"] + verbs)
  func `help is the text that was reviewed`(name: String) throws {
    let help = try Program.run(name == "cadastre" ? ["--help"] : [name, "--help"]).stdout
    let file = golden.appendingPathComponent("\(name).txt")
    if ProcessInfo.processInfo.environment["CADASTRE_RECORD"] == "1" {
      try FileManager.default.createDirectory(at: golden, withIntermediateDirectories: true)
      try Data(help.utf8).write(to: file)
    }

    #expect(help == (try? String(contentsOf: file, encoding: .utf8)))
  }

  @Test func `the version is three numbers`() throws {
    let version = try succeed("--version").stdout

    #expect(version.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
  }

  @Test func `what the program does not know is a usage error`() throws {
    try fail("nonsense", saying: "nonsense", "Usage: cadastre", status: 64)
    try fail("query", "a", "B", "--nonsense", saying: "--nonsense", status: 64)
    try fail("query", "a", saying: "Missing expected argument '<class-name>'", status: 64)
    try fail("query", "a", "B", "--format", "xml", saying: "xml", "ndjson", status: 64)
    try fail("query", "a", "B", "--indexes", "maybe", saying: "maybe", "off", status: 64)
    try fail("query", "a", "B", "--limit", "many", saying: "many", status: 64)
    try fail("query", "a", "B", "--limit=-1", saying: "no negative numbers", status: 64)
    try fail("query", "a", "B", "--repeat", "0", saying: "from 1 up", status: 64)
    try fail("import", "a.csv", "--into", "A", saying: "--store", status: 64)
    try fail("import", "--store", "a", "--into", "A", saying: "<files>", status: 64)
    try fail(
      "import", "a", "--store", "a", "--into", "A", "--bbox", "1,2,3", saying: "W,S,E,N",
      status: 64)
    try fail(
      "import", "a", "--store", "a", "--into", "A", "--upsert", "--skip-existing",
      saying: "not both", status: 64)
  }
}
