import CadastreStore

extension Realm {
  /// The use of memory by cached columns, which queries read instead of the file.
  ///
  /// All Realms of a process that have the store open share the cache.
  public struct ColumnMemory: Hashable, Sendable {
    /// The size of the cached columns in bytes, about.
    public let bytes: Int
    /// The limit in bytes, see ``Realm/Configuration/columnMemoryLimit``.
    public let limit: Int
    /// The largest size so far in bytes.
    public let mostBytes: Int
    /// Bytes by the name of the class.
    public let bytesByClass: [String: Int]
  }

  /// The current use of memory by cached columns of the store.
  public var columnMemory: ColumnMemory {
    let report = core.file.columns.report
    return ColumnMemory(
      bytes: report.byteCount, limit: report.budget, mostBytes: report.mostBytes,
      bytesByClass: report.bytesByClass)
  }
}
