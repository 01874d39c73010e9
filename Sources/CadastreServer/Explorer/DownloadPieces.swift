import CadastreDatasets
import CadastreModel
import CadastreSQLite
import CadastreStore

/// The objects of a query as text, some at a time.
final class DownloadPieces: BodyPieces {
  private struct State {
    var query: StoreQuery
    var keys: [Int64]
    var writer: RecordWriter
    var position = 0
    var isFinished = false

    mutating func next() throws -> [UInt8]? {
      if isFinished { return nil }
      let end = min(keys.count, position + DownloadPieces.objects)
      try query.forEachRecord(Array(keys[position..<end])) { writer.append($0) }
      position = end
      if position == keys.count {
        writer.finish()
        isFinished = true
      }
      return writer.take()
    }
  }

  /// The number of objects of a piece.
  private static let objects = 1024

  private let state: Guarded<State>
  private let work: WorkQueue
  private let cancellation: QueryCancellation

  /// Prepares the pieces.
  ///
  /// - Parameters:
  ///   - query: The query that reads the objects.
  ///   - keys: The keys of the objects, in the order of the output.
  ///   - writer: The writer of the format.
  ///   - work: The threads that read the store.
  ///   - cancellation: What ends the reads.
  init(
    _ query: sending StoreQuery, _ keys: [Int64], _ writer: sending RecordWriter,
    _ work: WorkQueue, _ cancellation: QueryCancellation
  ) {
    state = Guarded(State(query: query, keys: keys, writer: writer))
    (self.work, self.cancellation) = (work, cancellation)
  }

  func next() async throws -> [UInt8]? {
    try await work.run(cancellation) { [state] in try state.withLock { try $0.next() } }
  }
}
