import Foundation
import Testing
import TestingSupport

/// The result of a run of the program.
struct Outcome: Sendable {
  /// The exit status, or 128 plus the number of the signal that ended the process.
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

/// The built `cadastre` executable.
enum Program {
  struct NotBuilt: Error {}

  /// The path of the executable; it is in the folder of the test bundle.
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

  /// Starts the program, or the command `other` with the path and the arguments of the program
  /// appended.
  ///
  /// Output goes to files, so that no full pipe can block the program.
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
    // `COLUMNS` would change the line width of the help.
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "COLUMNS" }
    process.standardInput = FileHandle.nullDevice
    let files = try [output, errors].map { try $0.map { try FileHandle(forWritingTo: $0) } }
    // The child has its own descriptors. `Process` would keep these handles open for a long time.
    defer { for file in files { try? file?.close() } }
    process.standardOutput = files[0] ?? .nullDevice
    process.standardError = files[1] ?? .nullDevice
    _ = resetSignals
    try process.run()
    return process
  }

  /// Gives signals their default effect, once: a program inherits the signals that its parent ignores, and a shell
  /// without job control ignores SIGINT and SIGQUIT in background jobs.
  private static let resetSignals: Void = {
    for code in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { signal(code, SIG_DFL) }
  }()

  /// Runs the program and waits for its end.
  ///
  /// If `output` is given, standard output goes to that file, and `stdout` of the result is empty.
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
    blockUntil("the end of \(arguments)") { !process.isRunning }
    return Outcome(
      status: process.terminationStatus + (process.terminationReason == .exit ? 0 : 128),
      stdout: output == nil ? try String(contentsOf: files.output, encoding: .utf8) : "",
      stderr: try String(contentsOf: files.errors, encoding: .utf8))
  }
}

/// Runs the program and waits for its end.
func run(_ arguments: String...) throws -> Outcome { try Program.run(arguments) }

/// Runs the program and expects success.
@discardableResult
func succeed(
  _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
) throws -> Outcome {
  try succeed(arguments, sourceLocation: sourceLocation)
}

/// Runs the program with a list of arguments and expects success.
@discardableResult
func succeed(
  _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
) throws -> Outcome {
  let outcome = try Program.run(arguments)
  #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)", sourceLocation: sourceLocation)
  return outcome
}

/// Runs the program and expects one error sentence that contains all `words`, and no output.
func fail(
  _ arguments: String..., saying words: String..., status: Int32 = 1,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let outcome = try Program.run(arguments)
  expectSentence(outcome, words, status: status, sourceLocation: sourceLocation)
}

/// Runs the program with a list of arguments and expects one error sentence that contains all `words`.
func fail(
  _ arguments: [String], saying words: String..., status: Int32 = 1,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let outcome = try Program.run(arguments)
  expectSentence(outcome, words, status: status, sourceLocation: sourceLocation)
}

/// Expects that a run failed with one sentence that contains all `words`.
///
/// An error in a text is followed by the line and a caret, a usage error by the usage.
func expectSentence(
  _ outcome: Outcome, _ words: [String], status: Int32 = 1,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let message = outcome.stderr
  let lines = message.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  let hasCaret = lines.count == 3 && lines.last?.contains("^") == true
  #expect(outcome.status == status, "\(message)", sourceLocation: sourceLocation)
  #expect(outcome.stdout == "", sourceLocation: sourceLocation)
  #expect(message.hasPrefix("Error: "), sourceLocation: sourceLocation)
  #expect(
    status == 64 || lines.count == 1 || hasCaret, "\(message)", sourceLocation: sourceLocation)
  for word in words {
    #expect(message.contains(word), "\(message)", sourceLocation: sourceLocation)
  }
  for word in ["Fatal", "NSCocoa", "Domain=", "Optional(", "Backtrac", "\u{1B}"] {
    #expect(!message.contains(word), "\(message)", sourceLocation: sourceLocation)
  }
}

/// The root folder of the repository.
let repository = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
