import Dispatch
import ProgramWorks

/// A program with an asynchronous `main`, and contexts in actors and tasks.
@main
struct AsyncMainProgram {
  static func main() async {
    let assignment = Assignment()
    switch assignment.entry {
    case "main": await assignment.open().perform()
    case "@MainActor": await Task.detached { await Self.onMainActor(assignment) }.value
    case "actor": await Worker().perform(assignment)
    case "actor, own executor": await Clerk().perform(assignment)
    case "task": await Task { await assignment.open().perform() }.value
    case "detached task": await Task.detached { await assignment.open().perform() }.value
    case "immediate task": await immediately(assignment).value
    case "nonisolated": await nowhere(assignment)
    default: assignment.failForEntry()
    }
  }

  @MainActor private static func onMainActor(_ assignment: Assignment) async {
    await assignment.open().perform()
  }

  nonisolated private static func nowhere(_ assignment: Assignment) async {
    await assignment.open().perform()
  }

  /// Begins a task on the thread of the caller, which it leaves at its first suspension.
  nonisolated private static func immediately(_ assignment: Assignment) -> Task<Void, Never> {
    guard #available(macOS 26, *) else { assignment.failForEntry() }
    return Task.immediate { await assignment.open().perform() }
  }
}

actor Worker {
  func perform(_ assignment: Assignment) async { await assignment.open().perform() }
}

/// An actor that runs on a dispatch queue.
actor Clerk {
  private let executor = QueueExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func perform(_ assignment: Assignment) async { await assignment.open().perform() }
}

final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "programs")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
