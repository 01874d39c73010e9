import Foundation

/// A file that the user asks for beside the answer, checked before any work is done.
struct OutputFile {
  /// Where it goes.
  let path: String

  /// Why a file cannot be written.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Throws: `Failure` when a file at this path could not be written.
  init(_ path: String) throws(Failure) {
    self.path = path
    var status = stat()
    let isThere = stat(path, &status) == 0
    guard !isThere || status.st_mode & S_IFMT != S_IFDIR else {
      throw Failure(description: "\(path): is a directory; expected a file to write")
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(isThere ? path : folder, W_OK) == 0 else {
      throw Failure(description: "\(path): cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  /// Writes the whole of it.
  func write(_ text: String) throws(Failure) {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw Failure(description: "\(path): cannot be written: \(error.localizedDescription)")
    }
  }
}
