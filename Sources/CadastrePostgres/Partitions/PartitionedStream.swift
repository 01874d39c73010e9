import Foundation

/// The streams of the partitions of a class, from one pass over its rows.
///
/// Each connection takes the bytes of its partition on its own thread. Without bytes, it reads the next rows for all
/// partitions, or waits while another partition has many unsent bytes.
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
  /// The first values of the partition key, by partition.
  private(set) var samples: [[PostgresValue]]

  /// The number of unsent bytes of one partition at which reading stops.
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

  /// Returns the hashes of the sent rows of a partition.
  func sent(_ part: Int) -> RowHashes { streams[part].rows }

  /// Returns the next bytes of a partition; nil after the end of its stream.
  ///
  /// - Throws: `StoreError`, or ``PostgresMappingError`` for a value that PostgreSQL cannot represent, or the
  ///   error that ended another partition.
  func bytes(_ part: Int) throws -> [UInt8]? {
    condition.lock()
    defer { condition.unlock() }
    // A message needs more than the header.
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

  /// Ends all streams with the error of one partition.
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
