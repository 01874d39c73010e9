import Foundation
import Testing

/// Store paths that lead to something else than a sound store.
@Suite struct ForeignFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Every verb refuses the file at a path, which stays as it is.
  private func refuse(
    _ name: String, saying words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let csv = try scratch.csv("a\n1\n")
    let before = try? scratch.bytes(name)
    let names = scratch.names
    let path = scratch.path(name)
    for arguments in [
      ["import", csv, "--store", path, "--into", "T"], ["query", path, "Airport"],
      ["explain", path, "Airport"], ["schema", path], ["info", path], ["check", path],
    ] {
      let outcome = try Program.run(arguments)
      expectSentence(outcome, words, sourceLocation: sourceLocation)
    }
    #expect((try? scratch.bytes(name)) == before, sourceLocation: sourceLocation)
    #expect(scratch.names == names, sourceLocation: sourceLocation)
  }

  @Test func `a text file`() throws {
    try scratch.file("notes.txt", "Not a store, but longer than a hundred bytes.\n")
    try refuse("notes.txt", saying: "notes.txt", "not a Cadastre store")
    try scratch.file("long.txt", String(repeating: "Not a store.\n", count: 1000))
    try refuse("long.txt", saying: "long.txt", "not a Cadastre store")
  }

  @Test func `a folder, and a folder that is not there`() throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path("folder"), withIntermediateDirectories: false)
    try refuse("folder", saying: "folder", "is a folder")
    try refuse("none/store", saying: "none/store", "folder does not exist")
    try scratch.file("file", "x")
    try refuse("file/store", saying: "file/store")
  }

  @Test func `a question does not make a store`() throws {
    for verb in ["query", "explain"] {
      try fail(verb, scratch.path("none"), "T", saying: "no file", "none")
    }
    for verb in ["schema", "info", "check"] {
      try fail(verb, scratch.path("none"), saying: "no file", "none")
    }
    #expect(scratch.names == [])
  }

  @Test func `an SQLite database of somebody else`() throws {
    var header = Array("SQLite format 3\0".utf8)
    // A database of one empty page of 512 bytes, as sqlite.org/fileformat2.html describes it.
    header += [2, 0, 1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0, 0, 0, 1]
    header += [UInt8](repeating: 0, count: 12) + [0, 0, 0, 4]
    header += [UInt8](repeating: 0, count: 512 - header.count)
    header.replaceSubrange(100..<108, with: [13, 0, 0, 0, 0, 2, 0, 0])
    try scratch.file("foreign.db", Data(header))
    try refuse("foreign.db", saying: "foreign.db", "Cadastre did not make")
  }

  @Test func `a store of a newer format`() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: try Airports.store()))
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, 9])
    try scratch.file("newer", bytes)
    try refuse("newer", saying: "format 9", "newer version")
  }

  // MARK: Permissions

  /// A way to run the program without the rights of the superuser; nil where there is none.
  private var asNobody: [String]? {
    guard geteuid() == 0 else { return [] }
    let setpriv = "/usr/bin/setpriv"
    guard FileManager.default.isExecutableFile(atPath: setpriv) else { return nil }
    let words = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
    // The program itself must be within reach.
    guard (try? Program.run(["--version"], through: words))?.status == 0 else { return nil }
    return words
  }

  private func permissions(_ mode: Int, _ name: String = "") throws {
    let path = name.isEmpty ? scratch.url.path : scratch.path(name)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test func `a store in a read-only folder answers questions and takes no rows`() throws {
    guard let asNobody else { return }
    let store = try scratch.airportsStore()
    let csv = try scratch.csv("a\n1\n")
    try permissions(0o444, "airports.cadastre")
    try permissions(0o555)
    defer { try? permissions(0o755) }
    let names = scratch.names

    let count = try Program.run(
      ["query", store, "Airport", Airports.question, "--format", "count"], through: asNobody)
    #expect(count.status == 0 && count.stdout == "31\n", "\(count.stderr)")
    for verb in ["check", "info", "schema"] {
      #expect(try Program.run([verb, store], through: asNobody).status == 0)
    }
    let rows = try Program.run(
      ["import", csv, "--store", store, "--into", "T"], through: asNobody)
    expectSentence(rows, ["no permission", "airports.cadastre"])
    let fresh = try Program.run(
      ["import", csv, "--store", scratch.path("new"), "--into", "T"], through: asNobody)
    expectSentence(fresh, ["no permission", "new"])
    #expect(scratch.names == names)
  }

  @Test func `a file that may not be read`() throws {
    guard let asNobody else { return }
    let csv = try scratch.csv("a\n1\n")
    let store = try scratch.airportsStore()
    try permissions(0o000, "table.csv")
    try permissions(0o000, "airports.cadastre")
    try permissions(0o777)

    let rows = try Program.run(
      ["import", csv, "--store", scratch.path("new"), "--into", "T"], through: asNobody)
    expectSentence(rows, ["table.csv", "permissions"])
    let question = try Program.run(["query", store, "Airport"], through: asNobody)
    expectSentence(question, ["no permission", "airports.cadastre"])
    #expect(scratch.names == ["table.csv", "airports.cadastre"])
  }
}
