import CadastreModel
import CadastreSQLite

/// A reader of the elements of many owners' collections in batches, with columns of linked objects.
package struct ElementReader {
  private let source: RowSource
  private let columns: [ColumnReference]
  private let connection: Connection
  private let sql: String
  private let key: String?
  private let keyCondition: String

  /// Prepares to read elements.
  ///
  /// - Parameters:
  ///   - source: The source of the elements; any case but `objects`.
  ///   - columns: The requested columns.
  ///   - key: The key of the requested entry of each map; nil for all elements.
  ///   - reader: The snapshot or transaction.
  package init(
    _ source: RowSource, _ columns: [ColumnReference], key: String? = nil,
    _ reader: any StoreReader
  ) {
    self.key = key
    keyCondition = key == nil ? "" : " AND t0.key = ?"
    self.source = source
    self.columns = columns
    connection = reader.connection
    sql = source.query(columns, reader.catalogue, withOwners: true)
  }

  /// Passes the elements of some owners to a closure in batches, which may include elements of other
  /// owners.
  ///
  /// Owners with keys close together are read by one range scan.
  ///
  /// - Parameters:
  ///   - owners: The keys of the owners, ascending, without duplicates.
  ///   - body: Receives a batch, whose `owners` are the owners of its rows.
  /// - Throws: ``StoreError``, or the error of the closure.
  /// - Complexity: O(log n + k) for k elements of each owner that is read alone.
  package func forEachBatch(
    of owners: [Int64], _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    guard let first = owners.first, let last = owners.last else { return }
    var batch = ColumnBatch(columns, withOwners: true)
    let (span, overflow) = last.subtractingReportingOverflow(first)
    if !overflow, span / Self.density < owners.count {
      let statement = try connection.statement(
        "\(sql) WHERE \(source.owner) BETWEEN ? AND ?\(keyCondition)")
      defer { statement.reset() }
      try statement.bind(.int(first), at: 1)
      try statement.bind(.int(last), at: 2)
      if let key { try statement.bind(.string(key), at: 3) }
      try read(statement, into: &batch, body)
    } else {
      let statement = try connection.statement("\(sql) WHERE \(source.owner) = ?\(keyCondition)")
      defer { statement.reset() }
      for owner in owners {
        try statement.bind(.int(owner), at: 1)
        if let key { try statement.bind(.string(key), at: 2) }
        try read(statement, into: &batch, body)
      }
    }
    if !batch.isEmpty { try body(batch) }
  }

  /// The number of keys per owner up to which all owners are read by one scan.
  private static let density: Int64 = 4

  private func read(
    _ statement: Statement, into batch: inout ColumnBatch,
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    while try statement.step() {
      batch.append(statement)
      guard batch.isFull else { continue }
      try body(batch)
      batch.removeAll()
    }
  }
}
