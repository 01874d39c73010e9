import CSQLite
import Foundation

/// The limits of the paths of databases.
package enum PathLimit {
  /// The suffix with which SQLite names its longest file beside a database.
  private static let suffix = "-journal"
  /// The maximum size of a file name on the usual file systems.
  private static let fileNameBytes = 255

  /// The maximum number of bytes of a path that SQLite opens, with symbolic links resolved.
  ///
  /// Source: SQLite, `src/pager.c`, `sqlite3PagerOpen`; 504 with the usual 512 of `src/os_unix.c`.
  package static let maximumBytes =
    Int(sqlite3_vfs_find(nil)?.pointee.mxPathname ?? 512) - suffix.utf8.count
  /// The maximum number of bytes of the name of a database, without its folder.
  package static let maximumNameBytes = fileNameBytes - suffix.utf8.count

  /// Checks the length of the path of a database.
  ///
  /// - Parameters:
  ///   - path: The absolute path, with symbolic links resolved.
  ///   - given: The path as the caller named it.
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
