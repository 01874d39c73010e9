import CadastreModel
import Dispatch
import Foundation

/// Detects the commits of other processes by polling the store's log.
///
/// SQLite has no notification for them. A poll takes one system call while nothing is written.
// Safe because a timer may be cancelled on any thread.
final class ForeignCommits: @unchecked Sendable {
  /// The attributes of the log that a commit changes.
  private struct LogStatus: Equatable {
    var seconds = 0
    var nanoseconds = 0
    var size: Int64 = -1
  }

  private struct State {
    var log = LogStatus()
    var version: Int64 = 0
  }

  private let state = Guarded(State())
  private let timer: any DispatchSourceTimer
  private let path: String

  /// The time between two polls.
  private static let intervalMilliseconds = 50

  /// Starts to poll the log of a store, until the instance is released.
  init(_ file: StoreFile) {
    path = file.path + "-wal"
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(
      deadline: .now(), repeating: .milliseconds(Self.intervalMilliseconds),
      leeway: .milliseconds(10))
    timer.setEventHandler { [weak self, weak file] in
      guard let self, let file else { return }
      self.poll(file)
    }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Notes a version that this process committed, whose observers are notified already.
  func note(_ version: Int64) {
    state.withLock { $0.version = max($0.version, version) }
  }

  private func poll(_ file: StoreFile) {
    let log = currentLogStatus()
    let known = state.withLock { state -> Int64? in
      guard state.log != log else { return nil }
      state.log = log
      return state.version
    }
    // Readers of the newest version open it once more, so that the log can start again.
    if known == nil, log.size > StoreFile.longLogBytes { file.commits.fire() }
    guard let known, let version = try? file.snapshot().version, version > known else { return }
    note(version)
    if known > 0 { file.commits.fire() }
  }

  private func currentLogStatus() -> LogStatus {
    var status = stat()
    guard stat(path, &status) == 0 else { return LogStatus() }
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    return LogStatus(
      seconds: Int(modified.tv_sec), nanoseconds: Int(modified.tv_nsec),
      size: Int64(status.st_size))
  }
}
