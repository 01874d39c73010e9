import Foundation
import Testing

/// Outputs replace neither inputs nor stores, and other files only on request.
@Suite struct OutputFileTests {
  private let scratch: Scratch
  private let csv: String
  private let store: String

  init() throws {
    scratch = try Scratch()
    csv = try scratch.csv("id,lat,lon\n1,2,3\n2,95,3\n", "in.csv")
    store = scratch.path("s")
    try succeed("import", try scratch.csv("id,lat,lon\n1,2,3\n"), "--store", store, "--into", "T")
  }

  /// The content of every file in the folder.
  private var contents: [String: Data] {
    Dictionary(
      uniqueKeysWithValues: scratch.names.compactMap { name in
        (try? scratch.bytes(name)).map { (name, $0) }
      })
  }

  /// Expects that every command with an output refuses a path and changes no file.
  private func expectRefused(
    _ path: String, saying words: String..., options: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let region = try scratch.file("region.wkt", "POLYGON ((0 0, 9 0, 9 9, 0 0))").path
    let before = contents
    for arguments in [
      ["import", csv, "--store", store, "--into", "U", "--max-rejects", "9", "--rejects", path],
      ["query", store, "T", "location GEOWITHIN $0", "--arg", "@" + region, "--map", path],
      [
        "export", store, "T", "location GEOWITHIN $0", "--arg", "@" + region, "--format", "csv",
        "--to", path,
      ],
      ["export", store, "T", "--format", "gpkg", "--to", path],
    ] {
      // An input of one command is no input of the others.
      if path == csv, arguments[0] != "import", options != [] { continue }
      let outcome = try Program.run(arguments + options)
      expectSentence(outcome, [path] + words, sourceLocation: sourceLocation)
      #expect(contents == before, "\(arguments)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [[], ["--force"], ["--overwrite"]])
  func `an output does not replace a store or its files`(options: [String]) throws {
    let other = try scratch.airportsStore("other.cadastre")
    for suffix in ["", "-wal", "-shm", "-lock", "-wait"] {
      try expectRefused(store + suffix, saying: "store", options: options)
      try expectRefused(other + suffix, saying: "store", options: options)
    }
    try FileManager.default.linkItem(atPath: store, toPath: scratch.path("hard"))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("soft"), withDestinationPath: store)
    for link in ["hard", "soft"] {
      try expectRefused(scratch.path(link), saying: "store", options: options)
    }
  }

  @Test func `an output does not replace the store that the command creates`() throws {
    let outcome = try run(
      "import", csv, "--store", scratch.path("new"), "--into", "T", "--max-rejects", "9",
      "--rejects", scratch.path("./new"))

    expectSentence(outcome, ["store"])
    #expect(!scratch.names.contains("new"))
  }

  @Test(arguments: [[], ["--force"]])
  func `an output does not replace an input`(options: [String]) throws {
    try expectRefused(csv, options: options)
    let region = try scratch.file("region.wkt", "POINT (1 2)").path
    try FileManager.default.linkItem(atPath: csv, toPath: scratch.path("hard"))
    let names = contents
    let rejects = try Program.run(
      [
        "import", csv, "--store", store, "--into", "U", "--max-rejects", "9", "--rejects",
        scratch.path("hard"),
      ] + options)
    expectSentence(rejects, ["an input"])
    let map = try Program.run(
      ["query", store, "T", "id == $0", "--arg", "@" + region, "--map", region] + options)
    expectSentence(map, ["an input"])
    #expect(contents == names)
  }

  @Test func `an output does not replace a part of a Shapefile`() throws {
    for name in ["in.shp", "in.dbf", "in.prj"] { try scratch.file(name, "x") }
    let outcome = try run(
      "import", scratch.path("in.shp"), "--store", store, "--into", "U", "--force", "--rejects",
      scratch.path("in.prj"))

    expectSentence(outcome, ["an input"])
    #expect(try scratch.bytes("in.prj") == Data("x".utf8))
  }

  @Test func `an output does not replace the file of standard output`() throws {
    let file = try scratch.file("out", "")
    let outcome = try Program.run(
      ["query", store, "T", "--map", file.path, "--force"], output: file)

    expectSentence(outcome, ["standard output"])
  }

  @Test func `another file is replaced only with --force`() throws {
    let notes = try scratch.file("notes.txt", "Notes\n").path
    try expectRefused(notes, saying: "exists already", "--overwrite")
    try succeed("query", store, "T", "--map", notes, "--force")
    #expect(try String(decoding: scratch.bytes("notes.txt"), as: UTF8.self).hasPrefix("<svg"))
  }

  @Test func `an earlier output of the same kind is replaced`() throws {
    let (map, rejects) = (scratch.path("m.svg"), scratch.path("r.ndjson"))
    for _ in 0..<2 {
      try succeed("query", store, "T", "--map", map)
      let outcome = try run(
        "import", csv, "--store", store, "--into", "U", "--max-rejects", "9", "--rejects", rejects)
      #expect(outcome.status == 2, "\(outcome.stderr)")
    }
    try fail("query", store, "T", "--map", rejects, saying: "exists already")
    let none = try run(
      "import", try scratch.csv("a\n1\n", "a.csv"), "--store", store, "--into", "A", "--rejects",
      rejects)
    #expect(none.status == 0)
    #expect(try scratch.bytes("r.ndjson").isEmpty)
    // An empty file has nothing to lose.
    try succeed("query", store, "T", "--map", rejects)
  }

  @Test func `a failed import keeps the earlier rejected rows`() throws {
    let rejects = scratch.path("r.ndjson")
    let arguments = ["--store", store, "--into", "U", "--rejects", rejects]
    _ = try Program.run(["import", csv, "--max-rejects", "9"] + arguments)
    let before = try scratch.bytes("r.ndjson")
    #expect(!before.isEmpty)

    for file in [csv, scratch.path("none.csv")] {
      #expect(try Program.run(["import", file] + arguments).status == 1)
      #expect(try scratch.bytes("r.ndjson") == before)
    }
    #expect(!scratch.names.contains { $0.contains("partial") })
  }

  // MARK: The incomplete file

  @Test func `a planted link at the path of the incomplete file is not followed`() throws {
    let victim = try scratch.file("victim", "v").path
    let partial = scratch.path("o.csv.cadastre-partial")
    try FileManager.default.createSymbolicLink(atPath: partial, withDestinationPath: victim)

    try fail(
      "export", store, "T", "--to", scratch.path("o.csv"), saying: "o.csv.cadastre-partial")
    #expect(try scratch.bytes("victim") == Data("v".utf8))
    #expect(!scratch.names.contains("o.csv"))
  }

  @Test func `the incomplete file of a killed run is removed`() throws {
    try scratch.file("o.csv.cadastre-partial", "id\n1\n")
    try succeed("export", store, "T", "--to", scratch.path("o.csv"))
    #expect(!scratch.names.contains("o.csv.cadastre-partial"))
  }

  @Test func `a file that another process writes is not touched`() throws {
    let partial = try scratch.file("o.csv.cadastre-partial", "id\n1\n")
    let other = try FileHandle(forUpdating: partial)
    #expect(flock(other.fileDescriptor, LOCK_EX) == 0)

    try fail("export", store, "T", "--to", scratch.path("o.csv"), saying: "another process")
    #expect(scratch.names.contains("o.csv.cadastre-partial"))
  }

  @Test(arguments: ["csv", "gpkg"])
  func `the permissions of an output follow the umask`(ending: String) throws {
    for (mask, mode) in [("077", 0o600), ("027", 0o640), ("000", 0o666)] {
      let file = scratch.path("o\(mask).\(ending)")
      let outcome = try Program.run(
        ["export", store, "T", "--to", file],
        through: ["/bin/sh", "-c", "umask \(mask); exec \"$0\" \"$@\""])
      #expect(outcome.status == 0, "\(outcome.stderr)")
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
  }

  // MARK: Exit status

  @Test func `rejected rows that cannot be written leave the store unchanged`() throws {
    let outcome = try run(
      "import", csv, "--store", store, "--into", "U", "--max-rejects", "9", "--rejects",
      "/dev/full")

    expectSentence(outcome, ["no space left", "/dev/full"])
    #expect(try !succeed("schema", store).stdout.contains("U\n"))
  }

  @Test func `results that cannot be written after a change have a status of their own`() throws {
    let full = ["/bin/sh", "-c", "\"$0\" \"$@\" > /dev/full"]
    let arguments = [
      "import", csv, "--store", store, "--into", "U", "--max-rejects", "9", "--summary", "json",
    ]
    let dry = try Program.run(arguments + ["--dry-run"], through: full)
    #expect(dry.status == 1)
    #expect(try !succeed("schema", store).stdout.contains("U\n"))

    let outcome = try Program.run(arguments, through: full)
    #expect(outcome.status == 3)
    #expect(outcome.stderr.contains("the store was changed"))
    #expect(try succeed("query", store, "U", "--format", "count").stdout == "1\n")
  }
}
