import CadastreTestSupport
import Foundation
import Testing

/// `cadastre serve` in a folder of its own, where `cadastre-serve` is a script or missing.
@Suite struct ServeCommandTests {
  private let scratch: Scratch
  private let program: String

  init() throws {
    scratch = try Scratch()
    program = scratch.path("cadastre")
    let original = try #require(Program.path)
    do {
      // A copy cannot be run while another test starts a process, which inherits the open copy for a moment.
      try FileManager.default.linkItem(atPath: original, toPath: program)
    } catch {
      try FileManager.default.copyItem(atPath: original, toPath: program)
    }
  }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin"]
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  @Test func `the program beside gets the same options`() throws {
    let script = try scratch.file(
      "cadastre-serve", "#!/bin/sh\nfor word; do echo \"[$word]\"; done; exit 7\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)

    let (status, output) = try run(
      "serve", "-a b.cadastre", "--port", "0", "--token=- x", "--open", "--host", "::1")
    #expect(status == 64, "a store must not look like an option: \(output)")

    let (passed, words) = try run(
      "serve", "--port", "0", "--token=- x", "--open", "--host", "::1", "--", "-a b.cadastre")
    #expect(passed == 7)
    #expect(
      words.split(separator: "\n") == [
        "[--port]", "[0]", "[--host=::1]", "[--timeout]", "[30]", "[--connections]", "[256]",
        "[--token=- x]", "[--open]", "[--]", "[-a b.cadastre]",
      ])
  }

  @Test func `a missing program is an error that says how to build it`() throws {
    let (status, output) = try run("serve", "a.cadastre")

    #expect(status == 1)
    #expect(output.contains("swift build -c release --traits Server --product cadastre-serve"))
  }
}
