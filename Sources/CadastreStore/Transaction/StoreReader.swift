package import CadastreModel
package import CadastreSQLite

/// A source of rows: a snapshot, or a write transaction that sees its own changes.
package protocol StoreReader: AnyObject {
  /// The connection that sees the rows.
  var connection: Connection { get }
  /// The connection that sees the same rows and primary keys, but not the updates that wait, see
  /// `awaitsUpdate(_:of:)`.
  var connectionBeforeUpdates: Connection { get }
  /// Whether an update of a row waits, so that other columns than the primary key may differ in the file.
  func awaitsUpdate(_ key: ObjectKey, of className: String) -> Bool
  /// The classes.
  var catalogue: Catalogue { get }
  /// The number of the commit that is seen.
  var version: Int64 { get }
  /// The source of a class's cached columns; nil where none may be used.
  func columnSource(_ className: String) -> ColumnSource?
  /// The open readers of spatial indexes; nil where the indexes may change.
  var spatialNodes: SpatialNodePool? { get }
  /// Opens another reader of the same version, which another thread may use; nil where there is none.
  func sibling() -> (any StoreReader)?
  /// Writes pending index entries, so that the indexes agree with the tables.
  ///
  /// - Throws: ``StoreError`` when writing fails.
  /// - Complexity: O(1) when nothing is pending.
  func flushPendingIndexEntries() throws(StoreError)
  /// Writes everything that is pending, so that the file holds all that is seen.
  ///
  /// - Throws: ``StoreError`` when writing fails.
  func flushPendingChanges() throws(StoreError)
  /// The number of objects of a class.
  func rowCount(_ className: String) throws(StoreError) -> Int
  /// The smallest and the largest row key of a class; nil where it has no objects.
  func keyRange(_ layout: TableLayout) throws(StoreError) -> ClosedRange<Int64>?
  /// The number of elements of an owner's collection.
  func elementCount(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> Int
  /// The positions of the elements of an owner's list.
  func positions(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> ListPositions
  /// The elements of an owner's set in ascending order.
  func setElements(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [SetElement]
}

extension StoreReader {
  package var connectionBeforeUpdates: Connection { connection }

  package func awaitsUpdate(_ key: ObjectKey, of className: String) -> Bool { false }

  package var spatialNodes: SpatialNodePool? { nil }

  package func sibling() -> (any StoreReader)? { nil }

  /// The store's file.
  package var path: String { connection.path }

  package func keyRange(_ layout: TableLayout) throws(StoreError) -> ClosedRange<Int64>? {
    try SegmentReader(layout, connection).keys()
  }
}
