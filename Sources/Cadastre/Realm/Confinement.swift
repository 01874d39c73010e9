import Dispatch
import Foundation

/// The actor, queue, thread or task in which a Realm may be used, and the scheduling of closures in it.
enum Confinement {
  /// The main actor; also the main thread, if the Realm was opened on it.
  ///
  /// On Linux the main actor leaves the main thread at the first suspension of an asynchronous
  /// `main`, and in `dispatchMain()`.
  case main(pthread_t?)
  /// The thread that opened the Realm.
  case thread(pthread_t)
  /// A serial queue.
  case queue(DispatchQueue)
  /// An actor.
  case actor(ConfinedActor)
  /// The task that opened the Realm, on any thread.
  case task(UInt)
  /// No confinement: a frozen Realm may be used on any thread.
  case unconfined

  /// Returns the confinement of the caller.
  ///
  /// - Parameter isolation: The actor that the caller is isolated to; nil also in a function without
  ///   isolation that an actor calls.
  /// - Returns: The main actor, the actor, the task or the thread.
  static func current(_ isolation: (any Actor)?) -> Confinement {
    if let isolation {
      let executor = ExecutorReference(isolation.unownedExecutor)
      return executor == .main ? .main(mainThread) : .actor(ConfinedActor(isolation, executor))
    }
    if isMainActor, !ExecutorReference.isImmediate { return .main(mainThread) }
    if let executor = ExecutorReference.current, let actor = ConfinedActor(running: executor) {
      return .actor(actor)
    }
    return currentTask.map(Confinement.task) ?? .thread(pthread_self())
  }

  /// Returns the confinement to a queue, on which the caller must run.
  static func current(_ queue: DispatchQueue) -> Confinement {
    let place: Confinement
    // On Linux, each access to `DispatchQueue.main` returns another object, so identity is not compared.
    if queue.getSpecific(key: mainQueueMark) != nil {
      place = .main(mainThread)
    } else {
      queue.setSpecific(key: queueMark, value: ObjectIdentifier(queue))
      place = .queue(queue)
    }
    guard place.isCurrent else {
      ProgrammingError.stop(
        "Realm opened from incorrect dispatch queue: open it on the queue that is given, or let "
          + "the queue run the opening.")
    }
    return place
  }

  /// The identity of the current task; nil outside of tasks.
  private static var currentTask: UInt? {
    withUnsafeCurrentTask { task in
      // Reads the reference of the task, because hashing the task takes longer than the rest of the check.
      task.map { withUnsafeBytes(of: $0) { $0.loadUnaligned(as: UInt.self) } }
    }
  }

  /// The thread of the caller if it is the main thread.
  private static var mainThread: pthread_t? { Thread.isMainThread ? pthread_self() : nil }

  /// Whether the caller is on the main actor: in one of its tasks, on the main queue, or on the main
  /// thread.
  private static var isMainActor: Bool { isOnMainExecutor || Thread.isMainThread }

  private static var isOnMainExecutor: Bool {
    // A block on the main queue runs in no task.
    ExecutorReference.main.isCurrent || DispatchQueue.getSpecific(key: mainQueueMark) != nil
  }

  private static let queueMark = DispatchSpecificKey<ObjectIdentifier>()

  private static let mainQueueMark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  /// The thread; nil for other confinements.
  var thread: pthread_t? {
    switch self {
    case .main(let owner): owner
    case .thread(let owner): owner
    case .queue, .actor, .task, .unconfined: nil
    }
  }

  /// The executor; nil for other confinements, and if the runtime does not provide the current executor.
  var executor: ExecutorReference? {
    guard RuntimeFeatures.knowsExecutor else { return nil }
    switch self {
    case .main: return .main
    case .actor(let actor): return actor.executor
    case .thread, .queue, .task, .unconfined: return nil
    }
  }

  /// Whether the caller is inside of the confinement.
  var isCurrent: Bool {
    switch self {
    case .main(let thread):
      thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false || Self.isOnMainExecutor
    case .thread(let owner): pthread_equal(owner, pthread_self()) != 0
    case .queue(let queue):
      DispatchQueue.getSpecific(key: Self.queueMark) == ObjectIdentifier(queue)
    case .actor(let actor): actor.executor.isCurrent || !RuntimeFeatures.knowsExecutor
    case .task(let number): Self.currentTask == number
    case .unconfined: true
    }
  }

  /// Whether scheduled closures can still run: false after the release of an actor.
  var isAlive: Bool { if case .actor(let actor) = self { actor.isAlive } else { true } }

  /// Stops the process if the caller is outside of the confinement.
  func check() {
    guard !isCurrent else { return }
    ProgrammingError.stop(
      "Realm accessed from incorrect thread: it was opened \(name). Open a Realm where it is used, or "
        + "hand objects over with freeze() or a ThreadSafeReference.")
  }

  private var name: String {
    switch self {
    case .main: "on the main actor"
    case .thread: "on another thread"
    case .queue(let queue): "on the dispatch queue '\(queue.label)'"
    case .actor(let actor): "on the actor \(actor.name)"
    case .task: "in another task"
    case .unconfined: "nowhere"
    }
  }

  /// The identity of the actor, queue, thread or task.
  var identity: Identity {
    switch self {
    case .main: .main
    case .thread(let thread): .thread(thread)
    case .queue(let queue): .queue(ObjectIdentifier(queue))
    case .actor(let actor): .executor(actor.executor)
    case .task(let number): .task(number)
    case .unconfined: .unconfined
    }
  }

  enum Identity: Hashable {
    case main
    case thread(pthread_t)
    case queue(ObjectIdentifier)
    case executor(ExecutorReference)
    case task(UInt)
    case unconfined
  }

  /// Schedules closures in the confinement; nil for a task, and for a thread without a run loop.
  var scheduler: Scheduler? {
    switch self {
    case .main:
      // A task rather than a block on the main queue, so that the main actor is the current executor in
      // callbacks, even if they wait for a closure on another queue.
      return { body in Task.detached { @MainActor in body() } }
    case .queue(let queue): return { body in queue.async(execute: body) }
    case .actor(let actor): return { body in actor.schedule(body) }
    case .thread:
      guard isCurrent, RunLoop.current.currentMode != nil else { return nil }
      let loop = HeldRunLoop(loop: RunLoop.current)
      return { body in loop.run(body) }
    case .task, .unconfined: return nil
    }
  }
}

/// Schedules a closure in the confinement of a Realm.
typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

/// An actor, or an executor shared by actors, which never run concurrently.
///
/// The actor is not retained, because it usually retains the Realm.
final class ConfinedActor: Sendable {
  /// The object that runs closures: an actor or another executor.
  private struct Owner: Sendable {
    weak var actor: (any Actor)?
    weak var executor: (any SerialExecutor)?
  }

  let executor: ExecutorReference
  let name: String
  private let owner: Owner

  /// The actor to which the caller is isolated.
  init(_ actor: any Actor, _ executor: ExecutorReference) {
    self.executor = executor
    name = "\(type(of: actor))"
    owner = Self.owner(of: executor) ?? Owner(actor: actor)
  }

  /// Creates a reference to the executor that runs the caller; nil if it cannot run closures.
  init?(running executor: ExecutorReference) {
    guard let object = executor.object, let owner = Self.owner(of: executor) else { return nil }
    self.executor = executor
    name = "\(type(of: object))"
    self.owner = owner
  }

  private static func owner(of executor: ExecutorReference) -> Owner? {
    switch executor.object {
    case let actor as any Actor: Owner(actor: actor)
    case let executor as any SerialExecutor: Owner(executor: executor)
    default: nil
    }
  }

  var isAlive: Bool { owner.actor != nil || owner.executor != nil }

  func schedule(_ body: @escaping @Sendable () -> Void) {
    if let actor = owner.actor {
      Task.detached { await actor.run(body) }
    } else if let executor = owner.executor {
      Task.detached { await ExecutorVisitor(executor).run(body) }
    }
  }
}

extension Actor {
  fileprivate func run(_ body: @Sendable () -> Void) { body() }
}

/// Runs closures on an executor.
private actor ExecutorVisitor {
  private let executor: any SerialExecutor

  init(_ executor: any SerialExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// The run loop of a thread.
// Safe because timers may be added to a run loop from any thread, which wakes it.
private struct HeldRunLoop: @unchecked Sendable {
  let loop: RunLoop

  func run(_ body: @escaping @Sendable () -> Void) {
    loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in body() }, forMode: .default)
  }
}
