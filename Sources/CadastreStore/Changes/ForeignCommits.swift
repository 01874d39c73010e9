import CadastreModel
import Dispatch
import Foundation

/// Notices the commits of other processes, by looking at the log of the store now and then.
///
/// SQLite has no way to be told. A look takes one system call while nothing is written.
// Safe because a timer may be cancelled on any thread.
final class ForeignCommits: @unchecked Sendable {
  /// What a commit changes in the log's entry in its folder.
  private struct Trail: Equatable {
    var seconds = 0
    var nanoseconds = 0
    var size: Int64 = -1
  }

  private struct State {
    var trail = Trail()
    var version: Int64 = 0
  }

  private let state = Guarded(State())
  private let timer: any DispatchSourceTimer
  private let path: String

  /// Milliseconds between two looks.
  private static let pause = 50

  /// Begins to look at the log of a store, until the instance goes.
  init(_ file: StoreFile) {
    path = file.path + "-wal"
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(
      deadline: .now(), repeating: .milliseconds(Self.pause), leeway: .milliseconds(10))
    timer.setEventHandler { [weak self, weak file] in
      guard let self, let file else { return }
      self.look(file)
    }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Notes a version of this process, which needs no telling.
  func note(_ version: Int64) {
    state.withLock { $0.version = max($0.version, version) }
  }

  private func look(_ file: StoreFile) {
    let trail = currentTrail()
    let known = state.withLock { state -> Int64? in
      guard state.trail != trail else { return nil }
      state.trail = trail
      return state.version
    }
    guard let known, let version = try? file.snapshot().version, version > known else { return }
    note(version)
    if known > 0 { file.commits.fire() }
  }

  private func currentTrail() -> Trail {
    var status = stat()
    guard stat(path, &status) == 0 else { return Trail() }
    #if canImport(Darwin)
      let moment = status.st_mtimespec
    #else
      let moment = status.st_mtim
    #endif
    return Trail(
      seconds: Int(moment.tv_sec), nanoseconds: Int(moment.tv_nsec), size: Int64(status.st_size))
  }
}
