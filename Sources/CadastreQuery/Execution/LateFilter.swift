import CadastreModel
import CadastreStore

/// The filters of a scan whose columns are read only for the rows that pass the other filters.
///
/// Coordinates and geometries take more memory, and more time to read, than what is usually compared beside them.
struct LateFilter {
  /// The filters.
  let filter: AllFilter
  /// The reader of all columns of the scan.
  let batches: BatchReader

  /// Returns whether the columns of a scan take so much memory that some of them should be read late.
  ///
  /// Others are read into memory once, which takes less time than reading rows of each query one by one.
  ///
  /// - Parameters:
  ///   - columns: All columns of the scan.
  ///   - className: The class.
  ///   - reader: The snapshot or transaction.
  /// - Returns: Whether some columns should be read late.
  /// - Throws: `StoreError` when the number of rows cannot be read.
  static func isUseful(
    _ columns: [ColumnReference], of className: String, _ reader: any StoreReader
  ) throws -> Bool {
    guard let memory = reader.columnSource(className)?.cache.budget else { return true }
    let rowSize = columns.reduce(0) { $0 + size(of: $1.type) }
    return try reader.rowCount(className) > memory / 2 / max(1, rowSize)
  }

  /// A rough size of an encoded value in bytes.
  private static func size(of type: PropertyType) -> Int {
    switch type {
    case .geometry: 256
    case .string, .data, .any: 16
    default: 8
    }
  }
}
