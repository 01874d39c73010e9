import CadastreModel
package import CadastreSQLite
import Foundation

/// The stores that this process has open, one instance a file.
package enum OpenStores {
  private struct Entry { weak var file: StoreFile? }
  private static let entries = Guarded<[String: Entry]>([:])

  /// The store in a file, which is made when something is first written to it.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - mustExist: Whether a missing file is an error, as it is for reading only.
  ///   - access: Whether it may be written.
  /// - Returns: The same instance for everybody who has the file open.
  /// - Throws: ``StoreError`` when there is something else at the path, no folder to hold it, or when it is
  ///   open with another access.
  package static func store(
    at path: String, mustExist: Bool = false, access: StoreFile.Access = .readWrite
  ) throws(StoreError) -> StoreFile {
    let canonical = try canonicalPath(path)
    return try entries.withLock { (entries) throws(StoreError) in
      if let open = entries[canonical]?.file {
        guard open.access == access else {
          throw StoreError(.openOtherwise(readOnly: open.access == .readOnly), path: path)
        }
        return open
      }
      return try open(canonical, path, mustExist || access == .readOnly, access, &entries)
    }
  }

  /// The store in a file that is there, for reading, however this process may have it open.
  ///
  /// - Throws: ``StoreError`` when there is no store.
  package static func readableStore(at path: String) throws(StoreError) -> StoreFile {
    let canonical = try canonicalPath(path)
    return try entries.withLock { (entries) throws(StoreError) in
      if let open = entries[canonical]?.file { return open }
      return try open(canonical, path, true, .readOnly, &entries)
    }
  }

  /// The store that lives in memory, or in a private temporary file, under a name of this process;
  /// it vanishes with its last user.
  package static func temporaryStore(_ identifier: String) throws(StoreError) -> StoreFile {
    let name = temporaryName(identifier)
    return try entries.withLock { (entries) throws(StoreError) in
      if let open = entries[name]?.file { return open }
      return add(StoreFile(in: try TemporaryFolder()), name, &entries)
    }
  }

  /// Whether somebody in this process has a store of that name in memory.
  package static func isTemporaryStoreOpen(_ identifier: String) -> Bool {
    entries.withLock { $0[temporaryName(identifier)]?.file != nil }
  }

  /// Removes a store that nobody has open, with the files beside it.
  ///
  /// - Returns: Whether there was anything.
  /// - Throws: ``StoreError`` `inUse` when this process or another has it open, or an error of the system.
  package static func remove(_ path: String) throws(StoreError) -> Bool {
    let files = StoreFile.fileSuffixes.map { path + $0 }
    guard files.contains(where: isThere) else { return false }
    let canonical = try canonicalPath(path)
    return try entries.withLock { (entries) throws(StoreError) in
      guard entries[canonical]?.file == nil else { throw StoreError(.inUse, path: path) }
      if case .store(isOpenElsewhere: true)? = try? FileProbe.look(at: canonical) {
        throw StoreError(.inUse, path: path)
      }
      // Whoever is about to write it waits for the lock, and finds then that the store is gone.
      let lock = try FileLock(beside: canonical)
      guard lock.tryLock() else { throw StoreError(.inUse, path: path) }
      defer { lock.unlock() }
      for file in files where unlink(file) != 0 && errno != ENOENT {
        throw StoreError(systemError: errno, path: path)
      }
      return true
    }
  }

  private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func temporaryName(_ identifier: String) -> String { "memory:" + identifier }

  private static func open(
    _ canonical: String, _ path: String, _ mustExist: Bool, _ access: StoreFile.Access,
    _ entries: inout [String: Entry]
  ) throws(StoreError) -> StoreFile {
    switch try FileProbe.look(at: canonical) {
    case .nothing where mustExist: throw StoreError(.fileNotFound, path: path)
    case .nothing:
      return add(StoreFile(path: canonical, access: access), canonical, &entries)
    case .store(let isOpenElsewhere):
      let file = StoreFile(path: canonical, access: access, isOpenElsewhere: isOpenElsewhere)
      return add(file, canonical, &entries)
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
