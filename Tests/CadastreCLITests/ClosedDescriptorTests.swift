import Foundation
import Testing

/// The program with closed standard descriptors.
@Suite struct ClosedDescriptorTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs the program with a redirection of the shell.
  private func run(_ redirection: String, _ arguments: String...) throws -> Outcome {
    try Program.run(
      arguments, through: ["/bin/sh", "-c", #"exec "$0" "$@" \#(redirection)"#])
  }

  // The number of objects was written into the file, which got the descriptor of standard error.
  @Test(
    arguments: ["2>&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-"],
    ["csv", "geojson", "geojson.gz", "gpkg", "parquet", "fgb"])
  func `a closed descriptor does not become that of an exported file`(
    redirection: String, ending: String
  ) throws {
    let store = try Airports.store()
    let (whole, file) = ("whole.\(ending)", "out.\(ending)")
    let predicate = "country == 'LU'"
    try succeed("export", store, "Airport", predicate, "--to", scratch.path(whole))

    let outcome = try run(
      redirection, "export", store, "Airport", predicate, "--to", scratch.path(file))
    #expect(outcome.status == 0)
    if ending == "gpkg" {
      // The file contains the time of its creation.
      try succeed("import", scratch.path(file), "--store", scratch.path("s"), "--into", "T")
    } else {
      #expect(try scratch.bytes(file) == scratch.bytes(whole))
    }
  }

  @Test func `results without standard output are an error`() throws {
    let outcome = try run(">&-", "query", try Airports.store(), "Airport", "--format", "count")

    #expect(outcome.status == 1)
    #expect(
      outcome.stderr == "Error: cannot write the results: \(String(cString: strerror(EBADF)))\n")
  }

  @Test func `messages are not written into files of rejected rows and maps`() throws {
    let csv = try scratch.csv("a\n1\n2,3\n")
    let outcome = try run(
      "2>&-", "import", csv, "--store", scratch.path("s"), "--into", "T", "--max-rejects", "1",
      "--rejects", scratch.path("rejects.ndjson"))
    #expect(outcome.status == 2)
    let rejects = String(decoding: try scratch.bytes("rejects.ndjson"), as: UTF8.self)
    #expect(rejects.split(separator: "\n").count == 1 && rejects.hasPrefix("{"))

    let map = try run(
      "2>&-", "query", try Airports.store(), "Airport", "country == 'LU'", "--map",
      scratch.path("a.svg"))
    #expect(map.status == 0)
    #expect(String(decoding: try scratch.bytes("a.svg"), as: UTF8.self).hasSuffix("</svg>\n"))
  }
}
