package import CadastreSQLite

/// The entries of a spatial index that is built, in a bounded amount of memory.
package typealias SpatialEntries = ExternalSort<SpatialEntry>

/// The maximum number of records in memory while a spatial index is built.
enum SpatialMemory {
  /// The default is about 32 MB of entries; tests set fewer.
  @TaskLocal static var capacity = 1_000_000
}

extension ExternalSort<SpatialEntry> {
  /// Creates a list without entries.
  ///
  /// - Parameter path: The file of the index.
  package convenience init(for path: String) {
    self.init(for: path, capacity: SpatialMemory.capacity)
  }

  /// Adds an entry.
  ///
  /// - Parameter entry: The entry.
  /// - Throws: ``StoreError`` when a temporary file is needed and cannot be written.
  package func add(_ entry: SpatialEntry) throws(StoreError) { try append(entry) }
}
