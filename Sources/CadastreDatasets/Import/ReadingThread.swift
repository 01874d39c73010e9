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
  ///   - queue: The queue to which it adds the records.
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
      // Two owners of the records would copy them when the next ones are read.
      guard queue.push(consume batch) else { return }
    }
  }
}
