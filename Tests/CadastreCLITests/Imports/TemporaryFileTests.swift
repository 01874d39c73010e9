import Foundation
import Testing
import TestingSupport

/// Temporary and incomplete files after the end of the program by a signal.
@Suite struct TemporaryFileTests {
  private let scratch: Scratch
  private let temporary: String
  private let pipe: String

  init() throws {
    scratch = try Scratch()
    temporary = scratch.path("tmp")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    pipe = scratch.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
  }

  private var temporaryNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: temporary)) ?? []
  }

  /// Starts an import that waits for the rest of a pipe, and sends it a signal.
  private func interrupt(
    _ signal: Int32, through words: [String] = [], errors: URL? = nil
  ) throws -> Process {
    let process = try Program.start(
      [
        "import", pipe, "--store", scratch.path("s"), "--into", "T", "--rejects",
        scratch.path("r.ndjson"),
      ], through: ["/usr/bin/env", "TMPDIR=\(temporary)"] + words, errors: errors)
    let writer = try #require(FileHandle(forWritingAtPath: pipe))
    try writer.write(contentsOf: Data(("a\n" + String(repeating: "1\n", count: 99)).utf8))
    blockUntil("the temporary file of the import") { !temporaryNames.isEmpty }
    #expect(temporaryNames.count == 1)
    #expect(scratch.names.contains("r.ndjson.cadastre-partial"))
    kill(process.processIdentifier, signal)
    if words.isEmpty { blockUntil("the end by signal \(signal)") { !process.isRunning } }
    try writer.close()
    blockUntil("the end of the import") { !process.isRunning }
    return process
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a signal removes them and ends the program`(signal: Int32) throws {
    let errors = try scratch.file("errors", "")
    let process = try interrupt(signal, errors: errors)

    #expect(
      try String(contentsOf: errors, encoding: .utf8)
        == "interrupted before the first row; nothing was imported\n")
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == signal)
    #expect(temporaryNames == [])
    #expect(scratch.names == ["tmp", "pipe", "errors"])
  }

  @Test func `a signal that the parent ignores is ignored`() throws {
    let process = try interrupt(
      SIGHUP, through: ["/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""])

    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    #expect(temporaryNames == [])
  }

  @Test func `a later run removes those of a killed one`() throws {
    #expect(try interrupt(SIGKILL).terminationStatus == SIGKILL)
    let folder = temporary + "/" + (try #require(temporaryNames.first))
    let other = temporary + "/cadastre-old"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    // A folder that was just created may not be locked yet.
    for path in [folder, other] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: path)
    }

    let outcome = try Program.run(
      [scratch.path("s"), scratch.path("r.ndjson")],
      through: [
        "/usr/bin/env", "TMPDIR=\(temporary)", "/bin/sh", "-c",
        #"echo a | "$0" import - --store "$1" --into T --rejects "$2""#,
      ])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    #expect(temporaryNames == ["cadastre-old"])
    #expect(!scratch.names.contains("r.ndjson.cadastre-partial"))
  }
}
