import CadastreSQLite
import Foundation

/// The queue of processes that wait for the write lock of a store.
///
/// The head of the queue holds a `flock` on a second side file, which exists only while a process waits. A
/// process that writes repeatedly finds the file and goes to the end of the queue each time. A head that does not
/// run, because it was stopped, is passed over: the lock stays free although the head waits for it.
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
  /// - Parameters:
  ///   - deadline: When to give up.
  ///   - attempt: Takes the write lock if it is free; returns whether it was.
  ///   - giveBack: Releases the write lock after a successful attempt.
  /// - Throws: ``StoreError`` `busy` when it has not succeeded at the deadline, or what the attempt throws.
  func wait(
    until deadline: ContinuousClock.Instant, _ attempt: () throws(StoreError) -> Bool,
    giveBack: () -> Void
  ) throws(StoreError) {
    while true {
      let descriptor = try SideFile.open(path, beside: storePath)
      defer { close(descriptor) }
      var isHead = false
      var pauses = 0
      var freeLooks = 0
      try poll(until: deadline) { () throws(StoreError) in
        if try FileLocks.tryLock(descriptor, storePath) {
          isHead = true
          return true
        }
        pauses += 1
        guard pauses.isMultiple(of: Self.pausesBetweenLooks) else { return false }
        // Another process has passed over the head, and later ones wait on a new file.
        guard isInPlace(descriptor) else { return true }
        // A head that runs takes a free lock before the next look.
        guard try attempt() else {
          freeLooks = 0
          return false
        }
        freeLooks += 1
        if freeLooks == Self.looksOfStoppedHead { return true }
        giveBack()
        return false
      }
      let hasLock = freeLooks == Self.looksOfStoppedHead
      // The head may have removed the file, and others may wait on a new one.
      guard hasLock || isInPlace(descriptor) else { continue }
      // The next process needs no queue.
      defer { if isInPlace(descriptor) { unlink(path) } }
      if isHead { try poll(until: deadline, attempt) }
      return
    }
  }

  private func isInPlace(_ descriptor: Int32) -> Bool {
    FileIdentity(descriptor: descriptor) == FileIdentity(path: path)
  }

  private func poll(
    until deadline: ContinuousClock.Instant, _ attempt: () throws(StoreError) -> Bool
  ) throws(StoreError) {
    var pause: UInt32 = 50
    while try !attempt() {
      guard ContinuousClock.now < deadline else { throw StoreError(.busy, path: storePath) }
      usleep(pause)
      pause = min(pause * 2, Self.longestPauseMicroseconds)
    }
  }

  private static let longestPauseMicroseconds: UInt32 = 1000
  /// The number of pauses between two looks at the lock: a head that runs has tried to take it meanwhile.
  private static let pausesBetweenLooks = 20
  /// The number of successive looks that find the lock free, from which on the head is passed over.
  private static let looksOfStoppedHead = 3
}
