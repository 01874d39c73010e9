import CadastreStore

/// The filters of a scan whose columns are read only for the rows that pass the other filters.
///
/// Coordinates and geometries take more memory, and more time to read, than what is usually compared beside them.
struct LateFilter {
  /// The filters.
  let filter: AllFilter
  /// The reader of all columns of the scan.
  let batches: BatchReader
}
