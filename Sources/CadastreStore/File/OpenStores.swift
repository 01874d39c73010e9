import CadastreModel
import Foundation

/// The stores that this process has open, one instance a file.
package enum OpenStores {
  private struct Entry { weak var file: StoreFile? }
  private static let entries = Guarded<[String: Entry]>([:])

  /// The store in a file, which is made when something is first written to it.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - mustExist: Whether a missing file is an error.
  /// - Returns: The same instance for everybody who has the file open.
  /// - Throws: ``StoreError`` when there is something else at the path, or no folder to hold it.
  package static func store(
    at path: String, mustExist: Bool = false
  ) throws(StoreError) -> StoreFile {
    let canonical = try canonicalPath(path)
    return try entries.withLock { (entries) throws(StoreError) in
      // An open store is not probed again: closing any descriptor of a file drops the locks that
      // the process holds on it for SQLite.
      if let open = entries[canonical]?.file { return open }
      let exists = try FileProbe.exists(canonical)
      if mustExist, !exists { throw StoreError(.fileNotFound, path: path) }
      return add(StoreFile(path: canonical), canonical, &entries)
    }
  }

  /// The store that lives in memory, or in a private temporary file, under a name of this process;
  /// it vanishes with its last user.
  package static func temporaryStore(_ identifier: String) throws(StoreError) -> StoreFile {
    let name = "memory:" + identifier
    return try entries.withLock { (entries) throws(StoreError) in
      if let open = entries[name]?.file { return open }
      return add(StoreFile(in: try TemporaryFolder()), name, &entries)
    }
  }

  /// Notes an open store, and forgets those that are closed.
  private static func add(
    _ file: StoreFile, _ name: String, _ entries: inout [String: Entry]
  ) -> StoreFile {
    entries = entries.filter { $0.value.file != nil }
    entries[name] = Entry(file: file)
    return file
  }

  /// The path with the links of its folder followed, so that one file has one name.
  private static func canonicalPath(_ path: String) throws(StoreError) -> String {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    guard let resolved = realpath(folder, nil) else {
      throw StoreError(systemError: errno, path: path)
    }
    defer { free(resolved) }
    let parent = String(cString: resolved)
    return parent + (parent == "/" ? "" : "/") + url.lastPathComponent
  }
}
