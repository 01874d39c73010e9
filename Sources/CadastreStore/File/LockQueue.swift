import CadastreSQLite
import Foundation

/// The queue of processes that wait for the write lock of a store.
///
/// The head of the queue holds a `flock` on a second side file, which exists only while a process waits. A
/// process that writes repeatedly finds the file and goes to the end of the queue each time.
struct LockQueue: Sendable {
  private let path: String
  private let storePath: String

  init(beside path: String) {
    storePath = path
    self.path = path + "-wait"
  }

  /// Whether a process may be waiting.
  var exists: Bool { path.withCString { access($0, F_OK) } == 0 }

  /// Waits for the head of the queue, and then repeats an attempt until it succeeds.
  ///
  /// - Throws: ``StoreError`` `busy` when it has not succeeded at the deadline.
  func wait(
    until deadline: ContinuousClock.Instant, _ attempt: () -> Bool
  ) throws(StoreError) {
    let descriptor = try reachHead(until: deadline)
    defer {
      unlink(path)
      close(descriptor)
    }
    try poll(until: deadline, attempt)
  }

  /// Returns a locked descriptor of the side file.
  private func reachHead(until deadline: ContinuousClock.Instant) throws(StoreError) -> Int32 {
    while true {
      let descriptor = try SideFile.open(path, beside: storePath)
      do throws(StoreError) {
        try poll(until: deadline) { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
      } catch {
        close(descriptor)
        throw error
      }
      // The previous head may have removed the file.
      if let own = FileIdentity(descriptor: descriptor), own == FileIdentity(path: path) {
        return descriptor
      }
      close(descriptor)
    }
  }

  private func poll(
    until deadline: ContinuousClock.Instant, _ attempt: () -> Bool
  ) throws(StoreError) {
    var pause: UInt32 = 50
    while !attempt() {
      guard ContinuousClock.now < deadline else { throw StoreError(.busy, path: storePath) }
      usleep(pause)
      pause = min(pause * 2, Self.longestPauseMicroseconds)
    }
  }

  private static let longestPauseMicroseconds: UInt32 = 1000
}
