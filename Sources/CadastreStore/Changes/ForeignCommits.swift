import Dispatch

/// Detects the commits of other processes by polling the version in the store.
///
/// SQLite has no notification for them, and a commit changes the log before other processes can read it. So each
/// poll reads the version as a reader of the store does, and notifies the observers that have not processed it.
// Safe because a timer may be cancelled on any thread.
final class ForeignCommits: @unchecked Sendable {
  private let timer: any DispatchSourceTimer

  /// The time between two polls.
  private static let intervalMilliseconds = 50

  /// Starts to poll a store, until the instance is released.
  init(_ file: StoreFile) {
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(
      deadline: .now(), repeating: .milliseconds(Self.intervalMilliseconds),
      leeway: .milliseconds(10))
    timer.setEventHandler { [weak file] in file?.pollCommits() }
    timer.resume()
  }

  deinit { timer.cancel() }
}

extension StoreFile {
  /// Notifies the observers that have not processed the newest version.
  fileprivate func pollCommits() {
    // A store that cannot be read now is read by the next poll.
    guard let version = newestVersion() else { return }
    commits.fire(behind: version)
    // Readers of the newest version open it once more, so that the log can start again.
    if hasLongLog { commits.fire(version) }
  }
}
