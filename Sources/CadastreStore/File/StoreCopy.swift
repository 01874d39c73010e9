import CadastreModel
package import CadastreSQLite
import Foundation

/// A copy of a store's content, as a snapshot or a write transaction sees it, in a new file without unused
/// space.
package struct StoreCopy {
  private let reader: any StoreReader

  /// Prepares to copy the content that a reader sees.
  package init(of reader: any StoreReader) { self.reader = reader }

  /// Writes the copy; the file gets its name when it is complete.
  ///
  /// The view of a write transaction is copied through memory, where SQLite's limit is 2 GiB.
  ///
  /// - Throws: ``StoreError``: `fileExists` where the path is taken, or why the copy cannot be written.
  /// - Complexity: O(n) in the size of the store.
  package func write(to path: String) throws(StoreError) {
    for suffix in StoreFile.fileSuffixes where access(path + suffix, F_OK) == 0 {
      throw StoreError(.fileExists, path: path)
    }
    do throws(StoreError) {
      let folder = try TemporaryFolder(in: .folder(path.parentFolder))
      let copy = folder.path + "/copy"
      try copyPages(to: folder.path + "/pages")
      if reader.connection.isWriting { try Self.removeSegments(from: folder.path + "/pages") }
      try Self.compact(folder.path + "/pages", into: copy)
      Self.copyPermissions(of: reader.path, to: copy)
      try FinishedFile.publish(copy, as: path)
      withExtendedLifetime(folder) {}
    } catch {
      // Errors name the target path, never a temporary file.
      throw StoreError(error.reason, path: path)
    }
  }

  // MARK: Pages

  private func copyPages(to path: String) throws(StoreError) {
    if reader.connection.isWriting {
      try writeSerialized(to: path)
    } else {
      try Connection(path: path, mode: .readWrite).copyPages(of: reader.connection)
    }
  }

  /// Writes the content with uncommitted changes: SQLite's serialization includes them, its backup does not.
  private func writeSerialized(to path: String) throws(StoreError) {
    try reader.connection.withSerializedPages { (pages) throws(StoreError) in
      try Self.write(pages, to: path)
    }
  }

  private static func write(
    _ pages: UnsafeRawBufferPointer?, to path: String
  ) throws(StoreError) {
    guard let pages, let start = pages.baseAddress else {
      throw StoreError(
        .fileOperationFailed(
          "what a write transaction sees is copied through memory, and there is too much of it: commit "
            + "first"), path: path)
    }
    do {
      // The bytes are only read.
      let data = Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: pages.count,
        deallocator: .none)
      try data.write(to: URL(fileURLWithPath: path))
    } catch {
      throw failure(error, path)
    }
  }

  // MARK: The finished file

  /// Removes the segments, in which a write transaction marks its changes only when it is committed.
  private static func removeSegments(from pages: String) throws(StoreError) {
    let connection = try Connection(path: pages, mode: .readWrite)
    if try SegmentTable.exists(in: StoredObjects(reading: connection)) {
      try SegmentTable.removeSegments(on: connection)
    }
  }

  private static func compact(_ pages: String, into path: String) throws(StoreError) {
    try Connection(path: pages, mode: .readWrite).run("VACUUM INTO ?", .string(path))
    let copy = try Connection(path: path, mode: .readWrite)
    try copy.run("PRAGMA journal_mode = WAL")
    try copy.checkpointOnClose()
  }

  /// Gives the copy the permissions of the store; the owner may write it also if the store is read-only.
  private static func copyPermissions(of store: String, to copy: String) {
    var status = stat()
    guard stat(store, &status) == 0 else { return }
    _ = chmod(copy, status.st_mode & 0o777 | S_IWUSR)
  }

  private static func failure(_ error: any Error, _ path: String) -> StoreError {
    let code = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code
    return code.map { StoreError(systemError: Int32(truncatingIfNeeded: $0), path: path) }
      ?? StoreError(.fileOperationFailed("\(error.localizedDescription)"), path: path)
  }
}
