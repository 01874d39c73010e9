import CadastreStore

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
