import Foundation

/// What becomes of a record: a row, or the reason why not.
struct ParsedRecord: Sendable {
  let place: RecordPlace
  let outcome: Result<ImportRow, Refusal>
}

/// Some records in order, and how far into the file they lead.
struct RecordBatch: Sendable {
  static let size = 512

  var records: [ParsedRecord] = []
  var bytes = 0
  var totalBytes: Int?
}

/// Hands batches from the thread that reads files to the one that stores rows.
///
/// It holds a few batches only, so that reading waits for storing.
// Safe because: every member is used under the condition's lock.
final class RowQueue: @unchecked Sendable {
  private static let capacity = 8

  private let condition = NSCondition()
  private var batches: [RecordBatch] = []
  private var end: Result<Void, any Error>?
  private var isCancelled = false

  /// Adds a batch; false when nobody wants more.
  func push(_ batch: RecordBatch) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while batches.count >= Self.capacity, !isCancelled { condition.wait() }
    guard !isCancelled else { return false }
    batches.append(batch)
    condition.broadcast()
    return true
  }

  /// Says that there are no more batches, or why not.
  func finish(_ result: Result<Void, any Error>) {
    condition.lock()
    defer { condition.unlock() }
    end = result
    condition.broadcast()
  }

  /// The next batch; nil at the end.
  ///
  /// - Throws: What ended the reading.
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

  /// Wants no more batches, and waits until reading has ended.
  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    batches = []
    condition.broadcast()
    while end == nil { condition.wait() }
  }
}
