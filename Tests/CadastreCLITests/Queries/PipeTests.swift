import Foundation
import Testing

/// The program in shell pipelines.
@Suite struct PipeTests {
  /// Runs a shell command in which `$0` is the program and `$1` the store of airports.
  private func shell(_ line: String) throws -> Outcome {
    try Program.run([try Airports.store()], through: ["/bin/sh", "-c", line])
  }

  @Test(arguments: [
    #""$0" query "$1" Airport --format csv"#, #""$0" query "$1" Airport --format ids"#,
    #""$0" export "$1" Airport --to - --format geojsonseq"#, #""$0" query "$1" Airport"#,
    #""$0" join "$1" Airport Airport --other-where "country == 'LU'" --nearest 1"#,
    #""$0" aggregate "$1" Airport "elevation > 1000" --by name,city,icao --compute count"#,
    #"trap '' PIPE; "$0" query "$1" Airport --format ndjson"#,
  ])
  func `a closed pipe ends the program without a message`(line: String) throws {
    let outcome = try shell("(\(line)) | head -1")

    #expect(outcome.lines.count == 1 && outcome.stderr == "" && outcome.status == 0)
  }

  /// A shell reports 128 plus the number of the signal, which is 13.
  @Test func `a closed pipe ends the program by SIGPIPE`() throws {
    let outcome = try shell(#"{ "$0" query "$1" Airport; echo "status $?" >&2; } | head -1"#)

    #expect(outcome.lines.count == 1 && outcome.stderr == "status 141\n", "\(outcome.stderr)")
  }

  @Test func `a full disk prints one sentence`() throws {
    for format in ["csv", "table", "json", "count", "ids"] {
      let outcome = try shell(#""$0" query "$1" Airport --format \#(format) > /dev/full"#)
      #expect(outcome.status == 1)
      #expect(
        outcome.stderr.hasSuffix("Error: cannot write the results: No space left on device\n"))
    }
    let export = try shell(#""$0" export "$1" Airport --to /dev/full --format csv"#)
    #expect(
      export.status == 1 && export.stderr == "Error: no space left on the disk for '/dev/full'\n")
  }

  @Test func `an export writes to a named pipe directly`() throws {
    let outcome = try shell(
      #""$0" export "$1" Airport "country == 'LU'" --to /dev/stdout --format csv | wc -l"#)

    let count = Airports.all.count { $0.country == "LU" }
    #expect(outcome.stdout.trimmingCharacters(in: .whitespacesAndNewlines) == "\(count + 1)")
  }

  // The pipe was copied to its end first.
  @Test(arguments: ["cat", "gzip -c"])
  func `an import with a limit reads no more of a pipe than it needs`(filter: String) throws {
    let scratch = try Scratch()
    let outcome = try Program.run(
      [scratch.path("s")],
      through: [
        "/bin/sh", "-c",
        "(echo a; yes 1) | \(filter) | \"$0\" import - --store \"$1\" --into T --limit 1000 --offset 9",
      ])

    #expect(outcome.status == 0 && outcome.stderr.contains("1,009 rows read, 1,000 inserted"))
    #expect(
      try succeed("query", scratch.path("s"), "T", "--format", "count").stdout == "1000\n")
  }

  @Test func `a compressed GeoPackage is read from a pipe`() throws {
    let scratch = try Scratch()
    try succeed(
      "export", try Airports.store(), "Airport", "country == 'LU'", "--to", scratch.path("a.gpkg"))
    let outcome = try Program.run(
      [scratch.path("s"), scratch.path("a.gpkg")],
      through: [
        "/bin/sh", "-c",
        #"gzip -c "$2" | "$0" import - --store "$1" --into T --limit 1"#,
      ])

    #expect(outcome.status == 0 && outcome.stderr.contains("1 inserted"), "\(outcome.stderr)")
  }
}
