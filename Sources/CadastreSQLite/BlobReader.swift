import CSQLite

/// A reader of the blobs or texts of one column that moves between rows without running a statement.
///
/// It reads only the requested bytes; the size of the value needs none of them.
package struct BlobReader: ~Copyable {
  private let connection: Connection
  private let handle: OpaquePointer
  private let table: String

  /// Opens the blob or text of a row.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - table: The name of the table.
  ///   - column: The name of the column.
  ///   - row: The key of the row.
  /// - Throws: ``StoreError`` `corrupt` when the row or its blob is missing.
  package init(
    _ connection: Connection, table: String, column: String, row: Int64
  ) throws(StoreError) {
    var opened: OpaquePointer?
    let code = sqlite3_blob_open(connection.handle, "main", table, column, row, 0, &opened)
    // SQLite returns the generic error for a missing row and for a value of another type.
    guard code & 0xFF != SQLITE_ERROR else {
      throw StoreError(.corrupt("\(table) has no blob in row \(row)"), path: connection.path)
    }
    try connection.check(code, statement: "blob of \(table).\(column)")
    guard let opened else {
      throw StoreError(.corrupt("no blob in \(table)"), path: connection.path)
    }
    self.connection = connection
    self.table = table
    handle = opened
  }

  deinit { sqlite3_blob_close(handle) }

  /// Moves to the blob of another row.
  ///
  /// - Throws: ``StoreError`` `corrupt` when the row or its blob is missing.
  package func move(to row: Int64) throws(StoreError) {
    let code = sqlite3_blob_reopen(handle, row)
    guard code == SQLITE_OK else {
      throw StoreError(.corrupt("node \(row) of \(table) is missing"), path: connection.path)
    }
  }

  /// The size of the blob in bytes.
  package var count: Int { Int(sqlite3_blob_bytes(handle)) }

  /// Reads bytes into a buffer.
  ///
  /// - Parameters:
  ///   - buffer: The buffer.
  ///   - offset: The offset of the first byte; the blob has as many bytes from there on as the buffer.
  /// - Throws: ``StoreError`` when reading fails.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int = 0
  ) throws(StoreError) {
    let code = sqlite3_blob_read(
      handle, buffer.baseAddress, Int32(buffer.count), Int32(offset))
    try connection.check(code, statement: "blob of \(table)")
  }
}
