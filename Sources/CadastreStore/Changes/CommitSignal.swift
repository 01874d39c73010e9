import CadastreModel
import Dispatch
import Synchronization

/// A notifier of the observers of a store's new versions.
final class CommitSignal: Sendable {
  private struct State {
    var observers: [(number: UInt64, observer: Observer)] = []
    var next: UInt64 = 0
  }

  /// One observer, the last version that it was notified of, and the last version that it has processed.
  fileprivate final class Observer: Sendable {
    let body: @Sendable () -> Void
    let notified: Atomic<Int64>
    let processed: Atomic<Int64>

    init(after version: Int64, _ body: @escaping @Sendable () -> Void) {
      self.body = body
      notified = Atomic(version)
      processed = Atomic(version)
    }
  }

  private let state = Guarded(State())

  /// Calls a closure after each commit until the observation is released.
  ///
  /// The closure runs on the thread that made or detected the commit.
  ///
  /// - Parameters:
  ///   - version: The version that the observer has processed already.
  ///   - body: The closure.
  /// - Returns: The observation.
  func observe(after version: Int64, _ body: @escaping @Sendable () -> Void) -> CommitObservation {
    let observer = Observer(after: version, body)
    let number = state.withLock { state in
      state.next += 1
      state.observers.append((state.next, observer))
      return state.next
    }
    return CommitObservation(observer) { [weak self] in
      self?.state.withLock { $0.observers.removeAll { $0.number == number } }
    }
  }

  /// Calls all observers.
  ///
  /// - Parameters:
  ///   - version: The new version; nil where the caller does not have it.
  ///   - observation: The observation of a Realm that has processed the version, which is not called; nil for none.
  func fire(_ version: Int64?, skipping observation: CommitObservation? = nil) {
    for (_, observer) in state.withLock({ $0.observers }) {
      if let version, observer === observation?.observer {
        observer.processed.max(version, ordering: .acquiringAndReleasing)
        continue
      }
      if let version { observer.notified.max(version, ordering: .acquiringAndReleasing) }
      observer.body()
    }
  }

  /// Calls the observers that have not processed a version.
  func fire(behind version: Int64) {
    for (_, observer) in state.withLock({ $0.observers })
    where observer.processed.load(ordering: .acquiring) < version {
      observer.notified.max(version, ordering: .acquiringAndReleasing)
      observer.body()
    }
  }
}

/// An observation of commits, which ends when it is released.
package final class CommitObservation: Sendable {
  fileprivate let observer: CommitSignal.Observer
  private let end: @Sendable () -> Void

  fileprivate init(_ observer: CommitSignal.Observer, end: @escaping @Sendable () -> Void) {
    (self.observer, self.end) = (observer, end)
  }

  deinit { end() }

  /// Processes the versions that the observer was notified of.
  ///
  /// The next poll notifies the observer again while it has not processed the newest version.
  ///
  /// - Parameter body: Reads the newest version of the store and processes it; returns false where it cannot.
  /// - Returns: The result of the closure.
  @discardableResult
  package func process(_ body: () -> Bool) -> Bool {
    let version = observer.notified.load(ordering: .acquiring)
    guard body() else { return false }
    observer.processed.max(version, ordering: .acquiringAndReleasing)
    return true
  }
}

/// A detector of other processes' commits that polls the version in the store.
///
/// SQLite sends no notification of such commits, and a commit changes the log before other processes can read
/// it. So each poll reads the version like a reader of the store, and notifies the observers that have not
/// processed it.
// Safe because a timer may be cancelled on any thread, and calls of its handler do not overlap.
final class ForeignCommits: @unchecked Sendable {
  private let timer: any DispatchSourceTimer
  /// The newest version at which a poll measured a long log, and the number of polls since then;
  /// accessed only on the timer's queue.
  private var longLog: (version: Int64, polls: Int) = (0, 0)

  /// The time between two polls.
  private static let intervalMilliseconds = 50
  /// The maximum number of polls that make readers open a version again.
  private static let longLogPolls = 40

  /// Starts to poll a store, until the instance is released.
  init(_ file: StoreFile) {
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(
      deadline: .now(), repeating: .milliseconds(Self.intervalMilliseconds),
      leeway: .milliseconds(10))
    timer.setEventHandler { [weak self, weak file, path = file.path, commits = file.commits] in
      guard let self else { return }
      // The store is released before the observers are called: a program may close and remove it meanwhile.
      let state = OpenStores.whileBusy(path) {
        file.flatMap { file in file.newestVersion().map { ($0, file.hasLongLog) } }
      }
      // A store that cannot be read is read by the next poll.
      guard let (version, hasLongLog) = state else { return }
      self.notify(commits, version, hasLongLog)
    }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Notifies the observers that have not processed the newest version.
  private func notify(_ commits: CommitSignal, _ version: Int64, _ hasLongLog: Bool) {
    commits.fire(behind: version)
    guard hasLongLog else { return }
    // Readers open the newest version again, so that the log can be restarted.
    longLog = longLog.version == version ? (version, longLog.polls + 1) : (version, 1)
    if longLog.polls <= Self.longLogPolls { commits.fire(version) }
  }
}
