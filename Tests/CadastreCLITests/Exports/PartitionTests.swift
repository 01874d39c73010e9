import Foundation
import Testing
import TestingSupport

/// Folders of Parquet files, written by `export --partition-by` and read by `import`.
@Suite struct PartitionTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("a")
    try scratch.file(
      "shops.ndjson",
      """
      {"id":1,"kind":"a/b","n":1,"day":"2024-01-05T10:00:00Z","location":{"type":"Point","coordinates":[1,2]}}
      {"id":2,"kind":"..","n":1,"day":"2024-02-05T10:00:00Z","location":{"type":"Point","coordinates":[100,50]}}
      {"id":3,"kind":null,"n":2,"day":"2025-01-05T10:00:00Z","location":null}
      {"id":4,"kind":"","n":2,"day":"2025-01-05T10:00:00Z","location":{"type":"Point","coordinates":[1,2]}}
      {"id":5,"kind":"__HIVE_DEFAULT_PARTITION__","n":2,"day":"2025-01-05T10:00:00Z","location":null}
      {"id":6,"kind":"é=%2F","n":1,"day":"2025-01-05T10:00:00Z","location":{"type":"Point","coordinates":[1,2]}}
      {"id":7,"kind":"a/b","n":-3,"day":"2025-01-05T10:00:00Z","location":{"type":"Point","coordinates":[-1,-2]}}

      """)
    try succeed(
      "import", scratch.path("shops.ndjson"), "--store", store, "--into", "Shop", "--pk", "id")
  }

  /// Returns the names of the files in a folder and below.
  private func files(_ name: String) -> [String] {
    let paths = FileManager.default.enumerator(atPath: scratch.path(name))
    return (paths?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".parquet") }.sorted()
  }

  private func createFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path(name), withIntermediateDirectories: true)
  }

  private func rows(_ store: String) throws -> [Substring] {
    try succeed(
      "query", store, "Shop", "--select", "id,kind,n,day,location", "--sort", "id", "--format",
      "ndjson"
    ).lines
  }

  @Test(arguments: ["kind", "n", "n,kind", "kind,year(day)", "tile(location, 3)"])
  func `an import of the folder gives the same objects`(fields: String) throws {
    try succeed("export", store, "Shop", "--to", scratch.path("out/"), "--partition-by", fields)
    let copy = scratch.path("copy")
    try succeed("import", scratch.path("out"), "--store", copy, "--into", "Shop", "--pk", "id")
    #expect(try rows(copy) == rows(store))
  }

  @Test func `values are encoded in the names of folders`() throws {
    try succeed("export", store, "Shop", "--to", scratch.path("out"), "--partition-by", "kind")
    #expect(
      files("out") == [
        "kind=%5F_HIVE_DEFAULT_PARTITION__/part-0.parquet",
        "kind=%C3%A9%3D%252F/part-0.parquet",
        "kind=../part-0.parquet",
        "kind=/part-0.parquet",
        "kind=__HIVE_DEFAULT_PARTITION__/part-0.parquet",
        "kind=a%2Fb/part-0.parquet",
      ])
  }

  @Test func `parts of dates and cells are partitions`() throws {
    let outcome = try succeed(
      "export", store, "Shop", "id != 3", "--to", scratch.path("out"), "--partition-by",
      "year(day), tile(location, 1)")
    #expect(outcome.stderr == "6 objects in 4 files to \(scratch.path("out"))\n")
    #expect(
      files("out") == [
        "year_day=2024/tile_location=1%2F1%2F0/part-0.parquet",
        "year_day=2025/tile_location=1%2F0%2F1/part-0.parquet",
        "year_day=2025/tile_location=1%2F1%2F0/part-0.parquet",
        "year_day=2025/tile_location=__HIVE_DEFAULT_PARTITION__/part-0.parquet",
      ])
  }

  @Test func `nothing that exists is replaced`() throws {
    try createFolder("out")
    try scratch.file("out/kept", "content")
    for name in ["out", "shops.ndjson", "a"] {
      try fail(
        "export", store, "Shop", "--to", scratch.path(name), "--partition-by", "kind",
        saying: "exists already")
    }
    #expect(try String(contentsOfFile: scratch.path("out/kept"), encoding: .utf8) == "content")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out.cadastre-partial")))
    #expect(try rows(store).count == 7)
  }

  @Test func `an abandoned folder of an earlier run is removed`() throws {
    try createFolder("out.cadastre-partial/n=1")
    try scratch.file("out.cadastre-partial/n=1/part-0.parquet", "half")
    try createFolder("out")
    try succeed("export", store, "Shop", "--to", scratch.path("out"), "--partition-by", "n")
    #expect(files("out") == [-3, 1, 2].map { "n=\($0)/part-0.parquet" })
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out.cadastre-partial")))
  }

  @Test(arguments: [
    (["--partition-by", "location"], "expected"), (["--partition-by", "nokind"], "nokind"),
    (["--partition-by", "kind,kind"], "twice"), (["--partition-by", "year(kind)"], "a date"),
    (["--partition-by", "id", "--select", "id"], "no other field"),
  ])
  func `unsuitable fields are refused`(options: [String], words: String) throws {
    let outcome = try Program.run(["export", store, "Shop", "--to", scratch.path("out")] + options)
    expectSentence(outcome, [words])
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
  }

  @Test(arguments: [["--format", "csv"], ["--overwrite"]])
  func `options for single files are refused`(options: [String]) throws {
    let outcome = try Program.run(
      ["export", store, "Shop", "--to", scratch.path("out"), "--partition-by", "n"] + options)
    #expect(outcome.status == 64)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
  }
}
