import Foundation

/// A bounded queue of batches of records from a thread that reads a file to one that uses them.
// Safe because all state is accessed only while the lock of `condition` is held.
final class BatchQueue<Batch>: @unchecked Sendable {
  private let capacity: Int
  private let condition = NSCondition()
  private var batches: [Batch] = []
  private var used: [Batch] = []
  private var end: Result<Void, any Error>?
  private var isCancelled = false

  /// Creates an empty queue that contains at most `capacity` batches.
  init(capacity: Int) { self.capacity = capacity }

  /// Runs a closure that adds batches on a new thread, and ends the queue when the closure ends.
  ///
  /// - Parameter read: The closure; the error that it throws ends the queue.
  func fill(_ read: @escaping () throws(DatasetError) -> Void) {
    // Safe because only the thread calls it.
    nonisolated(unsafe) let read = read
    let thread = Thread { [self] in
      do throws(DatasetError) {
        try read()
        finish(.success(()))
      } catch {
        finish(.failure(error))
      }
    }
    thread.start()
  }

  /// Adds a batch, waiting while the queue is full; returns false if it was cancelled.
  func push(_ batch: consuming Batch) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while batches.count >= capacity, !isCancelled { condition.wait() }
    guard !isCancelled else { return false }
    batches.append(batch)
    condition.broadcast()
    return true
  }

  /// Ends the queue, normally or with an error.
  private func finish(_ result: Result<Void, any Error>) {
    condition.lock()
    defer { condition.unlock() }
    end = result
    condition.broadcast()
  }

  /// Removes the next batch, waiting while the queue is empty; returns nil at its end.
  ///
  /// - Returns: Nil at the end of the queue.
  /// - Throws: The error that ended the queue.
  func pop() throws -> Batch? {
    condition.lock()
    defer { condition.unlock() }
    while batches.isEmpty, end == nil { condition.wait() }
    guard batches.isEmpty else {
      condition.broadcast()
      return batches.removeFirst()
    }
    try end?.get()
    return nil
  }

  /// Gives a batch back, whose memory the reading thread may use again.
  func recycle(_ batch: consuming Batch) {
    condition.lock()
    defer { condition.unlock() }
    used.append(batch)
  }

  /// Removes a batch that was given back; nil where there is none.
  func takeUsed() -> Batch? {
    condition.lock()
    defer { condition.unlock() }
    return used.popLast()
  }

  /// Discards all batches and waits until the reading thread has ended the queue.
  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    batches = []
    condition.broadcast()
    while end == nil { condition.wait() }
  }
}
