import CadastreStore
import Synchronization

/// The observers of a Realm.
final class Observers {
  private struct WeakNotifier { weak var notifier: Notifier? }

  private var notifiers: [WeakNotifier] = []
  private var observation: CommitObservation?
  private var wakeUp: WakeUp?
  /// Whether callbacks are running.
  private(set) var isDelivering = false

  /// Whether no observer needs to know what has changed.
  var isEmpty: Bool {
    !notifiers.contains { $0.notifier.map { !$0.isEnded && $0.needsChanges } ?? false }
  }

  func add(_ notifier: Notifier) {
    notifiers.removeAll { $0.notifier == nil }
    notifiers.append(WeakNotifier(notifier: notifier))
  }

  /// Wakes a Realm after commits where it is confined, if it can be reached there.
  ///
  /// - Parameters:
  ///   - core: The Realm.
  ///   - version: The version that it has read.
  func watch(_ core: RealmCore, after version: Int64) {
    guard observation == nil, let schedule = core.confinement.scheduler else { return }
    let wakeUp = WakeUp(core, schedule)
    self.wakeUp = wakeUp
    observation = core.file.observeCommits(after: version) { wakeUp.request() }
  }

  /// Processes the commits that the Realm was notified of; the closure returns false if it cannot.
  func process(_ body: () -> Bool) {
    if let observation { observation.process(body) } else { _ = body() }
  }

  /// Whether an observer has to be notified, outside of its callbacks.
  var hasUndelivered: Bool {
    !isDelivering
      && notifiers.contains { weak in
        weak.notifier.map { !$0.isEnded && (!$0.hasBegun || $0.isBehind) } ?? false
      }
  }

  /// Schedules a refresh of the Realm.
  func requestWake() { wakeUp?.request() }

  /// Whether the Realm is notified of commits.
  var isWatching: Bool { observation != nil }

  /// Notifies the observers of the Realm as a whole.
  ///
  /// - Parameters:
  ///   - notification: The notification.
  ///   - core: The Realm.
  ///   - skipped: Observers that are not notified.
  func notifyRealmObservers(
    _ notification: Realm.Notification, _ core: RealmCore, except skipped: [Notifier] = []
  ) {
    for weak in notifiers {
      guard let notifier = weak.notifier as? RealmNotifier, !notifier.isEnded,
        !skipped.contains(where: { $0 === notifier })
      else { continue }
      notifier.block(notification, Realm(core: core))
    }
  }

  /// Delivers to each observer the changes since its last notification.
  ///
  /// - Returns: Whether an observer must be notified again, because a callback wrote.
  func deliver(in core: RealmCore) -> Bool {
    isDelivering = true
    defer { isDelivering = false }
    if !notifiers.isEmpty {
      Logger.write(.trace, .notification, "delivering changes to \(notifiers.count) observers")
    }
    for weak in notifiers {
      guard !core.isInWriteTransaction else { break }
      guard let notifier = weak.notifier, !notifier.isEnded else { continue }
      notifier.deliver()
    }
    notifiers.removeAll { $0.notifier?.isEnded ?? true }
    return notifiers.contains { $0.notifier?.isBehind == true }
  }
}

/// Requests a refresh of a Realm; several requests before it runs are one.
// Safe because the Realm is used only where it is confined.
private final class WakeUp: @unchecked Sendable {
  private let core: CoreReference
  private let schedule: Scheduler
  private let isRequested = Atomic<Bool>(false)

  init(_ core: RealmCore, _ schedule: @escaping Scheduler) {
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
  let core: RealmCore
  private let ended = Atomic<Bool>(false)

  init(_ core: RealmCore) { self.core = core }

  /// Whether the subscription has ended.
  var isEnded: Bool { ended.load(ordering: .acquiring) }

  /// Ends the subscription; may be called on any thread.
  func end() { ended.store(true, ordering: .releasing) }

  /// Whether the observer needs to know what has changed, not only that there is a new version.
  var needsChanges: Bool { true }
  /// Whether the first state was delivered, or read where it is not delivered.
  var hasBegun: Bool { true }
  /// Whether there are changes to deliver.
  var isBehind: Bool { false }
  /// Delivers the changes.
  func deliver() {}
  /// Skips the changes without delivering them.
  func skip() {}
}

/// An observer of new versions.
final class RealmNotifier: Notifier {
  let block: (Realm.Notification, Realm) -> Void

  init(_ core: RealmCore, _ block: @escaping (Realm.Notification, Realm) -> Void) {
    self.block = block
    super.init(core)
  }

  override var needsChanges: Bool { false }
}

/// An observer of the changes of an object or a collection.
final class ChangeNotifier<Change>: Notifier {
  private let source: ChangeSource<Change>
  private let block: (Change) -> Void

  init(_ source: ChangeSource<Change>, _ block: @escaping (Change) -> Void) {
    self.source = source
    self.block = block
    super.init(source.core)
  }

  override var hasBegun: Bool { source.hasBegun }
  override var isBehind: Bool { source.isBehind }
  override func deliver() { if let change = source.advance() { block(change) } }
  override func skip() { _ = source.advance() }
}

/// The changes of an object or a collection, read one after the other.
class ChangeSource<Change> {
  let core: RealmCore
  private var seen: Int64?

  init(_ core: RealmCore) { self.core = core }

  /// Whether the first state has been read.
  var hasBegun: Bool { seen != nil }

  /// Whether the Realm has moved to another version since.
  var isBehind: Bool { seen != core.version }

  /// Returns the first state; later the changes since the call before; nil if there are none.
  func advance() -> Change? {
    guard let version = core.attempt(or: nil, { try core.committedVersion() }) else { return nil }
    defer { seen = version }
    guard let seen else { return begin() }
    guard seen != version else { return nil }
    let changes = core.file.changes(after: seen, through: version)
    return change(changes.flatMap { $0.changesSchema ? nil : $0 })
  }

  /// Whether the first state is delivered.
  var deliversFirstState: Bool { true }
  /// Whether no more changes can come.
  var isAtEnd: Bool { false }

  /// Reads the first state.
  func begin() -> Change? { nil }

  /// Returns the changes made by some commits; nil if the commits are not known.
  func change(_ commits: ChangeSet?) -> Change? { nil }
}

extension Realm {
  /// A notification of a Realm as a whole.
  public enum Notification: String, Sendable {
    /// The Realm has moved to a new version, by its own commit too.
    case didChange = "RLMRealmDidChangeNotification"
    /// There is a newer version, to which the Realm does not move by itself.
    case refreshRequired = "RLMRealmRefreshRequiredNotification"
  }

  /// Calls a closure with each new version of the Realm.
  ///
  /// - Returns: A token; the subscription ends with it.
  public func observe(_ block: @escaping (Notification, Realm) -> Void) -> NotificationToken {
    core.requireObservable()
    let notifier = RealmNotifier(core, block)
    core.observers.add(notifier)
    // Commits are new versions only to a Realm that is at a version.
    _ = core.attempt(or: nil) { try core.committedVersion() }
    return NotificationToken(notifier)
  }
}
