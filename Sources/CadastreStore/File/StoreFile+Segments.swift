import CadastreModel
package import CadastreSQLite
import Foundation

extension StoreFile {
  /// Stores the columns of classes as segments, which later processes read instead of the rows.
  ///
  /// A first transaction adds the classes whose columns are not stored yet. Others, which do not change the store's
  /// version, store some megabytes each; writers get the lock in between. With `never`, all segments are removed.
  ///
  /// - Parameters:
  ///   - storage: The classes.
  ///   - className: The only class whose columns are stored; nil for all.
  ///   - threads: The number of threads that encode columns.
  ///   - timeout: How long to wait for the write lock.
  /// - Throws: ``StoreError`` when reading or writing fails; what was stored before is valid.
  /// - Complexity: O(n) in the number of rows.
  package func storeColumns(
    _ storage: ColumnStorage, of className: String? = nil,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount,
    timeout: Duration = writeTimeout
  ) throws(StoreError) {
    try changeStoredClasses(storage, className, timeout)
    guard storage != .never, try snapshot().catalogue.segments != nil else { return }
    var position: SegmentPosition? = SegmentPosition(className: "", segment: 0)
    while let start = position {
      position = try lockWriter(timeout) { (connection) throws(StoreError) in
        let next = try storeSegments(from: start, of: className, threads, on: connection)
        checkpoints.run(connection) { commits.fire(nil) }
        return next
      }
      releaseWriter()
    }
  }

  /// A segment of a class.
  private struct SegmentPosition {
    let className: String
    let segment: Int64
  }

  /// The number of bytes of the segments that one transaction stores.
  private static let transactionBytes = 8 << 20

  /// Adds the classes whose columns are to be stored, or removes all.
  func changeStoredClasses(
    _ storage: ColumnStorage, _ className: String?, _ timeout: Duration
  ) throws(StoreError) {
    guard try needsChange(storage, className, try snapshot()) else { return }
    let transaction = try beginWrite(timeout: timeout)
    do throws(StoreError) {
      // Another process may have stored or removed them meanwhile.
      let isNeeded = try needsChange(storage, className, try snapshot())
      if isNeeded {
        if storage == .never {
          try transaction.removeStoredColumns()
        } else {
          let missing = try missingClasses(storage, className, try snapshot())
          try transaction.addStoredColumns(of: missing)
        }
        try transaction.extendRecordedChange()
        // No snapshot is open that would keep the format out of the header.
        try transaction.commit()
      }
      transaction.rollback()
    } catch {
      transaction.rollback()
      throw error
    }
  }

  private func needsChange(
    _ storage: ColumnStorage, _ className: String?, _ snapshot: Snapshot
  ) throws(StoreError) -> Bool {
    storage == .never
      ? snapshot.catalogue.segments != nil
      : try !missingClasses(storage, className, snapshot).isEmpty
  }

  /// Returns the classes whose columns are to be stored, and are not or lack the triggers.
  private func missingClasses(
    _ storage: ColumnStorage, _ className: String?, _ snapshot: Snapshot
  ) throws(StoreError) -> [String] {
    var missing: [String] = []
    for layout in snapshot.catalogue.tables {
      let name = layout.schema.className
      guard className ?? name == name, storage.stores(try snapshot.rowCount(name)) else {
        continue
      }
      let hasTriggers = try SegmentTable.hasTriggers(layout.tableName, on: snapshot.connection)
      if !hasTriggers || snapshot.catalogue.storedColumns[name] == nil { missing.append(name) }
    }
    return missing
  }

  /// Stores segments in a transaction of its own; returns the position of the next one.
  private func storeSegments(
    from start: SegmentPosition, of className: String?, _ threads: Int, on connection: Connection
  ) throws(StoreError) -> SegmentPosition? {
    var next: SegmentPosition?
    try connection.inWriteTransaction { () throws(StoreError) in
      guard let catalogue = try beginStorage(on: connection) else { return }
      // The transaction has the write lock and does not change rows, so that they are readers of its version.
      var readers: [any StoreReader] = [try snapshot()]
      while readers.count < threads, let sibling = readers[0].sibling() { readers.append(sibling) }
      var bytes = 0
      for layout in catalogue.tables where layout.schema.className >= start.className {
        let name = layout.schema.className
        guard className ?? name == name, let columns = catalogue.storedColumns[name],
          try SegmentTable.hasTriggers(layout.tableName, on: connection)
        else { continue }
        let storage = try SegmentStorage(layout, columns, readers, connection)
        let first = name == start.className ? start.segment : 0
        if let segment = try storage.store(from: first, limit: Self.transactionBytes, &bytes) {
          next = SegmentPosition(className: name, segment: segment)
          return
        }
      }
    }
    return next
  }

  /// Prepares a transaction that stores segments and changes neither rows nor the version.
  ///
  /// Segments that do not match the rows are removed.
  ///
  /// - Returns: The catalogue; nil where the store has no tables of segments.
  private func beginStorage(on connection: Connection) throws(StoreError) -> Catalogue? {
    let versions = try StoreVersions(reading: connection)
    let catalogue = try catalogue(of: versions, on: connection)
    guard catalogue.segments != nil, versions.segments != nil else { return nil }
    if !versions.hasValidSegments {
      // The next transaction reads the counters again.
      _ = writer.memory?.take(at: connection)
      try SegmentTable.removeSegments(on: connection)
      // Who reads a snapshot in order to store segments finds that rows have changed since.
      try connection.run("UPDATE cadastre_state SET catalogue_version = catalogue_version + 1")
      let update = try connection.statement(TransactionSQL.setCommitVersions)
      try update.bind(integer: versions.commit, at: 1)
      try update.bind(integer: versions.row, at: 2)
      try update.run()
    }
    return catalogue
  }
}
