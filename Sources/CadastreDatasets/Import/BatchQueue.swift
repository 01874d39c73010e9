import Foundation

/// A bounded queue of batches of records from the thread that reads a file to the thread that uses
/// them.
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

  /// Returns a used batch to the queue, so that the reading thread can reuse its memory.
  func recycle(_ batch: consuming Batch) {
    condition.lock()
    defer { condition.unlock() }
    used.append(batch)
  }

  /// Removes a used batch; nil if there is none.
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

/// A batch of consecutive records as they were read.
///
/// The memory of a batch is reused, because a record keeps the memory of its longest text.
struct ReadBatch<Record: PositionedRecord> {
  /// The maximum number of rows.
  private static var maximumRows: Int { 128 }
  /// The number of bytes of a full batch.
  private static var maximumBytes: Int { 1 << 20 }
  /// The maximum number of bytes of a record whose memory is reused.
  private static var maximumReusedBytes: Int { 4096 }

  /// The records, followed by unused ones.
  private var storage: [Record] = []
  /// The number of valid records.
  private var count = 0
  /// The number of rows, including invalid records.
  private(set) var rows = 0
  /// The error of the first invalid record; nil if all are valid.
  private(set) var firstError: DatasetError?
  /// The number of bytes of the file that have been read.
  private(set) var bytes = 0
  /// The size of the file; nil if it is unknown.
  private(set) var totalBytes: Int?

  /// Calls a closure with each valid record.
  func forEach(_ body: (Record) -> Void) {
    // Iterating the array would copy each record.
    for index in 0..<count { body(storage[index]) }
  }

  /// Reads records.
  ///
  /// - Parameters:
  ///   - reader: The reader.
  ///   - maximum: The maximum number of rows.
  /// - Returns: Whether the file may have more records.
  /// - Throws: ``DatasetError`` of a scope other than `.row`; the batch contains the records before.
  mutating func fill<Reader: RecordReader>(
    from reader: Reader, atMost maximum: Int
  ) throws(DatasetError) -> Bool where Reader.Record == Record {
    (count, rows, firstError) = (0, 0, nil)
    var size = 0
    defer { (bytes, totalBytes) = (reader.progressBytes, reader.totalBytes) }
    while rows < min(maximum, Self.maximumRows), size < Self.maximumBytes {
      if count == storage.count { storage.append(Record()) }
      do throws(DatasetError) {
        guard try reader.next(&storage[count]) else { return false }
        size += storage[count].byteCount
        count += 1
      } catch {
        guard error.scope == .row else { throw error }
        firstError = firstError ?? error
      }
      rows += 1
    }
    return true
  }

  /// Releases the memory of long records.
  mutating func releaseLongRecords() {
    for index in 0..<count where storage[index].byteCount > Self.maximumReusedBytes {
      storage[index] = Record()
    }
  }
}

/// A thread that reads the records of a file, while another thread observes them.
// Safe because all state is accessed only by the thread after it was started.
final class ReadingThread<Reader: RecordReader>: @unchecked Sendable {
  private let reader: Reader
  private let queue: BatchQueue<ReadBatch<Reader.Record>>
  private let maximum: Int

  /// Prepares to read a file.
  ///
  /// - Parameters:
  ///   - reader: The reader, which only the thread uses from now on.
  ///   - maximum: The maximum number of rows.
  ///   - queue: The queue that receives the records.
  init(
    _ reader: Reader, atMost maximum: Int, _ queue: BatchQueue<ReadBatch<Reader.Record>>
  ) {
    self.reader = reader
    self.maximum = maximum
    self.queue = queue
  }

  /// Starts the thread, which ends at the end of the file or when the queue is cancelled.
  func start() { queue.fill { () throws(DatasetError) in try self.read() } }

  private func read() throws(DatasetError) {
    var left = maximum
    var hasMore = true
    while hasMore, left > 0 {
      var batch = queue.takeUsed() ?? ReadBatch()
      do throws(DatasetError) {
        hasMore = try batch.fill(from: reader, atMost: left)
      } catch {
        _ = queue.push(consume batch)
        throw error
      }
      left -= batch.rows
      // A second reference to the records would cause a copy at the next read.
      guard queue.push(consume batch) else { return }
    }
  }
}
