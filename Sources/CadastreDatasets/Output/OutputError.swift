import CadastreStore
import Foundation

/// The error of an output file.
package struct OutputError: Error, Hashable, Sendable {
  /// The kinds of errors.
  package enum Problem: Hashable, Sendable {
    /// The path is a folder.
    case directory
    /// The path is neither a regular file nor a pipe or character device.
    case special
    /// The path names a file that the program reads, or a standard stream.
    case inUse(as: String)
    /// The path names a store, or a file that belongs to a store.
    case store(path: String)
    /// A file exists, and may not be replaced.
    case exists
    /// Something other than an empty folder is at the path of a folder.
    case folderExists
    /// Another process writes the file.
    case beingWritten
    /// The path of the incomplete file names a file that the program did not write.
    case foreignPartialFile(path: String)
    /// The incomplete file was removed or replaced while it was written.
    case partialFileRemoved(path: String)
    /// The disk is full.
    case diskFull
    /// A system call failed; its message.
    case failed(reason: String)
  }

  /// The path of the output.
  package let path: String
  /// The kind of error.
  package let problem: Problem

  init(_ problem: Problem, path: String) {
    self.path = path
    self.problem = problem
  }

  /// The error for a system call's `errno`.
  init(systemError code: Int32, path: String) {
    let isFull = [ENOSPC, EDQUOT].contains(code)
    self.init(isFull ? .diskFull : .failed(reason: String(cString: strerror(code))), path: path)
  }

  /// The error for an error in moving the complete file to its name.
  init(_ error: StoreError, path: String) {
    let problem: Problem =
      switch error.reason {
      case .fileExists: .exists
      case .diskFull: .diskFull
      case .sqlite(_, let message): .failed(reason: message)
      default: .failed(reason: "\(error)")
      }
    self.init(problem, path: path)
  }

  /// Returns the error with the final path of its file, which was in a folder with a temporary name.
  func moved(from partial: String, to final: String) -> OutputError {
    path.hasPrefix(partial + "/")
      ? OutputError(problem, path: final + path.dropFirst(partial.count)) : self
  }
}

extension OutputError: CustomStringConvertible {
  /// The error as a sentence.
  package var description: String {
    switch problem {
    case .directory: "\(path): is a directory; expected a file to write"
    case .special: "\(path): is a device or socket; expected a file or a pipe to write"
    case .inUse(let role): "\(path): is \(role); write the output to another file"
    case .store(let store):
      "\(path): belongs to the store '\(store)', which is never replaced; write the output to "
        + "another file"
    case .exists: "\(path): the file exists already; --overwrite replaces it"
    case .folderExists:
      "\(path): exists already; expected a new name, or an empty folder"
    case .beingWritten:
      "\(path): another process writes this file; wait for it, or use another name"
    case .foreignPartialFile(let partial):
      "\(path): its temporary file '\(partial)' exists and is not one of an earlier run; remove or "
        + "rename it"
    case .partialFileRemoved(let partial):
      "\(path): its temporary file '\(partial)' was removed or replaced by another process; try "
        + "again"
    case .diskFull: "no space left on the disk for '\(path)'"
    case .failed(let reason): "\(path): cannot be written: \(reason)"
    }
  }
}
