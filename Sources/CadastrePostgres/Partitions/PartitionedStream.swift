import Foundation

/// The rows of a class as a stream for each partition, read once.
///
/// The connections of the partitions take their bytes on threads of their own. A connection that finds
/// none reads the next rows for all; it waits while another partition has many bytes to send.
// Safe because the condition guards all state.
final class PartitionedStream: @unchecked Sendable {
  private let rows: StoreRows
  private let partitions: TablePartitions
  private let column: Int
  private let progress: (Int) -> Void
  private let condition = NSCondition()
  private var streams: [CountedStream]
  private var ended: Set<Int> = []
  private var isAtEnd = false
  private var failure: (any Error)?
  /// The first values of the partitions' column, by partition.
  private(set) var samples: [[PostgresValue]]

  /// The number of bytes that wait for one partition before reading stops.
  private static let mostPendingBytes = 1 << 22
  private static let sampleCount = 8

  init(
    _ rows: StoreRows, _ partitions: TablePartitions, column: Int,
    progress: @escaping (Int) -> Void
  ) {
    self.rows = rows
    self.partitions = partitions
    self.column = column
    self.progress = progress
    streams = partitions.parts.map { _ in CountedStream() }
    samples = partitions.parts.map { _ in [] }
  }

  /// The hashes of the rows of a partition that were sent.
  func sent(_ part: Int) -> RowHashes { streams[part].rows }

  /// Returns the next bytes of a partition; nil after the end of its stream.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot hold, or
  ///   the error that ended another partition.
  func bytes(_ part: Int) throws -> [UInt8]? {
    condition.lock()
    defer { condition.unlock() }
    // The header alone is not worth a message.
    while failure == nil, !isAtEnd, streams[part].pendingBytes <= CopyStream.headerLength {
      if streams.contains(where: { $0.pendingBytes > Self.mostPendingBytes }) {
        condition.wait()
      } else {
        do { try read() } catch { failure = error }
      }
    }
    if let failure { throw failure }
    defer { condition.broadcast() }
    guard isAtEnd else { return streams[part].take() }
    return ended.insert(part).inserted ? streams[part].finish() : nil
  }

  /// Ends all streams after the copy of a partition failed.
  func fail(_ error: any Error) {
    condition.lock()
    defer { condition.unlock() }
    failure = failure ?? error
    condition.broadcast()
  }

  private func read() throws {
    let batch = try rows.batch()
    for row in batch {
      let part = partitions.part(of: row[column])
      streams[part].append(row)
      if samples[part].count < Self.sampleCount { samples[part].append(row[column]) }
    }
    isAtEnd = batch.isEmpty
    progress(streams.reduce(0) { $0 + $1.count })
  }
}
