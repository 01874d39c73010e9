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
  public let rows: Int
  /// The part of the phase that is complete, from 0 to 1; nil if it is unknown.
  public let fraction: Double?
}

extension FileProgress {
  /// Creates the progress of an export.
  init(written: Int, of total: Int) {
    phase = .transferring
    rows = written
    fraction = total > 0 ? min(1, Double(written) / Double(total)) : 1
  }
}
