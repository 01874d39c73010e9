import Foundation

/// An additional output file; checked for writability before any other work.
struct OutputFile {
  /// The path of the file.
  let path: String

  /// An error in writing a file.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Checks that a file can be written.
  ///
  /// - Parameter path: The path; an existing file is replaced when it is written.
  /// - Throws: `Failure` if the path is a directory or cannot be written.
  init(_ path: String) throws(Failure) {
    self.path = path
    var status = stat()
    let exists = stat(path, &status) == 0
    guard !exists || status.st_mode & S_IFMT != S_IFDIR else {
      throw Failure(description: "\(path): is a directory; expected a file to write")
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(exists ? path : folder, W_OK) == 0 else {
      throw Failure(description: "\(path): cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  /// Writes the content of the file.
  ///
  /// - Parameter text: The complete content.
  /// - Throws: `Failure` if the file cannot be written, for example because the disk is full.
  func write(_ text: String) throws(Failure) {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw Failure(description: "\(path): cannot be written: \(error.localizedDescription)")
    }
  }
}
