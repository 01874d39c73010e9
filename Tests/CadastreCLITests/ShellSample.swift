import Foundation
import TestingSupport

/// Runs shell commands of the documentation, with `cadastre` in the search path.
struct ShellSample {
  private let scratch: Scratch
  private let environment: [String: String]

  /// A folder that has the data sets of the repository, as a checkout has them.
  init() throws {
    guard let program = Program.path else { throw Program.NotBuilt() }
    scratch = try Scratch()
    let manager = FileManager.default
    try manager.createSymbolicLink(
      at: scratch.url.appendingPathComponent("Datasets"),
      withDestinationURL: repository.appendingPathComponent("Datasets"))
    let commands = scratch.url.appendingPathComponent("bin")
    try manager.createDirectory(at: commands, withIntermediateDirectories: true)
    try manager.createSymbolicLink(
      at: commands.appendingPathComponent("cadastre"),
      withDestinationURL: URL(fileURLWithPath: program))
    var environment = ProcessInfo.processInfo.environment.filter { $0.key != "COLUMNS" }
    environment["PATH"] = commands.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    self.environment = environment
  }

  /// The folder in which the commands run.
  var folder: URL { scratch.url }

  /// Runs commands and waits for their end; what they print is in one text.
  func run(_ commands: String) throws -> Outcome {
    let output = scratch.url.appendingPathComponent("output-\(UUID().uuidString)")
    try Data().write(to: output)
    let file = try FileHandle(forWritingTo: output)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-ec", commands]
    process.currentDirectoryURL = scratch.url
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = file
    process.standardError = file
    try process.run()
    process.waitUntilExit()
    try file.close()
    let text = try String(contentsOf: output, encoding: .utf8)
    return Outcome(status: process.terminationStatus, stdout: text, stderr: text)
  }

  /// Returns the commands after a prompt in the plain blocks of an article, and what they print.
  static func samples(of article: Article) throws -> [(command: String, output: String)] {
    var samples: [(command: String, output: String)] = []
    let lines = try article.blocks(of: "").joined(separator: "\n").split(separator: "\n")
    for line in lines {
      if line.hasPrefix("$ ") {
        samples.append((String(line.dropFirst(2)), ""))
      } else if !samples.isEmpty, !line.hasPrefix("Scripts/") {
        samples[samples.count - 1].output += line + "\n"
      }
    }
    return samples
  }

  /// Returns a text without durations and speeds.
  static func withoutTimes(_ text: String) -> String {
    text.replacing(/in [0-9.]+ s( \([0-9,]+ rows\/s\))?/, with: "in … s")
  }
}
