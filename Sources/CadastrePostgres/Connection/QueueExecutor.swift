import Dispatch

/// An executor that runs the jobs of an actor on a dispatch queue of its own.
///
/// libpq waits for the server in blocking calls. On this queue they block no thread of Swift's
/// cooperative pool, so other tasks continue while a task waits for a server.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "cadastre.postgres")

  /// Runs a job after those before it.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
