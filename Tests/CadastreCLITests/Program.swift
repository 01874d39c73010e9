import Foundation
import Testing

/// What a run of the program left.
struct Outcome: Sendable {
  /// The exit status, or 128 and the number of the signal that ended it.
  var status: Int32
  var stdout: String
  var stderr: String

  /// The lines of standard output.
  var lines: [Substring] { stdout.split(separator: "\n") }

  /// Standard output as JSON.
  var json: Any? {
    try? JSONSerialization.jsonObject(with: Data(stdout.utf8), options: [.fragmentsAllowed])
  }
}

/// The built `cadastre`, run as a process.
enum Program {
  struct NotBuilt: Error {}
  struct TookTooLong: Error {
    var arguments: [String]
  }

  /// The executable, which lies beside the test bundle.
  static let path: String? = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let folders =
      [bundle, Bundle.main.bundleURL]
      + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
      + ["debug", "release"].map { repository.appendingPathComponent(".build/\($0)") }
    return folders.map { $0.appendingPathComponent("cadastre").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) && !isFolder($0) }
  }()

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// Starts the program, or another one with the program's path after its own arguments.
  ///
  /// Output goes to files, so that no pipe can fill up.
  static func start(
    _ arguments: [String], through other: [String] = [], in folder: URL? = nil,
    output: URL? = nil, errors: URL? = nil
  ) throws -> Process {
    guard let path else { throw NotBuilt() }
    let words = other + [path] + arguments
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = folder
    // Help is wrapped to the width of the terminal, where one is named.
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "COLUMNS" }
    process.standardInput = FileHandle.nullDevice
    let files = try [output, errors].map { try $0.map { try FileHandle(forWritingTo: $0) } }
    // The process has them of its own, and a handle that a Process knows of is not closed for long.
    defer { for file in files { try? file?.close() } }
    process.standardOutput = files[0] ?? .nullDevice
    process.standardError = files[1] ?? .nullDevice
    try process.run()
    return process
  }

  /// Runs the program to its end, or kills it after five minutes.
  ///
  /// Standard output is read, or goes to a file, which is not read then.
  static func run(
    _ arguments: [String], through other: [String] = [], in folder: URL? = nil,
    output: URL? = nil
  ) throws -> Outcome {
    let scratch = try Scratch()
    let files = try (
      output: output ?? scratch.file("stdout", ""), errors: scratch.file("stderr", "")
    )
    let process = try start(
      arguments, through: other, in: folder, output: files.output, errors: files.errors)
    let end = ContinuousClock().now + .seconds(300)
    while process.isRunning, ContinuousClock().now < end { usleep(2000) }
    guard !process.isRunning else {
      kill(process.processIdentifier, SIGKILL)
      throw TookTooLong(arguments: arguments)
    }
    return Outcome(
      status: process.terminationStatus + (process.terminationReason == .exit ? 0 : 128),
      stdout: output == nil ? try String(contentsOf: files.output, encoding: .utf8) : "",
      stderr: try String(contentsOf: files.errors, encoding: .utf8))
  }
}

/// Runs the program to its end.
func run(_ arguments: String...) throws -> Outcome { try Program.run(arguments) }

/// Runs the program, which must succeed.
@discardableResult
func succeed(
  _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
) throws -> Outcome {
  let outcome = try Program.run(arguments)
  #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)", sourceLocation: sourceLocation)
  return outcome
}

/// Runs the program, which must fail with one sentence that holds some words and nothing printed.
func fail(
  _ arguments: String..., saying words: String..., status: Int32 = 1,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let outcome = try Program.run(arguments)
  expectSentence(outcome, words, status: status, sourceLocation: sourceLocation)
}

/// Expects that a run failed with one sentence.
///
/// Below a sentence about a text stand its line and a caret; usage errors add the usage.
func expectSentence(
  _ outcome: Outcome, _ words: [String], status: Int32 = 1,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let said = outcome.stderr
  let lines = said.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  let hasCaret = lines.count == 3 && lines.last?.contains("^") == true
  #expect(outcome.status == status, "\(said)", sourceLocation: sourceLocation)
  #expect(outcome.stdout == "", sourceLocation: sourceLocation)
  #expect(said.hasPrefix("Error: "), sourceLocation: sourceLocation)
  #expect(status == 64 || lines.count == 1 || hasCaret, "\(said)", sourceLocation: sourceLocation)
  for word in words {
    #expect(said.contains(word), "\(said)", sourceLocation: sourceLocation)
  }
  for word in ["Fatal", "NSCocoa", "Domain=", "Optional(", "Backtrac", "\u{1B}"] {
    #expect(!said.contains(word), "\(said)", sourceLocation: sourceLocation)
  }
}

/// The root of the repository.
let repository = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
