import CadastreStore
import Synchronization

/// Who is told of the changes of a Realm.
final class Observers {
  private struct Held { weak var notifier: Notifier? }

  private var notifiers: [Held] = []
  private var observation: CommitObservation?
  private var wakeUp: WakeUp?
  /// Whether callbacks are running.
  private(set) var isDelivering = false

  /// Whether nobody wants to know what has changed.
  var isEmpty: Bool {
    !notifiers.contains { $0.notifier.map { !$0.isEnded && $0.followsChanges } ?? false }
  }

  func add(_ notifier: Notifier) {
    notifiers.removeAll { $0.notifier == nil }
    notifiers.append(Held(notifier: notifier))
  }

  /// Has a Realm told of commits where it is confined, if it can be reached there.
  func watch(_ core: RealmCore) {
    guard observation == nil, let schedule = core.confinement.scheduler else { return }
    let wakeUp = WakeUp(core, schedule)
    self.wakeUp = wakeUp
    observation = core.file.observeCommits { wakeUp.request() }
  }

  /// Has the Realm look at what is new later.
  func requestWake() { wakeUp?.request() }

  /// Whether the Realm can be told of commits.
  var isWatching: Bool { observation != nil }

  /// Tells those who watch the Realm as a whole.
  func tellOfRealm(_ notification: Realm.Notification, _ core: RealmCore) {
    for held in notifiers {
      guard let notifier = held.notifier as? RealmNotifier, !notifier.isEnded else { continue }
      notifier.block(notification, Realm(core: core))
    }
  }

  /// Tells everybody of what has changed since they were told last.
  ///
  /// - Returns: Whether somebody must be told again, since a callback wrote.
  func deliver(in core: RealmCore, includingFirst: Bool = true) -> Bool {
    isDelivering = true
    defer { isDelivering = false }
    for held in notifiers {
      guard core.transaction == nil else { break }
      guard let notifier = held.notifier, !notifier.isEnded else { continue }
      if includingFirst || notifier.hasBegun { notifier.deliver() }
    }
    notifiers.removeAll { $0.notifier?.isEnded ?? true }
    return notifiers.contains { $0.notifier?.isBehind == true }
  }
}

/// Asks a Realm to look at what is new, once however often it is asked before it does.
// Safe because the Realm is looked at where it is confined only.
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

/// Somebody who is told of changes.
class Notifier {
  let core: RealmCore
  private let ended = Atomic<Bool>(false)

  init(_ core: RealmCore) { self.core = core }

  /// Whether the one who is told wants no more.
  var isEnded: Bool { ended.load(ordering: .acquiring) }

  /// Ends the telling; may be called on any thread.
  func end() { ended.store(true, ordering: .releasing) }

  /// Whether it matters what has changed, not only that something has.
  var followsChanges: Bool { true }
  /// Whether the first state has been told, or read where that is all.
  var hasBegun: Bool { true }
  /// Whether there is something to be told.
  var isBehind: Bool { false }
  /// Tells what has changed.
  func deliver() {}
  /// Takes what has changed as told.
  func skip() {}
}

/// Tells that there is a new version.
final class RealmNotifier: Notifier {
  let block: (Realm.Notification, Realm) -> Void

  init(_ core: RealmCore, _ block: @escaping (Realm.Notification, Realm) -> Void) {
    self.block = block
    super.init(core)
  }

  override var followsChanges: Bool { false }
}

/// Tells of the changes of something.
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

/// What the changes of something are read from, one after the other.
class ChangeSource<Change> {
  let core: RealmCore
  private var seen: Int64?

  init(_ core: RealmCore) { self.core = core }

  /// Whether the first state has been read.
  var hasBegun: Bool { seen != nil }

  /// Whether the Realm has moved on since.
  var isBehind: Bool { seen != core.version }

  /// The first state; later what has changed since the call before; nil where nothing has.
  func advance() -> Change? {
    guard let version = core.attempt(or: nil, { try core.committedVersion() }) else { return nil }
    defer { seen = version }
    guard let seen else { return begin() }
    guard seen != version else { return nil }
    let changes = core.file.changes(after: seen, through: version)
    return change(changes.flatMap { $0.changesSchema ? nil : $0 })
  }

  /// Whether the first state is told.
  var tellsBeginning: Bool { true }
  /// Whether nothing more can be told.
  var isAtEnd: Bool { false }

  /// Reads the first state.
  func begin() -> Change? { nil }

  /// What commits have changed, where that is known.
  func change(_ commits: ChangeSet?) -> Change? { nil }
}
