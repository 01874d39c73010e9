/// The statistics of a store's column cache.
package struct ColumnCacheReport: Hashable, Sendable {
  /// The limit in bytes.
  package var budget = 0
  /// The estimated size in bytes.
  package var byteCount = 0
  /// The largest size so far in bytes.
  package var mostBytes = 0
  /// The number of cached segments, counted per column.
  package var segmentCount = 0
  /// The size in bytes by class.
  package var bytesByClass: [String: Int] = [:]
  /// The size in bytes by class and by the index of the column.
  package var bytesByColumn: [String: [Int: Int]] = [:]
  /// Lookups that found a segment.
  package var hits = 0
  /// Segments that were read from the file.
  package var fills = 0
  /// Segments of which only changed rows were read again.
  package var patches = 0
  /// Segments that were evicted.
  package var evictions = 0
}
