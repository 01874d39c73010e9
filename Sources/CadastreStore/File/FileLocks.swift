import CadastreSQLite
import Foundation

/// The file locks of other processes.
enum FileLocks {
  /// The bytes of a file that SQLite locks while a connection uses it in WAL mode.
  enum Range {
    /// In the database, from the first read of a connection until it is closed.
    ///
    /// Source: sqlite.org/fileformat2.html, "The Lock-Byte Page".
    case connections
    /// In the index of the log, while a process has it open.
    ///
    /// Source: SQLite, `os_unix.c`, `UNIX_SHM_DMS`.
    case logIndex

    fileprivate var bytes: (start: off_t, count: off_t) {
      switch self {
      case .connections: (0x4000_0000, 512)
      case .logIndex: (128, 1)
      }
    }
  }

  /// Returns a process other than this one that holds a lock.
  ///
  /// - Returns: Its number, which is 0 where it cannot be seen from this process; nil where there is none.
  /// - Throws: ``StoreError`` `locksUnsupported` where the file system has no locks.
  static func holder(
    of range: Range, _ descriptor: Int32, _ path: String
  ) throws(StoreError) -> pid_t? {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    (lock.l_start, lock.l_len) = range.bytes
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { throw failure(errno, path) }
    return lock.l_type == Int16(F_UNLCK) ? nil : max(lock.l_pid, 0)
  }

  /// Takes the exclusive `flock` of a file if it is free.
  ///
  /// - Returns: Whether it was free.
  /// - Throws: ``StoreError`` `locksUnsupported` where the file system has no locks.
  static func tryLock(_ descriptor: Int32, _ path: String) throws(StoreError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EWOULDBLOCK: return false
      case EINTR: continue
      default: throw failure(errno, path)
      }
    }
    return true
  }

  /// The error of a system call that locks a file.
  static func failure(_ code: Int32, _ path: String) -> StoreError {
    switch code {
    case ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL:
      StoreError(.locksUnsupported(String(cString: strerror(code))), path: path)
    default: StoreError(systemError: code, path: path)
    }
  }
}
