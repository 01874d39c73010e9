import CadastreSQLite
import Foundation

/// Moves files that were written under a temporary name to their final name, so that no reader sees an
/// incomplete file.
package enum FinishedFile {
  /// Renames a finished file, and makes its content and its name durable.
  ///
  /// - Parameters:
  ///   - file: The finished file, in the same folder as `path`.
  ///   - path: The final name.
  ///   - isReplacing: Whether to replace a file of that name, which is an error otherwise.
  /// - Throws: ``StoreError``: `fileExists` when the name is taken, or the error of a system call.
  package static func publish(
    _ file: String, as path: String, isReplacing: Bool = false
  ) throws(StoreError) {
    try synchronize(file, path)
    if isReplacing {
      guard rename(file, path) == 0 else { throw StoreError(systemError: errno, path: path) }
    } else if link(file, path) != 0 {
      guard errno != EEXIST else { throw StoreError(.fileExists, path: path) }
      // Some file systems have no hard links.
      guard access(path, F_OK) != 0, rename(file, path) == 0 else {
        throw StoreError(systemError: errno, path: path)
      }
    }
    try synchronize(path.parentFolder, path)
  }

  private static func synchronize(_ file: String, _ path: String) throws(StoreError) {
    let descriptor = DatabaseFiles.open(file)
    guard descriptor >= 0 else { throw StoreError(systemError: errno, path: path) }
    defer { DatabaseFiles.close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw StoreError(systemError: errno, path: path)
    }
  }
}
