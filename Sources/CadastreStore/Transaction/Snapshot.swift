import CadastreModel
package import CadastreSQLite

/// One version of a store, which does not change while the snapshot exists.
package final class Snapshot: StoreReader {
  package let connection: Connection
  package let catalogue: Catalogue
  let file: StoreFile
  /// The counters of this version.
  package let versions: StoreVersions
  private lazy var collections = CollectionCache()
  package let spatialNodes: SpatialNodePool? = SpatialNodePool()
  /// The numbers of objects that were read so far, by class.
  private var rowCounts: [String: Int] = [:]
  /// The ranges of row keys that were read so far, by class.
  private var keyRanges: [String: ClosedRange<Int64>] = [:]

  init(file: StoreFile, connection: Connection, versions: StoreVersions, catalogue: Catalogue) {
    self.file = file
    self.connection = connection
    self.versions = versions
    self.catalogue = catalogue
  }

  deinit {
    spatialNodes?.close()
    file.release(connection, version)
  }

  package var version: Int64 { versions.commit }

  package func columnSource(_ className: String) -> ColumnSource? {
    ColumnSource(
      cache: file.columns, history: file.history, version: version, uncommitted: nil,
      stored: versions.hasValidSegments ? catalogue.storedColumns[className] : nil)
  }

  package var nodeSource: NodeSource? {
    NodeSource(cache: file.columns, history: file.nodes, version: version, uncommitted: nil)
  }

  package func sibling() -> (any StoreReader)? {
    // After a later commit, the newest version is another one.
    guard let other = try? file.snapshot(), other.version == version else { return nil }
    other.connection.cancellation = connection.cancellation
    return other
  }

  package func rowCount(_ className: String) throws(StoreError) -> Int {
    if let known = rowCounts[className] { return known }
    let count = try connection.storedRowCount(className)
    rowCounts[className] = count
    return count
  }

  package func keyRange(_ layout: TableLayout) throws(StoreError) -> ClosedRange<Int64>? {
    let className = layout.schema.className
    if let known = keyRanges[className] { return known }
    let range = try SegmentReader(layout, connection).keys()
    keyRanges[className] = range
    return range
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

extension Connection {
  private static let rowCountQuery =
    "SELECT \(SQL.counter("row_count")) FROM cadastre_class WHERE name = ?"

  /// Returns the number of objects of a class from the catalogue.
  func storedRowCount(_ className: String) throws(StoreError) -> Int {
    let count = try integer(Self.rowCountQuery, .string(className))
    return try checkedCount(count ?? 0, of: className)
  }
}
