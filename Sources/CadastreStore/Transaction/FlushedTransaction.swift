import CadastreModel
package import CadastreSQLite

/// A write transaction whose changes a connection can see, see ``WriteTransaction/flush(_:)``.
///
/// It is valid until the next write.
package final class FlushedTransaction: StoreReader {
  let tables: TransactionTables

  init(_ tables: TransactionTables) { self.tables = tables }

  package var connection: Connection { tables.connection }
  package var catalogue: Catalogue { tables.catalogue }
  /// The number that the commit will have.
  package var version: Int64 { tables.version }

  package func columnSource(_ className: String) -> ColumnSource? {
    tables.columnSource(className)
  }

  package var nodeSource: NodeSource? { tables.nodeSource }

  package func rowCount(_ className: String) throws(StoreError) -> Int {
    try tables.rowCount(className)
  }

  package func elementCount(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> Int {
    try tables.elementCount(layout, owner)
  }

  package func positions(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> ListPositions {
    try tables.positions(layout, owner)
  }

  package func setElements(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [SetElement] {
    try tables.setElements(layout, owner)
  }
}

/// What a flush makes visible to the connection of a write transaction.
package enum FlushExtent: Int, Comparable, Sendable {
  /// The elements of collections, which are never buffered.
  case elements
  /// All rows, except the entries of new rows in spatial indexes.
  case rows
  /// All rows and the entries of all indexes.
  case indexes
  /// Everything, with the counters of the classes.
  case everything

  /// Returns whether one extent is a part of another.
  package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
