import Foundation

/// A file to which the threads of one process append lines.
///
/// A line that was written stays when the process is killed.
final class EventLog: Sendable {
  private let file: Int32

  /// Opens a file; a missing one is created.
  init(_ path: String) throws {
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure("cannot create \(path)") }
  }

  deinit { close(file) }

  /// Appends a line, with one call, so that lines of several threads do not mix.
  func note(_ line: String) {
    var line = line.replacingOccurrences(of: "\n", with: " / ") + "\n"
    line.withUTF8 { _ = write(file, $0.baseAddress, $0.count) }
  }
}

/// Reads the lines that a process has appended to an ``EventLog`` since the last time.
struct EventReader {
  let path: String
  private var offset: UInt64 = 0
  private var rest = Data()

  init(_ path: String) { self.path = path }

  /// Returns the new lines; one that the process has not completed is returned later.
  mutating func lines() throws -> [Substring] {
    // The process may not have created it yet.
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? file.close() }
    try file.seek(toOffset: offset)
    let added = try file.readToEnd() ?? Data()
    offset += UInt64(added.count)
    rest += added
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let text = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
    rest = Data(rest[rest.index(after: end)...])
    return text.split(separator: "\n")
  }
}
