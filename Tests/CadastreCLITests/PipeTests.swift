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
    #""$0" export "$1" Airport --to - --format geojsonseq"#,
    #"trap '' PIPE; "$0" query "$1" Airport --format ndjson"#,
  ])
  func `a closed pipe ends the program without a message`(line: String) throws {
    let outcome = try shell("(\(line)) | head -1")

    #expect(outcome.lines.count == 1 && outcome.stderr == "" && outcome.status == 0)
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
}
