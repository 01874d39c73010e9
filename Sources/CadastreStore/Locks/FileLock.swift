import CadastreModel
import CadastreSQLite
import Foundation
import Synchronization

/// The lock that every process holds while it writes a store: an exclusive `flock` on a side file.
///
/// SQLite up to 3.51.2 can lose committed pages when one connection copies the write-ahead log into
/// the file while another restarts the log ("WAL-reset bug"). Cadastre does either only under this lock,
/// so the two never happen at the same time.
final class FileLock: Sendable {
  private let descriptor: Int32
  /// The path of the side file.
  private let path: String
  private let storePath: String
  /// The queue of the processes that wait for the lock.
  private let queue: LockQueue
  /// Whether this instance has the lock; its users have the `WriteLock` of the store.
  private let isHeld = Guarded(false)

  /// Opens the side file of a store; a missing one is created.
  init(beside path: String) throws(StoreError) {
    self.path = path + "-lock"
    storePath = path
    queue = LockQueue(beside: path)
    descriptor = try SideFile.open(self.path, beside: path)
  }

  deinit { close(descriptor) }

  /// Acquires the lock of a store.
  ///
  /// - Parameters:
  ///   - path: The path of the store, which may not exist.
  ///   - deadline: When to stop waiting for the lock.
  /// - Returns: The lock.
  /// - Throws: ``StoreError`` `busy` when it is not free at the deadline.
  static func acquired(
    beside path: String, until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> FileLock {
    while true {
      let lock = try FileLock(beside: path)
      try lock.lock(until: deadline)
      // The process that created the store may have removed it meanwhile, together with the lock file.
      if lock.isInPlace { return lock }
      lock.unlock()
    }
  }

  /// Waits for the lock, unless it is held already; processes get it in the order of their requests.
  ///
  /// - Throws: ``StoreError`` `busy` when it is not free at the deadline.
  func lock(until deadline: ContinuousClock.Instant) throws(StoreError) {
    guard !isHeld.withLock({ $0 }) else { return }
    if !queue.exists, try tryLock() { return }
    try queue.wait(
      until: deadline, { () throws(StoreError) in try tryLock() }, giveBack: { unlock() })
  }

  /// Whether the side file is still at its path; the removal of a store removes the file too.
  var isInPlace: Bool {
    guard let own = FileIdentity(descriptor: descriptor) else { return false }
    return own == FileIdentity(path: path)
  }

  /// Takes the lock if it is free.
  ///
  /// - Returns: Whether it was free.
  /// - Throws: ``StoreError`` `locksUnsupported` where the file system has no locks.
  func tryLock() throws(StoreError) -> Bool {
    guard try FileLocks.tryLock(descriptor, storePath) else { return false }
    isHeld.withLock { $0 = true }
    return true
  }

  /// Releases the lock.
  func unlock() {
    isHeld.withLock { $0 = false }
    flock(descriptor, LOCK_UN)
  }
}

/// System calls for file locks.
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
  /// - Returns: The process id, or 0 where the system hides it; nil where no other process has the lock.
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

  /// Returns the error of a system call that locks a file.
  static func failure(_ code: Int32, _ path: String) -> StoreError {
    switch code {
    case ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL:
      StoreError(.locksUnsupported(String(cString: strerror(code))), path: path)
    default: StoreError(systemError: code, path: path)
    }
  }
}

/// A file beside a store that is only used for its lock.
enum SideFile {
  /// Opens a side file; a missing one is created with the permissions of the store.
  ///
  /// A process of the superuser also gives the file the owner of the store.
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

  /// Gives the side file the permissions of the store, if the file belongs to this user.
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
