import CadastreSQLite
import Foundation

/// Gives names to files that were written under other ones, so that nobody sees half of one.
package enum FinishedFile {
  /// Gives a finished file its name, and makes both durable.
  ///
  /// - Parameters:
  ///   - file: The file under the name that it was written with, in the same folder.
  ///   - path: The name to give.
  ///   - isReplacing: Whether a file of that name goes; it may not be there otherwise.
  /// - Throws: ``StoreError`` when the name is taken, or the system refuses.
  package static func publish(
    _ file: String, as path: String, isReplacing: Bool = false
  ) throws(StoreError) {
    try synchronize(file, path)
    if isReplacing {
      guard rename(file, path) == 0 else { throw StoreError(systemError: errno, path: path) }
    } else if link(file, path) != 0 {
      guard errno != EEXIST else { throw StoreError(.fileExists, path: path) }
      // Some file systems have no second names for a file.
      guard access(path, F_OK) != 0, rename(file, path) == 0 else {
        throw StoreError(systemError: errno, path: path)
      }
    }
    try synchronize((path as NSString).deletingLastPathComponent, path)
  }

  private static func synchronize(_ file: String, _ path: String) throws(StoreError) {
    let descriptor = open(file.isEmpty ? "." : file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(systemError: errno, path: path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw StoreError(systemError: errno, path: path)
    }
  }
}
