import Foundation
import Testing

/// Store paths that do not name an intact store.
@Suite struct ForeignFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Expects that every command rejects the file at a path and does not change it.
  private func expectError(
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
    try expectError("notes.txt", saying: "notes.txt", "not a Cadastre store")
    try scratch.file("long.txt", String(repeating: "Not a store.\n", count: 1000))
    try expectError("long.txt", saying: "long.txt", "not a Cadastre store")
  }

  @Test func `a folder, and a missing folder`() throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path("folder"), withIntermediateDirectories: false)
    try expectError("folder", saying: "folder", "is a folder")
    try expectError("none/store", saying: "none/store", "folder does not exist")
    try scratch.file("file", "x")
    try expectError("file/store", saying: "file/store")
  }

  @Test func `commands that read do not create a store`() throws {
    for command in ["query", "explain"] {
      try fail(command, scratch.path("none"), "T", saying: "no store", "none")
    }
    for command in ["schema", "info", "check"] {
      try fail(command, scratch.path("none"), saying: "no store", "none")
    }
    #expect(scratch.names == [])
  }

  @Test func `a foreign SQLite database`() throws {
    var header = Array("SQLite format 3\0".utf8)
    // A database of one empty page of 512 bytes, as sqlite.org/fileformat2.html describes it.
    header += [2, 0, 1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0, 0, 0, 1]
    header += [UInt8](repeating: 0, count: 12) + [0, 0, 0, 4]
    header += [UInt8](repeating: 0, count: 512 - header.count)
    header.replaceSubrange(100..<108, with: [13, 0, 0, 0, 0, 2, 0, 0])
    try scratch.file("foreign.db", Data(header))
    try expectError("foreign.db", saying: "foreign.db", "Cadastre did not create")
  }

  @Test func `a store of a newer format`() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: try Airports.store()))
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, 9])
    try scratch.file("newer", bytes)
    try expectError("newer", saying: "format 9", "newer version")
  }

  // MARK: Permissions

  /// The command prefix that drops the rights of the superuser; nil if there is no such command.
  private var unprivileged: [String]? {
    guard geteuid() == 0 else { return [] }
    let setpriv = "/usr/bin/setpriv"
    guard FileManager.default.isExecutableFile(atPath: setpriv) else { return nil }
    let words = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
    // The unprivileged user must be able to execute the program.
    guard (try? Program.run(["--version"], through: words))?.status == 0 else { return nil }
    return words
  }

  private func permissions(_ mode: Int, _ name: String = "") throws {
    let path = name.isEmpty ? scratch.url.path : scratch.path(name)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test func `a store in a read-only folder can be queried, but not written`() throws {
    guard let unprivileged else { return }
    let store = try scratch.airportsStore()
    let csv = try scratch.csv("a\n1\n")
    try permissions(0o444, "airports.cadastre")
    try permissions(0o555)
    defer { try? permissions(0o755) }
    let names = scratch.names

    let count = try Program.run(
      ["query", store, "Airport", Airports.predicate, "--format", "count"], through: unprivileged)
    #expect(count.status == 0 && count.stdout == "31\n", "\(count.stderr)")
    for command in ["check", "info", "schema"] {
      #expect(try Program.run([command, store], through: unprivileged).status == 0)
    }
    let rows = try Program.run(
      ["import", csv, "--store", store, "--into", "T"], through: unprivileged)
    expectSentence(rows, ["no permission", "airports.cadastre"])
    let fresh = try Program.run(
      ["import", csv, "--store", scratch.path("new"), "--into", "T"], through: unprivileged)
    expectSentence(fresh, ["no permission", "new"])
    #expect(scratch.names == names)
  }

  @Test func `an unreadable file`() throws {
    guard let unprivileged else { return }
    let csv = try scratch.csv("a\n1\n")
    let store = try scratch.airportsStore()
    try permissions(0o000, "table.csv")
    try permissions(0o000, "airports.cadastre")
    try permissions(0o777)

    let rows = try Program.run(
      ["import", csv, "--store", scratch.path("new"), "--into", "T"], through: unprivileged)
    expectSentence(rows, ["table.csv", "permission denied"])
    let query = try Program.run(["query", store, "Airport"], through: unprivileged)
    expectSentence(query, ["no permission", "airports.cadastre"])
    #expect(scratch.names == ["table.csv", "airports.cadastre"])
  }

  @Test func `another user can write a store that permits it`() throws {
    guard geteuid() == 0, let unprivileged else { return }
    let store = try scratch.airportsStore()
    let csv = try scratch.csv("a\n1\n")
    try permissions(0o777)
    try permissions(0o666, "airports.cadastre")
    // The lock of an earlier write has the permissions that the store had then.
    try scratch.file("airports.cadastre-lock", "")
    try permissions(0o644, "airports.cadastre-lock")

    for arguments in [[], unprivileged] {
      let rows = try Program.run(
        ["import", csv, "--store", store, "--into", "T\(arguments.count)"], through: arguments)
      #expect(rows.status == 0, "\(rows.stderr)")
    }
  }

  @Test func `a store that cannot be created leaves no file`() throws {
    let csv = try scratch.csv("a\n1\n")
    let (store, names) = (scratch.path("new"), scratch.names)
    var statuses: Set<Int32> = []
    for blocks in [0, 1, 2] + stride(from: 6, through: 96, by: 6) {
      let outcome = try Program.run(
        ["import", csv, "--store", store, "--into", "T"],
        through: ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" \"$@\""])
      statuses.insert(outcome.status)
      guard outcome.status == 0 else {
        #expect(outcome.status == 1)
        #expect(scratch.names == names, "\(blocks)")
        continue
      }
      #expect(try succeed("query", store, "T", "--format", "count").stdout == "1\n")
      for suffix in ["", "-lock"] { try FileManager.default.removeItem(atPath: store + suffix) }
      #expect(scratch.names == names, "\(blocks)")
    }
    #expect(statuses == [0, 1])
  }
}
