import Dispatch

/// Asynchronous operations of a program whose commands are synchronous.
enum Blocking {
  /// Runs an operation and waits for its end.
  ///
  /// - Throws: The error of the operation.
  static func wait<Success>(
    _ operation: sending @escaping () async throws -> sending Success
  ) throws -> Success {
    let outcome = Outcome<Success>()
    let end = DispatchSemaphore(value: 0)
    Task {
      do {
        outcome.result = .success(try await operation())
      } catch {
        outcome.result = .failure(error)
      }
      end.signal()
    }
    end.wait()
    return try outcome.result.get()
  }

  // Safe because the semaphore orders the write before the read.
  private final class Outcome<Success>: @unchecked Sendable {
    /// The result; that of a cancelled task before the operation ends.
    var result: Result<Success, any Error> = .failure(CancellationError())
  }
}
