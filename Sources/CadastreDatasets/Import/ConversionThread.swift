import Foundation

/// Reads a file and converts its records, on a thread of its own.
// Safe because: it is handed to its thread whole, and nobody else touches it afterwards.
final class RecordReading<Format: DatasetFormat>: @unchecked Sendable {
  private let file: InputFile
  private var format: Format
  private var converter: Format.Converter
  private let queue: RowQueue

  init(
    _ file: InputFile, _ format: Format, _ converter: Format.Converter, _ queue: RowQueue
  ) {
    self.file = file
    self.format = format
    self.converter = converter
    self.queue = queue
  }

  /// Starts the thread; it ends at the end of the file, or when the queue is cancelled.
  func start() {
    let thread = Thread(block: run)
    thread.start()
  }

  private func run() {
    do throws(DatasetError) {
      try read()
      queue.finish(.success(()))
    } catch {
      queue.finish(.failure(file.named(error)))
    }
  }

  private func read() throws(DatasetError) {
    let reader = try format.open(file.path)
    var record = Format.Reader.Record()
    var batch = RecordBatch()
    while let parsed = try next(reader, &record) {
      batch.records.append(parsed)
      guard batch.records.count == RecordBatch.size else { continue }
      guard push(&batch, reader) else { return }
    }
    _ = push(&batch, reader)
  }

  /// The next record, converted or refused; nil at the end.
  private func next(
    _ reader: Format.Reader, _ record: inout Format.Reader.Record
  ) throws(DatasetError) -> ParsedRecord? {
    do throws(DatasetError) {
      guard try reader.next(&record) else { return nil }
    } catch {
      guard error.scope == .row else { throw error }
      return ParsedRecord(
        place: error.line.map(RecordPlace.line) ?? error.record.map(RecordPlace.record)
          ?? record.recordPlace,
        outcome: .failure(Refusal(column: error.column, reason: error.problem.sentence)))
    }
    do throws(Refusal) {
      return ParsedRecord(place: record.recordPlace, outcome: .success(try converter.row(record)))
    } catch {
      return ParsedRecord(place: record.recordPlace, outcome: .failure(error))
    }
  }

  private func push(_ batch: inout RecordBatch, _ reader: Format.Reader) -> Bool {
    batch.bytes = reader.progressBytes
    batch.totalBytes = reader.totalBytes
    defer {
      batch = RecordBatch()
      batch.records.reserveCapacity(RecordBatch.size)
    }
    return queue.push(batch)
  }
}
