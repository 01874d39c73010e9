import CadastreSQLite

/// Checks that row keys read from a file ascend within a range, before they index anything.
struct AscendingKeys {
  private var lowest: Int64
  private var highest: Int64
  private let table: String
  private let path: String

  /// Expects keys of a table within a range.
  init(
    of table: String, in range: ClosedRange<Int64> = .min ... .max, _ connection: Connection
  ) {
    lowest = range.lowerBound
    highest = range.upperBound
    self.table = table
    path = connection.path
  }

  /// Accepts the next key.
  ///
  /// - Throws: ``StoreError`` `corrupt` where it is outside of the range, or not above the one before.
  @inline(__always)
  mutating func accept(_ key: Int64) throws(StoreError) {
    guard key >= lowest, key <= highest else { throw error(key) }
    if key < .max { lowest = key + 1 } else { highest = .min }
  }

  private func error(_ key: Int64) -> StoreError {
    StoreError(.corrupt("row \(key) of table '\(table)' is out of order"), path: path)
  }
}
