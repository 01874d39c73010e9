import CadastreGeometry
import CadastreModel
import CadastreSQLite

/// The entries of stored rows that a spatial index lacks.
///
/// A flush adds them to the index with `SpatialIndexWriter.insert(_:)`: a few are inserted one by one, those of a bulk load
/// are packed. They take a bounded amount of memory, and continue in an unnamed file.
// A class, so that the thread that stores rows adds entries while the transaction's thread changes the rest of the
// `WriteBuffer`. Only one thread uses it at a time.
final class PendingEntries {
  private let source: TableLayout.SpatialIndex.Source
  private let path: String
  private let capacity = SpatialMemory.capacity
  /// The entries; nil while there are none.
  @exclusivity(unchecked) private var entries: SpatialEntries?

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - source: The columns that determine the entries.
  ///   - path: The file of the index.
  init(of source: TableLayout.SpatialIndex.Source, for path: String) {
    self.source = source
    self.path = path
  }

  /// Adds the entry of a row, if its point or geometry has one.
  ///
  /// - Parameters:
  ///   - row: The row, which is stored.
  ///   - key: The key of the row.
  /// - Throws: ``StoreError`` when a temporary file is needed and cannot be written.
  func add(_ row: [Value], _ key: Int64) throws(StoreError) {
    switch source {
    case .point(let point):
      guard case .double(let longitude) = row[point.longitude],
        case .double(let latitude) = row[point.latitude]
      else { return }
      try add(SpatialEntry(key: key, longitude: longitude, latitude: latitude))
    case .geometry(let column):
      guard case .geometry(let geometry) = row[column], let envelope = geometry.indexEnvelope
      else { return }
      try add(SpatialEntry(key: key, envelope))
    }
  }

  private func add(_ entry: SpatialEntry) throws(StoreError) {
    let entries = entries ?? SpatialEntries(for: path, capacity: capacity)
    self.entries = entries
    try entries.add(entry)
  }

  /// Removes and returns the entries; nil if there are none.
  func take() -> SpatialEntries? {
    defer { entries = nil }
    return entries
  }
}
