import Foundation

/// A process of a campaign: this program in another role, the command line, or another program.
///
/// The process ends with this one where it calls ``StandardInput/whenClosed(_:)``. Its output goes to a file, so that
/// it never waits for a reader.
final class RoleProcess {
  /// The name in findings, which is that of the file with its output too.
  let name: String
  private let process = Process()
  private let input = Pipe()
  private let outputPath: String

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - name: The name, which no other process of the folder has at the same time.
  ///   - program: The path of the program; nil for this one.
  ///   - arguments: Its arguments.
  ///   - folder: The folder of its output.
  ///   - currentFolder: Its current folder; nil for that of this process.
  ///   - pipe: A pipe for its standard output; nil for the file.
  /// - Throws: Where the process cannot be started.
  init(
    _ name: String, program: String? = nil, _ arguments: [String], in folder: String,
    at currentFolder: String? = nil, output pipe: Pipe? = nil
  ) throws {
    self.name = name
    outputPath = folder + "/" + name + ".output"
    guard FileManager.default.createFile(atPath: outputPath, contents: nil),
      let file = FileHandle(forWritingAtPath: outputPath)
    else { throw Failure("cannot create \(outputPath)") }
    process.executableURL = program.map { URL(fileURLWithPath: $0) } ?? Bundle.main.executableURL
    process.arguments = arguments
    if let currentFolder { process.currentDirectoryURL = URL(fileURLWithPath: currentFolder) }
    process.standardInput = input
    if let pipe { process.standardOutput = pipe } else { process.standardOutput = file }
    process.standardError = file
    try process.run()
    // The process then has the only writing end, so that its death ends the pipe.
    try pipe?.fileHandleForWriting.close()
    try file.close()
  }

  /// Starts the command line.
  ///
  /// - Throws: ``Failure`` where the variable that names it is missing.
  convenience init(
    _ name: String, cadastre arguments: [String], in folder: String, at currentFolder: String? = nil
  ) throws {
    guard let program = ProcessInfo.processInfo.environment["CADASTRE_TORTURE_PROGRAM"] else {
      throw Failure("CADASTRE_TORTURE_PROGRAM does not name the program: use Scripts/torture")
    }
    try self.init(name, program: program, arguments, in: folder, at: currentFolder)
  }

  /// Runs the command line to its end.
  static func run(
    _ name: String, cadastre arguments: [String], in folder: String, at currentFolder: String? = nil
  ) throws -> Outcome {
    try RoleProcess(name, cadastre: arguments, in: folder, at: currentFolder).wait()
  }

  deinit { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

  var identifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// What the process has written.
  var output: String {
    String(decoding: FileManager.default.contents(atPath: outputPath) ?? Data(), as: UTF8.self)
  }

  /// Sends a signal to the process.
  func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

  /// Closes its standard input.
  func closeInput() throws { try input.fileHandleForWriting.close() }

  /// Kills the process, unless it has ended.
  func kill() -> Outcome {
    signal(SIGKILL)
    return ended()
  }

  /// Waits for the end of the process.
  ///
  /// - Throws: ``Failure`` where it does not end within a time that no process needs.
  func wait(seconds: Int = 180) throws -> Outcome {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while process.isRunning {
      guard ContinuousClock.now < deadline else {
        throw Failure("\(name) has not ended within \(seconds) s: \(kill())")
      }
      usleep(1000)
    }
    return ended()
  }

  private func ended() -> Outcome {
    process.waitUntilExit()
    let isExit = process.terminationReason == .exit
    return Outcome(
      status: isExit ? process.terminationStatus : nil,
      signal: isExit ? nil : process.terminationStatus, text: output)
  }
}

/// The standard input of a process in a role, by which it knows that its parent lives.
enum StandardInput {
  /// Runs a closure on a thread of its own once the parent closes standard input, or ends.
  static func whenClosed(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      var byte: UInt8 = 0
      var count = 0
      repeat {
        count = read(STDIN_FILENO, &byte, 1)
      } while count > 0 || count < 0 && errno == EINTR
      body()
    }
  }
}
