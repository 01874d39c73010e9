import CSQLite
import Foundation

extension StoreError {
  /// The error for a result code of SQLite and the system's error codes behind it.
  init(
    code: Int32, message: String, systemErrors: [Int32] = [], path: String,
    statement: String? = nil
  ) {
    let reason: Reason =
      switch code & 0xFF {
      // A quota or a limit on the size of files.
      case SQLITE_IOERR where systemErrors.contains(where: [ENOSPC, EDQUOT, EFBIG].contains):
        .diskFull
      case SQLITE_IOERR where Self.lockErrors.contains(code >> 8):
        .locksUnsupported(
          systemErrors.first { $0 != 0 }.map { String(cString: strerror($0)) } ?? message)
      case SQLITE_NOTADB: .notADatabase
      case SQLITE_READONLY: .readOnly
      case SQLITE_FULL: .diskFull
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_INTERRUPT: .cancelled
      case SQLITE_CORRUPT: .corrupt(message)
      case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: .permissionDenied
      default: .sqlite(code: Int(code), message: message)
      }
    self.init(reason, path: path, statement: statement)
  }

  /// The extended codes of `SQLITE_IOERR` for a lock that the system refuses for another reason than that it is taken:
  /// `RDLOCK`, `LOCK` and `SHMLOCK`, whose macros Swift does not import.
  private static let lockErrors: [Int32] = [9, 15, 20]

  /// The error for a system call's `errno`.
  package init(systemError code: Int32, path: String) {
    let reason: Reason =
      switch code {
      case ENOENT: .fileNotFound
      case ENOTDIR, ENAMETOOLONG, ELOOP:
        .fileOperationFailed(String(cString: strerror(code)))
      case EISDIR: .isDirectory
      case EACCES, EPERM, EROFS: .permissionDenied
      case ENOSPC, EDQUOT, EFBIG: .diskFull
      default: .sqlite(code: Int(code), message: String(cString: strerror(code)))
      }
    self.init(reason, path: path)
  }

  /// Whether a row, a text or a blob is larger than the limit of the connection.
  package var isOfTooLargeValue: Bool {
    if case .sqlite(let code, _) = reason { code & 0xFF == Int(SQLITE_TOOBIG) } else { false }
  }

  /// Whether a unique index refused a value.
  package var isUniqueViolation: Bool {
    // SQLITE_CONSTRAINT_UNIQUE, whose macro Swift does not import.
    if case .sqlite(let code, _) = reason { code == Int(SQLITE_CONSTRAINT) | 8 << 8 } else { false }
  }
}
