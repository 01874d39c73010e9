import CadastreDatasets

/// The result of an import of files.
public struct FileImportReport: Hashable, Sendable {
  /// A record that was not stored.
  public struct Rejection: Hashable, Sendable {
    /// The path of the file.
    public let file: String
    /// The first line of the record, from 1; nil in formats without lines.
    public let line: Int?
    /// The number of the record, from 1, in formats without lines.
    public let record: Int?
    /// What was found and what was expected.
    public let reason: String
  }

  /// The number of records that were read.
  public let read: Int
  /// The number of new objects.
  public let inserted: Int
  /// The number of objects with changed values.
  public let updated: Int
  /// The number of objects that had the values of their records already.
  public let unchanged: Int
  /// The number of records that the options excluded.
  public let skipped: Int
  /// The rejected records.
  public let rejections: [Rejection]
  /// What was changed or left out, one clause each.
  public let notices: [String]

  init(_ report: ImportReport) {
    (read, inserted, updated) = (report.read, report.inserted, report.updated)
    (unchanged, skipped, notices) = (report.unchanged, report.skipped, report.notices)
    rejections = report.rejects.map {
      Rejection(file: $0.file, line: $0.line, record: $0.record, reason: $0.reason)
    }
  }
}
