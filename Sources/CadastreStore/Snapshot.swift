import CadastreModel

/// What rows are read from: a snapshot, or a write transaction that sees its own changes.
package protocol StoreReader: AnyObject {
  /// The connection that sees the rows.
  var connection: Connection { get }
  /// The classes.
  var catalogue: Catalogue { get }
  /// The number of the commit that is seen.
  var version: Int64 { get }
  /// Makes sure that the spatial indexes hold what the tables hold.
  func settleIndexes() throws(StoreError)
  /// The number of objects of a class.
  func rowCount(_ className: String) throws(StoreError) -> Int
}

/// One version of a store, unchanging for as long as the snapshot is held.
package final class Snapshot: StoreReader {
  package let connection: Connection
  package let catalogue: Catalogue
  private let file: StoreFile
  private let versions: StoreVersions

  init(file: StoreFile, connection: Connection, versions: StoreVersions, catalogue: Catalogue) {
    self.file = file
    self.connection = connection
    self.versions = versions
    self.catalogue = catalogue
  }

  deinit { file.recycle(connection) }

  package var version: Int64 { versions.commit }

  package func settleIndexes() {}

  package func rowCount(_ className: String) throws(StoreError) -> Int {
    try connection.storedRowCount(className)
  }
}

extension Connection {
  /// The number of objects of a class, as the catalogue keeps it.
  func storedRowCount(_ className: String) throws(StoreError) -> Int {
    let count = try integer(
      "SELECT row_count FROM cadastre_class WHERE name = ?", .string(className))
    return max(0, Int(count ?? 0))
  }
}
