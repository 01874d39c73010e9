import CadastreStore

extension Realm {
  /// What is kept in memory of a store's properties, so that questions need not read the file.
  ///
  /// All Realms of a process that have the store open share it.
  public struct ColumnMemory: Hashable, Sendable {
    /// Bytes that are kept, about.
    public let bytes: Int
    /// Bytes that may be kept, see ``Realm/Configuration/columnMemoryLimit``.
    public let limit: Int
    /// The most bytes that have been kept at one time.
    public let mostBytes: Int
    /// Bytes by the name of the class.
    public let bytesByClass: [String: Int]
  }

  /// What is kept in memory of the store's properties at this moment.
  public var columnMemory: ColumnMemory {
    let report = core.file.columns.report
    return ColumnMemory(
      bytes: report.byteCount, limit: report.budget, mostBytes: report.mostBytes,
      bytesByClass: report.bytesByClass)
  }
}
