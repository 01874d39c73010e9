/// The values of a row in SQLite's storage classes; columns are counted from 0.
package protocol StoredRow {
  /// Returns how a column is stored.
  func storage(_ column: Int) -> Statement.Storage
  /// Returns a column as an integer.
  func integer(_ column: Int) -> Int64
  /// Returns a column as a floating-point number.
  func real(_ column: Int) -> Double
  /// Calls a closure with the bytes of a text column, which are valid during the call.
  func withTextBytes<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result)
    -> Result
  /// Calls a closure with the bytes of a blob column, which are valid during the call.
  func withBlobBytes<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result)
    -> Result
}

extension StoredRow {
  /// Returns a column as text.
  package func text(_ column: Int) -> String {
    withTextBytes(column) { String(decoding: $0, as: UTF8.self) }
  }
}

extension Statement: StoredRow {}
