import CadastreStore
import Foundation

/// A record converted to a row, or the reason for its rejection.
struct ParsedRecord: Sendable {
  let position: RecordPosition
  let outcome: Result<ImportRow, Rejection>
}

/// A batch of consecutive records, with the progress of the reader.
struct RecordBatch: Sendable {
  /// The number of records in a full batch.
  static let size = 512

  var records: [ParsedRecord] = []
  /// The number of bytes read from the file.
  var bytes = 0
  /// The size of the file; nil if it is unknown.
  var totalBytes: Int?
}

/// A bounded queue of batches from the reading thread to the storing thread.
// Safe because all state is accessed only while the lock of `condition` is held.
final class RowQueue: @unchecked Sendable {
  private static let capacity = 8

  private let condition = NSCondition()
  private var batches: [RecordBatch] = []
  private var end: Result<Void, any Error>?
  private var isCancelled = false

  /// Adds a batch, waiting while the queue is full; returns false if it was cancelled.
  func push(_ batch: RecordBatch) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while batches.count >= Self.capacity, !isCancelled { condition.wait() }
    guard !isCancelled else { return false }
    batches.append(batch)
    condition.broadcast()
    return true
  }

  /// Ends the queue, normally or with an error.
  func finish(_ result: Result<Void, any Error>) {
    condition.lock()
    defer { condition.unlock() }
    end = result
    condition.broadcast()
  }

  /// Removes the next batch, waiting while the queue is empty; returns nil at its end.
  ///
  /// - Returns: Nil at the end of the queue.
  /// - Throws: The error that ended the queue.
  func pop() throws -> RecordBatch? {
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
