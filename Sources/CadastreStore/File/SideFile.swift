import CadastreSQLite
import Foundation

/// A file beside a store whose only content is its lock.
enum SideFile {
  /// Opens a side file; a missing one is created with the permissions of the store.
  ///
  /// The superuser gives it the owner of the store too.
  ///
  /// - Parameters:
  ///   - path: The path of the side file.
  ///   - store: The path of the store, which may not exist.
  /// - Returns: The descriptor.
  /// - Throws: ``StoreError`` when the file can be neither opened nor created.
  static func open(_ path: String, beside store: String) throws(StoreError) -> Int32 {
    while true {
      // Without O_CREAT, which the system may refuse for a file of another user in a shared folder.
      var descriptor = Foundation.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
      if descriptor < 0, errno == EACCES {
        // A lock needs no permission to write.
        descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
      }
      if descriptor < 0, errno == ENOENT {
        descriptor = Foundation.open(
          path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        // Another process has created it meanwhile.
        if descriptor < 0, errno == EEXIST { continue }
      }
      guard descriptor >= 0 else { throw StoreError(systemError: errno, path: store) }
      follow(store, descriptor)
      return descriptor
    }
  }

  /// Gives the side file the permissions of the store, if it belongs to this user.
  private static func follow(_ store: String, _ descriptor: Int32) {
    var (wanted, own) = (stat(), stat())
    guard stat(store, &wanted) == 0, fstat(descriptor, &own) == 0 else { return }
    if geteuid() == 0, (wanted.st_uid, wanted.st_gid) != (own.st_uid, own.st_gid) {
      _ = fchown(descriptor, wanted.st_uid, wanted.st_gid)
    } else if own.st_uid != geteuid() {
      return
    }
    let mode = wanted.st_mode & 0o777
    if own.st_mode & 0o777 != mode { _ = fchmod(descriptor, mode) }
  }
}
