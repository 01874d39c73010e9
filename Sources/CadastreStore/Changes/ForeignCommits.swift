import Dispatch

/// Detects the commits of other processes by polling the version in the store.
///
/// SQLite has no notification for them, and a commit changes the log before other processes can read it. So each
/// poll reads the version as a reader of the store does, and notifies the observers that have not processed it.
// Safe because a timer may be cancelled on any thread, and calls its handler once at a time.
final class ForeignCommits: @unchecked Sendable {
  private let timer: any DispatchSourceTimer
  /// The version with a long log, and the number of polls that found it; used on the timer's queue.
  private var longLog: (version: Int64, polls: Int) = (0, 0)

  /// The time between two polls.
  private static let intervalMilliseconds = 50
  /// The number of polls in which readers of a version open it once more.
  private static let longLogPolls = 40

  /// Starts to poll a store, until the instance is released.
  init(_ file: StoreFile) {
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

  /// Notifies the observers that have not processed the newest version.
  private func poll(_ file: StoreFile) {
    // A store that cannot be read now is read by the next poll.
    guard let version = file.newestVersion() else { return }
    file.commits.fire(behind: version)
    guard file.hasLongLog else { return }
    // Readers of the newest version open it once more, so that the log can start again.
    longLog = longLog.version == version ? (version, longLog.polls + 1) : (version, 1)
    if longLog.polls <= Self.longLogPolls { file.commits.fire(version) }
  }
}
