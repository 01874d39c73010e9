import CSwiftRuntime
import Dispatch
import Foundation

/// The thread, queue, actor or task where a Realm may be used, and how closures are scheduled
/// there.
enum Confinement {
  /// On the main thread, which is the main actor's too.
  case main(pthread_t)
  /// On the thread that opened it.
  case thread(pthread_t)
  /// On a serial queue.
  case queue(DispatchQueue)
  /// On an actor.
  case actor(ConfinedActor)
  /// In the task that opened it, on whichever thread the task runs.
  case task(UInt)
  /// Anywhere: the Realm is frozen.
  case nowhere

  /// Where the caller is.
  ///
  /// - Parameter isolation: The actor that the caller is isolated to.
  /// - Returns: The main thread, the actor, the task or the thread.
  static func current(_ isolation: (any Actor)?) -> Confinement {
    if Thread.isMainThread { return .main(pthread_self()) }
    if let isolation { return .actor(ConfinedActor(isolation)) }
    return currentTask.map(Confinement.task) ?? .thread(pthread_self())
  }

  /// A queue, on which the caller must be.
  static func current(_ queue: DispatchQueue) -> Confinement {
    if queue === DispatchQueue.main, Thread.isMainThread { return .main(pthread_self()) }
    queue.setSpecific(key: queueMark, value: ObjectIdentifier(queue))
    let place = Confinement.queue(queue)
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
      // A task is a reference; its hash would take longer than all the rest of the check.
      task.map { withUnsafeBytes(of: $0) { $0.loadUnaligned(as: UInt.self) } }
    }
  }

  private static let queueMark = DispatchSpecificKey<ObjectIdentifier>()

  /// Whether the Realm may be used anywhere.
  var isNowhere: Bool { if case .nowhere = self { true } else { false } }

  /// The thread; nil for other confinements.
  var thread: pthread_t? {
    switch self {
    case .main(let owner), .thread(let owner): owner
    case .queue, .actor, .task, .nowhere: nil
    }
  }

  /// Whether the caller is there.
  var isCurrent: Bool {
    switch self {
    case .main(let owner), .thread(let owner): pthread_equal(owner, pthread_self()) != 0
    case .queue(let queue):
      DispatchQueue.getSpecific(key: Self.queueMark) == ObjectIdentifier(queue)
    case .actor(let actor): actor.isCurrent
    case .task(let number): Self.currentTask == number
    case .nowhere: true
    }
  }

  /// Stops the process where the caller is somewhere else.
  func check() {
    guard !isCurrent else { return }
    ProgrammingError.stop(
      "Realm accessed from incorrect thread: it was opened \(name). Open a Realm where it is used, or "
        + "hand objects over with freeze() or a ThreadSafeReference.")
  }

  private var name: String {
    switch self {
    case .main: "on the main thread"
    case .thread: "on another thread"
    case .queue(let queue): "on the dispatch queue '\(queue.label)'"
    case .actor(let actor): "on the actor \(actor.name)"
    case .task: "in another task"
    case .nowhere: "nowhere"
    }
  }

  /// The identity of the thread, queue, actor or task.
  var identity: Identity {
    switch self {
    case .main(let thread), .thread(let thread): .thread(thread)
    case .queue(let queue): .object(ObjectIdentifier(queue))
    case .actor(let actor): .object(actor.identifier)
    case .task(let number): .task(number)
    case .nowhere: .nowhere
    }
  }

  enum Identity: Hashable {
    case thread(pthread_t)
    case object(ObjectIdentifier)
    case task(UInt)
    case nowhere
  }

  /// Schedules closures there; nil where only the owner can run code: in a task, and on a thread
  /// without a run loop.
  var scheduler: Scheduler? {
    switch self {
    case .main: return { body in DispatchQueue.main.async(execute: body) }
    case .queue(let queue): return { body in queue.async(execute: body) }
    case .actor(let actor): return { body in actor.schedule(body) }
    case .thread:
      guard isCurrent, RunLoop.current.currentMode != nil else { return nil }
      let loop = HeldRunLoop(loop: RunLoop.current)
      return { body in loop.run(body) }
    case .task, .nowhere: return nil
    }
  }
}

/// Runs a closure where a Realm is confined, some time later.
typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

/// An actor, which is not retained, because it usually retains the Realm that is confined to it.
struct ConfinedActor: Sendable {
  private weak var actor: (any Actor)?
  private let executor: UnownedSerialExecutor
  let identifier: ObjectIdentifier
  let name: String

  init(_ actor: any Actor) {
    self.actor = actor
    executor = actor.unownedExecutor
    identifier = ObjectIdentifier(actor)
    name = "\(type(of: actor))"
  }

  var isCurrent: Bool {
    guard RuntimeFeatures.knowsExecutor else { return true }
    return withUnsafeBytes(of: executor) { words in
      let pointers = words.bindMemory(to: UnsafeRawPointer?.self)
      return cadastre_is_current_executor(pointers[0], pointers[1])
    }
  }

  func schedule(_ body: @escaping @Sendable () -> Void) {
    guard let actor else { return }
    Task { await actor.run(body) }
  }
}

extension Actor {
  fileprivate func run(_ body: @Sendable () -> Void) { body() }
}

/// The run loop of a thread.
// Safe because timers may be added to a run loop from any thread, which wakes it.
private struct HeldRunLoop: @unchecked Sendable {
  let loop: RunLoop

  func run(_ body: @escaping @Sendable () -> Void) {
    loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in body() }, forMode: .default)
  }
}
