import Foundation
import Testing

/// Texts of files, stores and arguments in messages: control characters and passwords.
@Suite struct ForeignTextTests {
  /// An escape sequence, a control sequence of one character, and a bidirectional override.
  private static let evil = "\u{1B}[31m\u{9B}7m\u{202E}"

  private func isSafe(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      $0 == "\n" || $0.properties.generalCategory != .control && $0 != "\u{202E}"
    }
  }

  @Test func `control characters of names do not reach the terminal`() throws {
    let scratch = try Scratch()
    let evil = Self.evil
    let name = "Class\(evil)"
    let csv = try scratch.csv("id,name\(evil),lat,lon\n1,a,1,2\n2,\(evil),3,4\n")
    let other = try scratch.csv("id,name\(evil)\n1,2\nx,3\n", "other.csv")
    let store = scratch.path("s\(evil)")
    let unknown = scratch.path("unknown\(evil)")
    var unsafe: [String] = []
    func check(_ arguments: String..., status: Int32 = 0) throws {
      let outcome = try Program.run(arguments, in: scratch.url)
      #expect(outcome.status == status, "\(arguments): \(outcome.stderr)")
      if !isSafe(outcome.stdout + outcome.stderr) { unsafe.append("\(arguments)") }
    }

    try check("import", csv, "--store", store, "--into", name, "--pk", "id")
    try check("import", csv, "--store", store, "--into", "B", "--dry-run", "--reasons")
    try check("import", other, "--store", store, "--into", name, "--upsert", status: 1)
    try check("import", csv, "--store", store, "--into", "B", "--pk", evil, status: 1)
    try check("import", unknown, "--store", store, "--into", "B", status: 1)
    try check("schema", store)
    try check("info", store)
    try check("check", store)
    try check("stats", store, name)
    try check("head", store, name)
    try check("explain", store, name, "id == 1")
    try check("join", store, name, name, "location GEOINTERSECTS location", "--explain")
    try check("aggregate", store, name, "--compute", "max(\(evil))", status: 1)
    try check("query", store, name, "\(evil) == 1", status: 1)
    try check("query", store, name, "id == '\(evil)'", status: 1)
    try check("query", store, name, "--sort", evil, status: 1)
    try check("query", store, "Other\(evil)", status: 1)
    try check("query", store, name, "--limit", evil, status: 64)
    try check("query", store, name, "--map", "map\(evil).svg")
    try check("set", store, name, "id == 1", "x\(evil)=1", status: 1)
    try check("index", store, name, evil, status: 1)
    try check("copy", store, name, "Copy\(evil)")
    try check("drop", store, "Copy\(evil)")
    try check("export", store, name, "--to", "a\(evil).csv")
    try check("export", store, name, "--to", "a\(evil)", status: 64)
    try check("info", unknown, status: 1)
    try check("command\(evil)", status: 64)
    try check("push", store, unknown, status: 64)
    #expect(unsafe.isEmpty)
  }

  @Test func `names of several lines are on one line`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("id\n1\n")
    let store = scratch.path("s")
    try succeed("import", csv, "--store", store, "--into", "A\nB: int")

    #expect(try succeed("schema", store).stdout == "A␊B: int\n  id: int\n")
    #expect(
      try succeed("info", store).stdout.contains("class      A␊B: int: 1 objects, table A␊B: int\n")
    )
  }

  @Test(arguments: [
    "postgres://bob:s3cret@127.0.0.1:1/db", "postgresql://127.0.0.1:1/db?user=bob&password=s3cret",
    "POSTGRES://bob:s3cret@127.0.0.1/db", "postgres:/bob:s3cret@127.0.0.1/db",
  ])
  func `no message has the password of an address`(address: String) throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("id\n1\n")
    for arguments in [
      ["info", address], ["schema", address], ["check", address], ["compact", address],
      ["set", address, "A", "id == 1", "id=2"], ["delete", address, "A", "id == 1"],
      ["import", csv, "--store", address, "--into", "A"], ["index", address, "A", "id"],
      ["import", address, "--store", scratch.path("s"), "--into", "A"], ["query", address, "A"],
      ["query", address, "A", "id == 1", "--sort", address], ["head", address, "A"],
      ["stats", address, "A"], ["sample", address, "A", "1"], ["explain", address, "A"],
      ["aggregate", address, "A", "--compute", "count"], ["rename", address, "A", "B"],
      ["copy", address, "A", "B"], ["drop", address, "A"],
      ["export", address, "A", "--to", scratch.path("a.csv")],
      ["export", scratch.path("s"), "A", "--to", address],
      ["sql", address, "A", "--dialect", "postgis"], ["push", scratch.path("s"), address],
      ["pull", address, scratch.path("t")], [address],
    ] {
      let outcome = try Program.run(arguments, in: scratch.url)
      #expect(outcome.status != 0, "\(arguments)")
      #expect(!(outcome.stdout + outcome.stderr).contains("s3cret"), "\(arguments)")
    }
  }

  @Test func `a database that is named by keywords is refused and names no file`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("id\n1\n")
    let keywords = "host=127.0.0.1 user=bob password='s3 cret' dbname=x"
    for arguments in [
      ["info", keywords], ["import", csv, "--store", keywords, "--into", "A"],
      ["import", csv, "--store=\(keywords)", "--into", "A"], ["push", scratch.path("s"), keywords],
    ] {
      let outcome = try Program.run(arguments, in: scratch.url)
      expectSentence(
        outcome, ["postgresql://me@localhost/places", "found keywords"], status: 64)
      #expect(!outcome.stderr.contains("s3"))
    }
    #expect(scratch.names == ["table.csv"])
  }
}
