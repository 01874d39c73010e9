import CadastreModel
import Foundation

/// The temporary files and folders of this process, which a program removes when a signal ends it.
package enum TemporaryFiles {
  private static let paths = Guarded<Set<String>>([])

  /// Creates a file or folder and adds it, so that a signal in between does not leave it.
  ///
  /// - Parameter create: Creates it, and returns its path.
  /// - Returns: The path.
  /// - Throws: What the closure throws.
  @discardableResult
  package static func add<Failure: Error>(
    creating create: () throws(Failure) -> String
  ) throws(Failure) -> String {
    try paths.withLock { (paths) throws(Failure) in
      let path = try create()
      paths.insert(path)
      return path
    }
  }

  /// Forgets a file or folder that was removed or renamed.
  package static func forget(_ path: String) {
    paths.withLock { _ = $0.remove(path) }
  }

  /// Removes all files and folders that were added and not forgotten.
  package static func removeAll() {
    let remaining = paths.withLock { paths in
      defer { paths = [] }
      return paths
    }
    for path in remaining { try? FileManager.default.removeItem(atPath: path) }
  }
}
