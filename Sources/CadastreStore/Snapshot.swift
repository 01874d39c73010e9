import CadastreModel
package import CadastreSQLite

/// What rows are read from: a snapshot, or a write transaction that sees its own changes.
package protocol StoreReader: AnyObject {
  /// The connection that sees the rows.
  var connection: Connection { get }
  /// The classes.
  var catalogue: Catalogue { get }
  /// The number of the commit that is seen.
  var version: Int64 { get }
  /// Where columns of a class that are kept in memory come from; nil where none may be used.
  func columnSource(_ className: String) -> ColumnSource?
  /// Makes sure that the spatial indexes hold what the tables hold.
  func settleIndexes() throws(StoreError)
  /// Makes sure that the file holds all that is seen.
  func settleAll() throws(StoreError)
  /// The number of objects of a class.
  func rowCount(_ className: String) throws(StoreError) -> Int
  /// The number of elements of an owner's collection.
  func elementCount(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> Int
  /// The places of the elements of an owner's list.
  func positions(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> ListPositions
  /// The elements of an owner's set, ascending.
  func setElements(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [SetElement]
}

/// One version of a store, unchanging for as long as the snapshot is held.
package final class Snapshot: StoreReader {
  package let connection: Connection
  package let catalogue: Catalogue
  private let file: StoreFile
  /// The counters.
  package let versions: StoreVersions
  private let collections = CollectionCache()

  init(file: StoreFile, connection: Connection, versions: StoreVersions, catalogue: Catalogue) {
    self.file = file
    self.connection = connection
    self.versions = versions
    self.catalogue = catalogue
  }

  deinit { file.release(connection, version) }

  package var version: Int64 { versions.commit }

  package func columnSource(_ className: String) -> ColumnSource? {
    ColumnSource(cache: file.columns, history: file.history, version: version, own: nil)
  }

  package func settleIndexes() {}

  package func settleAll() {}

  package func rowCount(_ className: String) throws(StoreError) -> Int {
    try connection.storedRowCount(className)
  }

  package func elementCount(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> Int {
    try connection.storedCount(layout, catalogue, owner)
  }

  package func positions(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> ListPositions {
    try collections.positions(layout, owner) { () throws(StoreError) in
      try connection.storedPositions(layout, owner)
    }
  }

  package func setElements(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [SetElement] {
    try collections.set(layout, owner) { () throws(StoreError) in
      try connection.storedSet(layout, owner)
    }
  }
}

extension StoreReader {
  /// The store's file.
  package var path: String { connection.path }
}

extension Connection {
  /// The number of objects of a class, as the catalogue keeps it.
  func storedRowCount(_ className: String) throws(StoreError) -> Int {
    let count = try integer(
      "SELECT row_count FROM cadastre_class WHERE name = ?", .string(className))
    return max(0, Int(count ?? 0))
  }
}
