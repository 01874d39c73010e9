import Foundation

/// A writer in a process of its own, and what it has acknowledged.
final class Child {
  private let process = Process()
  private let pipe = Pipe()
  /// The last commit that was acknowledged; 0 before the first.
  private(set) var acknowledged = 0
  private(set) var acknowledgements = 0

  init(_ path: String, writer: Int, seed: UInt64) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["write", path, "\(writer)", "\(seed)"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    try process.run()
    // Once the process is gone nobody else holds the other end.
    try pipe.fileHandleForWriting.close()
  }

  deinit { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

  /// Reads acknowledgements until there were some number of them in all.
  ///
  /// - Throws: ``Failure`` when there were none for half a minute.
  func listen(for count: Int) throws {
    while acknowledgements < count {
      guard isReadable(milliseconds: 30_000), read() else {
        throw Failure("a writer has committed nothing for long, or has ended")
      }
    }
  }

  /// Reads what has been acknowledged so far, without waiting.
  func listen() { while isReadable(milliseconds: 0), read() {} }

  /// Kills the process, and reads what it has still acknowledged.
  ///
  /// - Throws: ``Failure`` when it had ended by itself.
  func kill() throws {
    Foundation.kill(process.processIdentifier, SIGKILL)
    while read() {}
    process.waitUntilExit()
    guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
      throw Failure("a writer ended by itself, with status \(process.terminationStatus)")
    }
  }

  private func isReadable(milliseconds: Int32) -> Bool {
    var descriptor = pollfd(
      fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }

  /// Reads one acknowledgement; false at the end.
  private func read() -> Bool {
    var deed: Int64 = 0
    let count = withUnsafeMutableBytes(of: &deed) {
      Foundation.read(pipe.fileHandleForReading.fileDescriptor, $0.baseAddress, $0.count)
    }
    // A write of eight bytes to a pipe is whole or not there.
    guard count == MemoryLayout<Int64>.size else { return false }
    acknowledged = Int(deed)
    acknowledgements += 1
    return true
  }
}
