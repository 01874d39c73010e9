import CadastreModel
import CadastreSQLite

/// Reads the elements of the collections of many owners in batches, with columns of the objects that
/// they lead to.
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
  ///   - source: What the elements are; not the objects of a class themselves.
  ///   - columns: The columns that are wanted of each.
  ///   - key: The key of the only entry that is wanted of each map; nil for all elements.
  ///   - reader: What they are read from.
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

  /// Gives the elements of some owners to a closure, batch by batch; among them may be elements of
  /// other owners.
  ///
  /// Owners that lie close together are read in one go.
  ///
  /// - Parameters:
  ///   - owners: The keys of the owners, ascending, each once.
  ///   - body: Takes a batch in, of which `owners` says what belongs to whom.
  /// - Throws: ``StoreError``, or what the closure throws.
  /// - Complexity: O(log n + k) for k elements, for each owner that lies apart.
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
      try take(statement, into: &batch, body)
    } else {
      let statement = try connection.statement("\(sql) WHERE \(source.owner) = ?\(keyCondition)")
      defer { statement.reset() }
      for owner in owners {
        try statement.bind(.int(owner), at: 1)
        if let key { try statement.bind(.string(key), at: 2) }
        try take(statement, into: &batch, body)
      }
    }
    if !batch.isEmpty { try body(batch) }
  }

  /// Keys to an owner, up to which the rows between owners are read too.
  private static let density: Int64 = 4

  private func take(
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
