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
  /// The processes that wait for the lock.
  private let queue: LockQueue
  /// Whether this instance holds the lock; its users hold the turn of the store's writers.
  private let isHeld = Guarded(false)

  /// Opens the side file of a store; a missing one is created.
  init(beside path: String) throws(StoreError) {
    self.path = path + "-lock"
    storePath = path
    queue = LockQueue(beside: path)
    descriptor = try SideFile.open(self.path, beside: path)
  }

  deinit { close(descriptor) }

  /// Returns the lock of a store, which is held.
  ///
  /// - Parameters:
  ///   - path: The path of the store, which may not exist.
  ///   - deadline: How long to wait for the lock.
  /// - Returns: The lock.
  /// - Throws: ``StoreError`` `busy` when it is not free at the deadline.
  static func acquired(
    beside path: String, until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> FileLock {
    while true {
      let lock = try FileLock(beside: path)
      try lock.lock(until: deadline)
      // The process that created the store may have removed it meanwhile, with the lock file.
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

  /// Whether the side file is still the one beside the store; removing a store removes it too.
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
