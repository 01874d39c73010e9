import CadastreModel
import Foundation

/// The temporary files and folders of this process, which a program removes when a signal ends it.
package enum TemporaryFiles {
  private static let paths = Guarded<Set<String>>([])

  /// Adds a file or folder that was created.
  package static func add(_ path: String) {
    paths.withLock { _ = $0.insert(path) }
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
