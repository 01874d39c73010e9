import CSQLite

/// Reads blobs of one column, row after row, without a statement a row.
struct BlobReader: ~Copyable {
  private let connection: Connection
  private let handle: OpaquePointer
  private let table: String

  /// Opens the blob of the row with a given key.
  init(
    _ connection: Connection, table: String, column: String, row: Int64
  ) throws(StoreError) {
    var opened: OpaquePointer?
    let code = sqlite3_blob_open(connection.handle, "main", table, column, row, 0, &opened)
    // SQLite's word for a row that is missing, or that holds something else.
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
  func move(to row: Int64) throws(StoreError) {
    let code = sqlite3_blob_reopen(handle, row)
    guard code == SQLITE_OK else {
      throw StoreError(.corrupt("node \(row) of \(table) is missing"), path: connection.path)
    }
  }

  /// Bytes in the blob.
  var count: Int { Int(sqlite3_blob_bytes(handle)) }

  /// Reads the first bytes into a buffer, which must not be longer than the blob.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) {
    let code = sqlite3_blob_read(handle, buffer.baseAddress, Int32(buffer.count), 0)
    try connection.check(code, statement: "blob of \(table)")
  }
}
