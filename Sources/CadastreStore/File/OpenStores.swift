import CadastreModel
package import CadastreSQLite
import Foundation

/// The stores that this process has open, one instance per file.
package enum OpenStores {
  private struct Entry { weak var file: StoreFile? }
  private static let entries = Guarded<[String: Entry]>([:])

  /// Returns the store in a file; a missing file is created by the first write.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - mustExist: Whether a missing file is an error, as it is for reading only.
  ///   - access: Whether the store may be written.
  /// - Returns: The instance that all users of the file share.
  /// - Throws: ``StoreError`` when the path contains anything else, when its folder is missing, or when the
  ///   store is open with another access.
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

  /// Returns the store in an existing file for reading, with whatever access this process has it open.
  ///
  /// - Throws: ``StoreError`` when the path contains no store.
  package static func readableStore(at path: String) throws(StoreError) -> StoreFile {
    let canonical = try canonicalPath(path)
    return try entries.withLock { (entries) throws(StoreError) in
      if let open = entries[canonical]?.file { return open }
      return try open(canonical, path, true, .readOnly, &entries)
    }
  }

  /// Returns the temporary store of a name, which only this process sees; it is deleted when it is
  /// released.
  package static func temporaryStore(_ identifier: String) throws(StoreError) -> StoreFile {
    let name = temporaryName(identifier)
    return try entries.withLock { (entries) throws(StoreError) in
      if let open = entries[name]?.file { return open }
      return add(StoreFile(in: try TemporaryFolder(in: .memory)), name, &entries)
    }
  }

  /// Returns whether this process has a temporary store of that name open.
  package static func isTemporaryStoreOpen(_ identifier: String) -> Bool {
    entries.withLock { $0[temporaryName(identifier)]?.file != nil }
  }

  /// The paths of the stores in files that this process has open.
  package static var openPaths: [String] {
    entries.withLock { entries in entries.values.compactMap { $0.file?.path } }
  }

  /// Removes a closed store with its side files.
  ///
  /// - Returns: Whether any of its files existed.
  /// - Throws: ``StoreError``: `inUse` when this process or another has it open, or the error of a system
  ///   call.
  package static func remove(_ path: String) throws(StoreError) -> Bool {
    let files = StoreFile.fileSuffixes.map { path + $0 }
    guard files.contains(where: exists) else { return false }
    let canonical = try canonicalPath(path)
    return try entries.withLock { (entries) throws(StoreError) in
      guard entries[canonical]?.file == nil else { throw StoreError(.inUse, path: path) }
      if case .store(isOpenElsewhere: true)? = try? FileProbe.content(at: canonical) {
        throw StoreError(.inUse, path: path)
      }
      // A process that is about to write the store waits for the lock and then detects the removal.
      let lock = try FileLock(beside: canonical)
      guard lock.tryLock() else { throw StoreError(.inUse, path: path) }
      defer { lock.unlock() }
      for file in files where unlink(file) != 0 && errno != ENOENT {
        throw StoreError(systemError: errno, path: path)
      }
      return true
    }
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func temporaryName(_ identifier: String) -> String { "memory:" + identifier }

  private static func open(
    _ canonical: String, _ path: String, _ mustExist: Bool, _ access: StoreFile.Access,
    _ entries: inout [String: Entry]
  ) throws(StoreError) -> StoreFile {
    switch try FileProbe.content(at: canonical) {
    case .nothing where mustExist: throw StoreError(.fileNotFound, path: path)
    case .nothing:
      return add(StoreFile(path: canonical, access: access), canonical, &entries)
    case .store(let isOpenElsewhere):
      let file = StoreFile(path: canonical, access: access, isOpenElsewhere: isOpenElsewhere)
      return add(file, canonical, &entries)
    }
  }

  /// Adds an open store and removes the entries of closed ones.
  private static func add(
    _ file: StoreFile, _ name: String, _ entries: inout [String: Entry]
  ) -> StoreFile {
    entries = entries.filter { $0.value.file != nil }
    entries[name] = Entry(file: file)
    return file
  }

  /// Returns the path with the symbolic links of its folder resolved, so that one file has one name.
  static func canonicalPath(_ path: String) throws(StoreError) -> String {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    guard let resolved = realpath(folder, nil) else {
      throw StoreError(systemError: errno, path: path)
    }
    defer { free(resolved) }
    let parent = String(cString: resolved)
    let canonical = parent + (parent == "/" ? "" : "/") + url.lastPathComponent
    try PathLimit.check(canonical, given: path)
    return canonical
  }
}
