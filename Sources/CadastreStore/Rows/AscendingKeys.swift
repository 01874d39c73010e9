import CadastreSQLite

/// A check that row keys from a file ascend within a range, before they are used as indexes.
struct AscendingKeys {
  private var lowest: Int64
  private var highest: Int64
  private let table: String
  private let connection: Connection

  /// Expects keys of a table within a range.
  init(
    of table: String, in range: ClosedRange<Int64> = .min ... .max, _ connection: Connection
  ) {
    lowest = range.lowerBound
    highest = range.upperBound
    self.table = table
    self.connection = connection
  }

  /// Accepts the next key.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the key is outside of the range, or not above the previous key.
  @inline(__always)
  mutating func accept(_ key: Int64) throws(StoreError) {
    guard key >= lowest, key <= highest else {
      throw Self.error(key, of: table, connection)
    }
    if key < .max { lowest = key + 1 } else { highest = .min }
  }

  /// The error of a key that is out of order.
  static func error(_ key: Int64, of table: String, _ connection: Connection) -> StoreError {
    StoreError(.corrupt("row \(key) of table '\(table)' is out of order"), path: connection.path)
  }
}

extension [Int64] {
  /// Returns the index of a key in an ascending array; nil where the array lacks it.
  ///
  /// - Complexity: O(1) for the last key and greater ones, O(log n) for others.
  func ascendingIndex(of key: Int64) -> Int? {
    guard let last, key <= last else { return nil }
    if key == last { return count - 1 }
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < key { low = middle + 1 } else { high = middle }
    }
    return self[low] == key ? low : nil
  }
}
