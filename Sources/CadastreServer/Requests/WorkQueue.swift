import CadastreModel
import Foundation

/// Threads that read the store, so that no read blocks the threads of the server.
final class WorkQueue: Sendable {
  private let queue: OperationQueue
  private let waiting = Guarded(0)

  /// The number of requests that may wait for a thread.
  private static let mostWaiting = 256

  init(threads: Int) {
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = threads
    queue.qualityOfService = .userInitiated
  }

  /// Runs a closure on a thread.
  ///
  /// - Throws: What the closure throws; ``RequestError`` 503 where too many requests wait.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let isAdmitted = waiting.withLock { count in
      guard count < Self.mostWaiting else { return false }
      count += 1
      return true
    }
    guard isAdmitted else {
      throw RequestError(503, "busy", "too many requests wait; try again later")
    }
    defer { waiting.withLock { $0 -= 1 } }
    return try await withCheckedThrowingContinuation { continuation in
      queue.addOperation { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
