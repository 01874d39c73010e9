import CadastreStore
import Synchronization

/// The observers of a Realm.
final class Observers {
  private struct WeakNotifier { weak var notifier: Notifier? }

  private var notifiers: [WeakNotifier] = []
  /// The observation of commits; nil if the Realm is not notified of them.
  private(set) var observation: CommitObservation?
  private var wakeUp: WakeUp?
  /// Whether callbacks are running.
  private(set) var isDelivering = false

  /// Whether there are observers: the Realm then stays at its version until it is refreshed, so that they are
  /// notified of each move.
  var hasObservers: Bool { notifiers.contains { $0.notifier.map { !$0.isEnded } ?? false } }

  /// Whether no observer needs the changes of commits.
  var isEmpty: Bool {
    !notifiers.contains { $0.notifier.map { !$0.isEnded && $0.needsChanges } ?? false }
  }

  func add(_ notifier: Notifier) {
    notifiers.removeAll { $0.notifier == nil }
    notifiers.append(WeakNotifier(notifier: notifier))
  }

  /// The observation of commits if there are no observers: the Realm's own commits need no refresh then.
  var observationWithoutObservers: CommitObservation? {
    hasObservers ? nil : observation
  }

  /// Refreshes a Realm in its confinement after commits, if closures can be scheduled there.
  ///
  /// - Parameters:
  ///   - core: The Realm.
  ///   - version: The version that the Realm has read.
  func watch(_ core: LiveCore, after version: Int64) {
    guard observation == nil, let schedule = core.confinement.scheduler else { return }
    let wakeUp = WakeUp(core, schedule)
    self.wakeUp = wakeUp
    observation = core.file.observeCommits(after: version) { wakeUp.request() }
  }

  /// Whether changes are undelivered, outside of callbacks.
  var hasUndelivered: Bool {
    !isDelivering
      && notifiers.contains { weak in
        weak.notifier.map { !$0.isEnded && (!$0.hasBegun || $0.isBehind) } ?? false
      }
  }

  /// Schedules a refresh of the Realm.
  func requestWake() { wakeUp?.request() }

  /// Notifies the observers of new versions of the Realm.
  ///
  /// - Parameters:
  ///   - notification: The notification.
  ///   - core: The Realm.
  ///   - skipped: The observers to omit.
  func notifyRealmObservers(
    _ notification: Realm.Notification, _ core: LiveCore, except skipped: [Notifier] = []
  ) {
    for weak in notifiers {
      guard let notifier = weak.notifier as? RealmNotifier, !notifier.isEnded,
        !skipped.contains(where: { $0 === notifier })
      else { continue }
      notifier.block(notification, Realm(core: core))
    }
  }

  /// Delivers the changes up to the version of the Realm to each observer, outside of transactions and callbacks.
  ///
  /// Schedules a refresh if there are new changes, because a callback wrote. Changes that could not be read are
  /// delivered after the next commit or refresh.
  func deliver(in core: LiveCore) {
    guard !notifiers.isEmpty, !isDelivering, !core.isInWriteTransaction else { return }
    isDelivering = true
    Logger.write(.trace, .notification, "delivering changes to \(notifiers.count) observers")
    for weak in notifiers {
      guard !core.isInWriteTransaction else { break }
      guard let notifier = weak.notifier, !notifier.isEnded else { continue }
      notifier.deliver()
    }
    notifiers.removeAll { $0.notifier?.isEnded ?? true }
    let areBehind = notifiers.contains { weak in
      weak.notifier.map { $0.isBehind && !$0.hasFailed } ?? false
    }
    // Before the request, because a refresh does nothing during callbacks.
    isDelivering = false
    if areBehind { requestWake() }
  }
}

/// A request to refresh a Realm; requests before the refresh runs are combined.
// Safe because the Realm is used only in its confinement.
private final class WakeUp: @unchecked Sendable {
  private let core: CoreReference<LiveCore>
  private let schedule: Scheduler
  private let isRequested = Atomic<Bool>(false)

  init(_ core: LiveCore, _ schedule: @escaping Scheduler) {
    self.core = core.reference
    self.schedule = schedule
  }

  func request() {
    guard !isRequested.exchange(true, ordering: .acquiringAndReleasing) else { return }
    schedule { [self] in
      isRequested.store(false, ordering: .releasing)
      core.core?.wake()
    }
  }
}

/// An observer of changes.
class Notifier {
  let core: LiveCore
  private let ended = Atomic<Bool>(false)

  init(_ core: LiveCore) { self.core = core }

  /// Whether the subscription has ended.
  var isEnded: Bool { ended.load(ordering: .acquiring) }

  /// Ends the subscription; may be called on any thread.
  func end() { ended.store(true, ordering: .releasing) }

  /// Whether the observer needs the changes of commits, not only the new version.
  var needsChanges: Bool { true }
  /// Whether the initial state was delivered or read.
  var hasBegun: Bool { true }
  /// Whether there are changes to deliver.
  var isBehind: Bool { false }
  /// Whether the changes could not be read.
  var hasFailed: Bool { false }
  /// Delivers the changes.
  func deliver() {}
  /// Skips the changes without delivering them.
  func skip() {}
}

/// An observer of new versions.
final class RealmNotifier: Notifier {
  let block: (Realm.Notification, Realm) -> Void

  init(_ core: LiveCore, _ block: @escaping (Realm.Notification, Realm) -> Void) {
    self.block = block
    super.init(core)
  }

  override var needsChanges: Bool { false }
}

/// An observer of the successive changes of an object or a collection.
class ChangeSource<Change>: Notifier {
  /// Receives the changes; nil for a sequence, which asks for them.
  var block: ((Change) -> Void)?
  /// The version up to which the changes were read; nil before the initial state is read.
  private var seen: Int64?
  /// Whether the last read failed; the next one returns its changes too.
  private var isIncomplete = false

  /// - Parameter core: The Realm; a Realm that never changes stops the process.
  override init(_ core: RealmCore) { super.init(core.liveForObservers()) }

  override var hasBegun: Bool { seen != nil }
  override var isBehind: Bool { seen != core.version }
  override var hasFailed: Bool { isIncomplete }
  override func deliver() { if let change = advance() { block?(change) } }
  override func skip() { _ = advance() }

  /// Returns the initial state on the first call, then the change since the previous call; nil if nothing
  /// changed, or where it cannot be read.
  func advance() -> Change? {
    isIncomplete = true
    return core.attempt(or: nil) {
      let version = try core.committedVersion()
      let change =
        if let seen { seen == version ? nil : try change(core.changes(after: seen)) } else {
          begin()
        }
      seen = version
      isIncomplete = false
      return change
    }
  }

  /// Whether the initial state is delivered.
  var deliversFirstState: Bool { true }
  /// Whether no further change is possible.
  var isAtEnd: Bool { false }

  /// Reads the initial state.
  func begin() -> Change? { nil }

  /// Returns the change made by commits.
  ///
  /// - Parameter commits: The changes of the commits; nil if they are not available.
  /// - Returns: The change; nil if nothing changed.
  /// - Throws: The error of a read; the state is unchanged then.
  func change(_ commits: ChangeRange?) throws -> Change? { nil }
}

extension Realm {
  /// A notification about the version of a Realm.
  public enum Notification: String, Sendable {
    /// The Realm has moved to a new version, also by its own commit.
    case didChange = "RLMRealmDidChangeNotification"
    /// A newer version exists, and autorefresh is off.
    case refreshRequired = "RLMRealmRefreshRequiredNotification"
  }

  /// Calls a closure with each new version of the Realm.
  ///
  /// - Returns: A token; the subscription ends with it.
  public func observe(_ block: @escaping (Notification, Realm) -> Void) -> NotificationToken {
    let core = core.liveForObservers()
    core.requireObservable()
    let notifier = RealmNotifier(core, block)
    core.observers.add(notifier)
    // Reads the version, so that later commits count as new versions.
    _ = core.attempt(or: nil) { try core.committedVersion() }
    return NotificationToken(notifier)
  }
}
