import CadastreStore

/// A thread that reads a file and converts its records.
// Safe because all state is accessed only by the thread after it was started.
final class ConversionThread<Source: Dataset>: @unchecked Sendable {
  private let file: InputFile
  private var dataset: Source
  private var converter: Source.Converter
  private let queue: BatchQueue<RecordBatch>
  private let maximumRecords: Int?

  init(
    _ file: InputFile, _ dataset: Source, _ converter: Source.Converter,
    _ queue: BatchQueue<RecordBatch>, atMost maximumRecords: Int? = nil
  ) {
    self.maximumRecords = maximumRecords
    self.file = file
    self.dataset = dataset
    self.converter = converter
    self.queue = queue
  }

  /// Starts the thread, which ends at the end of the file or when the queue is cancelled.
  func start() {
    queue.fill { () throws(DatasetError) in
      do throws(DatasetError) {
        try self.read()
      } catch {
        throw self.file.named(error)
      }
    }
  }

  private func read() throws(DatasetError) {
    let reader = try dataset.open(file.path)
    var record = Source.Reader.Record()
    var batch = RecordBatch()
    var count = 0
    while count < maximumRecords ?? .max, let parsed = try next(reader, &record) {
      batch.records.append(parsed)
      count += 1
      guard batch.records.count == RecordBatch.size else { continue }
      guard push(&batch, reader) else { return }
    }
    _ = push(&batch, reader)
  }

  /// Reads and converts the next record; returns nil at the end of the file.
  private func next(
    _ reader: Source.Reader, _ record: inout Source.Reader.Record
  ) throws(DatasetError) -> ParsedRecord? {
    do throws(DatasetError) {
      guard try reader.next(&record) else { return nil }
    } catch {
      guard error.scope == .row else { throw error }
      return ParsedRecord(
        position: error.line.map { .line($0, column: nil) } ?? error.record.map(
          RecordPosition.record)
          ?? record.position,
        outcome: .failure(Rejection(column: error.column, reason: error.problem.sentence)))
    }
    do throws(Rejection) {
      return ParsedRecord(position: record.position, outcome: .success(try converter.row(record)))
    } catch {
      return ParsedRecord(position: record.position, outcome: .failure(error))
    }
  }

  private func push(_ batch: inout RecordBatch, _ reader: Source.Reader) -> Bool {
    batch.bytes = reader.progressBytes
    batch.totalBytes = reader.totalBytes
    guard queue.push(batch) else { return false }
    // Releasing stored rows here takes work from the storing thread, and memory is allocated on
    // this thread only.
    batch = queue.takeUsed() ?? RecordBatch()
    batch.records.removeAll(keepingCapacity: true)
    return true
  }
}

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
