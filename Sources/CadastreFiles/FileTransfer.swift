import CadastreDatasets
import CadastreStore
public import Foundation

/// The error of a file that is imported or exported.
///
/// Errors of the store are `Realm.Error`, errors of predicates `QueryPredicateError`.
public struct FileTransferError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError
{
  /// The kinds of errors.
  public enum Kind: Hashable, Sendable {
    /// The file cannot be read, or its content violates its format.
    case invalidFile
    /// The records do not fit the class, too many of them were rejected, or an option does not apply.
    case refused
    /// The file cannot be written.
    case notWritten
  }

  /// The kind of error.
  public let kind: Kind
  /// One sentence with the location, what was found and what was expected.
  public let description: String
  /// The file; nil if the error concerns no single file.
  public let fileURL: URL?
  /// The line of the error, from 1; nil if it is unknown or the format has no lines.
  public let line: Int?
  /// The number of the record with the error, from 1, in formats without lines; nil if it is unknown.
  public let record: Int?

  /// The sentence.
  public var errorDescription: String? { description }

  init(refused description: String, _ fileURL: URL? = nil) {
    (kind, self.description, self.fileURL, line, record) = (
      .refused, description, fileURL, nil, nil
    )
  }

  private init(_ error: DatasetError) {
    (kind, description) = (.invalidFile, error.description)
    fileURL = URL(fileURLWithPath: error.path)
    (line, record) = (error.line, error.record)
  }

  private init(_ error: OutputError) {
    (kind, description) = (.notWritten, error.description)
    fileURL = URL(fileURLWithPath: error.path)
    (line, record) = (nil, nil)
  }

  /// Runs an operation on files, whose errors become errors of this type.
  static func translating<Result>(_ operation: () throws -> Result) throws -> Result {
    do {
      return try operation()
    } catch let error as DatasetError {
      throw FileTransferError(error)
    } catch let error as OutputError {
      throw FileTransferError(error)
    } catch let error as ImportError {
      throw FileTransferError(refused: error.description)
    }
  }
}

/// The progress of an import or export.
public struct FileProgress: Hashable, Sendable {
  /// The phases of an import or export.
  public enum Phase: Hashable, Sendable {
    /// The types of the records are read.
    case checking
    /// Records are stored, or objects are written.
    case transferring
    /// Indexes are written and the transaction is committed.
    case finishing
  }

  /// The current phase.
  public let phase: Phase
  /// The number of records or objects in this phase so far.
  public let rowCount: Int
  /// The part of the phase that is complete, from 0 to 1; nil if it is unknown.
  public let fraction: Double?
}

extension FileProgress {
  /// Creates the progress of an export.
  init(written: Int, of total: Int) {
    phase = .transferring
    rowCount = written
    fraction = total > 0 ? min(1, Double(written) / Double(total)) : 1
  }
}
