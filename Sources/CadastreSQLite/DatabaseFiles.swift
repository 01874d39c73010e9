import CSQLite
import CadastreModel
import Foundation

/// The database files that connections of this process have open, and descriptors of these files whose closing
/// is deferred.
///
/// SQLite's locks are POSIX record locks, which belong to a process and a file: closing any descriptor of a file
/// releases all locks of the process on it, those of open connections included. Another process may then remove
/// the log that these connections use. So a file that may be a database is opened and closed here. While a
/// connection has the file open, the closing of other descriptors is deferred, and the next user of the file
/// gets a deferred descriptor. SQLite treats its descriptors in the same way.
///
/// Source: sqlite.org/howtocorrupt.html, section 2.2.
package enum DatabaseFiles {
  /// The use of one file by connections.
  private struct Use {
    /// The number of open connections.
    var connections = 0
    /// The descriptors that are closed when the last connection has been closed.
    var descriptors: [(identity: FileIdentity, descriptor: Int32)] = []
  }

  private static let uses = Guarded<[FileIdentity: Use]>([:])

  // MARK: Connections

  /// Records that a connection has opened a file; call it before the connection takes its first lock.
  static func beginUse(of file: FileIdentity) {
    uses.withLock { $0[file, default: Use()].connections += 1 }
  }

  /// Records that a connection was closed, and closes the descriptors of a file that no connection uses.
  static func endUse(of file: FileIdentity) {
    uses.withLock { uses in
      guard var use = uses[file] else { return }
      use.connections -= 1
      guard use.connections == 0 else { return uses[file] = use }
      uses[file] = nil
      // Still in `withLock`, so that a connection that is opened meanwhile takes its first lock afterwards.
      for deferred in use.descriptors { Foundation.close(deferred.descriptor) }
    }
  }

  /// Returns whether a connection of this process has a file open.
  package static func isInUse(_ file: FileIdentity) -> Bool { uses.withLock { $0[file] != nil } }

  // MARK: Descriptors

  /// Opens a file for reading; `close(_:of:)` closes the descriptor.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - database: The database to whose connections the file belongs; nil for the file itself.
  ///   - options: Further options of `open`.
  /// - Returns: The descriptor, at the start of the file; negative if `open` failed.
  package static func open(
    _ path: String, of database: FileIdentity? = nil, options: Int32 = 0
  ) -> Int32 {
    if let identity = FileIdentity(path: path),
      let deferred = takeDeferred(identity, database ?? identity)
    {
      lseek(deferred, 0, SEEK_SET)
      return deferred
    }
    return Foundation.open(path, O_RDONLY | O_CLOEXEC | options)
  }

  /// Closes a descriptor, once no connection of this process has its file open.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor for reading.
  ///   - database: The database to whose connections the file belongs; nil for the file itself.
  package static func close(_ descriptor: Int32, of database: FileIdentity? = nil) {
    let identity = FileIdentity(descriptor: descriptor)
    uses.withLock { uses in
      if let identity, uses[database ?? identity] != nil {
        uses[database ?? identity]?.descriptors.append((identity, descriptor))
      } else {
        // In `withLock`, see `endUse(of:)`.
        Foundation.close(descriptor)
      }
    }
  }

  private static func takeDeferred(_ identity: FileIdentity, _ database: FileIdentity) -> Int32? {
    uses.withLock { uses in
      guard let index = uses[database]?.descriptors.firstIndex(where: { $0.identity == identity })
      else { return nil }
      return uses[database]?.descriptors.remove(at: index).descriptor
    }
  }
}

/// The limits of the paths of databases.
package enum PathLimit {
  /// The longest suffix that SQLite appends to the name of a database.
  private static let suffix = "-journal"
  /// The maximum size of a file name on the usual file systems.
  private static let fileNameBytes = 255

  /// The maximum number of bytes of a path that SQLite opens, with symbolic links resolved.
  ///
  /// Source: SQLite, `src/pager.c`, `sqlite3PagerOpen`; 504 with the usual 512 of `src/os_unix.c`.
  package static let maximumBytes = {
    // The search initializes SQLite.
    SQLiteLibrary.configure()
    return Int(sqlite3_vfs_find(nil)?.pointee.mxPathname ?? 512) - suffix.utf8.count
  }()
  /// The maximum number of bytes of the name of a database, without its folder.
  package static let maximumNameBytes = fileNameBytes - suffix.utf8.count

  /// Checks the length of the path of a database.
  ///
  /// - Parameters:
  ///   - path: The absolute path, with symbolic links resolved.
  ///   - given: The path in the error, as the caller wrote it.
  /// - Throws: ``StoreError``: `pathTooLong` or `nameTooLong`.
  package static func check(_ path: String, given: String) throws(StoreError) {
    let bytes = path.utf8.count
    guard bytes <= maximumBytes else {
      throw StoreError(.pathTooLong(bytes: bytes, maximum: maximumBytes), path: given)
    }
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { path.utf8[$0...].count - 1 } ?? bytes
    guard name <= maximumNameBytes else {
      throw StoreError(.nameTooLong(bytes: name, maximum: maximumNameBytes), path: given)
    }
  }

  /// Checks the length of a path that SQLite could not open.
  static func check(unopened path: String) throws(StoreError) {
    let url = URL(fileURLWithPath: path)
    guard let folder = realpath(url.deletingLastPathComponent().path, nil) else { return }
    defer { free(folder) }
    try check(String(cString: folder) + "/" + url.lastPathComponent, given: path)
  }
}
