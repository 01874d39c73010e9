import Foundation

/// A writing process, and the commits that it has acknowledged.
final class Child {
  private let process = Process()
  private let pipe = Pipe()
  /// The last commit that was acknowledged; 0 before the first.
  private(set) var acknowledged = 0
  /// The number of acknowledged commits.
  private(set) var acknowledgements = 0

  convenience init(_ path: String, writer: Int, seed: UInt64) throws {
    try self.init(["kill", "write", path, "\(writer)", "\(seed)"])
  }

  /// Starts this program with other arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - environment: Variables in addition to those of this process.
  /// - Throws: Where the process cannot be started.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    try process.run()
    // The child then has the only writing end, so that its death ends the pipe.
    try pipe.fileHandleForWriting.close()
  }

  deinit { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

  /// Reads acknowledgements until their total number reaches a count.
  ///
  /// - Throws: ``Failure`` when there was none for 30 seconds, or when the process has ended.
  func listen(for count: Int) throws {
    while acknowledgements < count {
      guard isReadable(milliseconds: 30_000), read() else {
        throw Failure("a writer has committed nothing for 30 seconds, or has ended")
      }
    }
  }

  /// Reads the acknowledgements so far, without waiting.
  func listen() { while isReadable(milliseconds: 0), read() {} }

  /// Kills the process and reads its last acknowledgements.
  ///
  /// - Throws: ``Failure`` when the process had ended by itself.
  func kill() throws {
    Foundation.kill(process.processIdentifier, SIGKILL)
    while read() {}
    process.waitUntilExit()
    guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
      throw Failure("a writer ended by itself, with status \(process.terminationStatus)")
    }
  }

  /// Throws where the process has ended by itself.
  func requireRunning() throws {
    guard process.isRunning else {
      throw Failure(
        "\((process.arguments ?? []).joined(separator: " ")) ended by itself, with status "
          + "\(process.terminationStatus)")
    }
  }

  /// Sends a signal to the process.
  func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

  /// The memory of the process that is in use; 0 where the system does not tell it.
  var residentBytes: Int {
    let path = "/proc/\(process.processIdentifier)/statm"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * Int(getpagesize())
  }

  private func isReadable(milliseconds: Int32) -> Bool {
    var descriptor = pollfd(
      fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }

  /// Reads one acknowledgement; returns false at the end.
  private func read() -> Bool {
    var commit: Int64 = 0
    let count = withUnsafeMutableBytes(of: &commit) {
      Foundation.read(pipe.fileHandleForReading.fileDescriptor, $0.baseAddress, $0.count)
    }
    // A write of eight bytes to a pipe is atomic.
    guard count == MemoryLayout<Int64>.size else { return false }
    acknowledged = Int(commit)
    acknowledgements += 1
    return true
  }
}
