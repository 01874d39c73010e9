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
    /// Bytes by the name of the class and the name of the column, such as `address.city`.
    ///
    /// The memory for the keys of the rows is not among them.
    public let bytesByColumn: [String: [String: Int]]
  }

  /// The current use of memory by cached columns of the store.
  public var columnMemory: ColumnMemory {
    let report = core.file.columns.report
    let catalogue = core.catalogue
    var bytesByColumn: [String: [String: Int]] = [:]
    for (className, columns) in report.bytesByColumn {
      guard let names = catalogue.layout(className)?.columns.map(\.name) else { continue }
      for (column, bytes) in columns where names.indices.contains(column) {
        bytesByColumn[className, default: [:]][names[column]] = bytes
      }
    }
    return ColumnMemory(
      bytes: report.byteCount, limit: report.budget, mostBytes: report.mostBytes,
      bytesByClass: report.bytesByClass, bytesByColumn: bytesByColumn)
  }
}
