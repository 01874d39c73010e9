/// The statistics of a store's column cache.
package struct ColumnCacheReport: Hashable, Sendable {
  /// The limit in bytes.
  package var budget = 0
  /// The estimated size in bytes.
  package var byteCount = 0
  /// The largest size so far in bytes.
  package var peakByteCount = 0
  /// The number of cached segments, counted per column.
  package var segmentCount = 0
  /// The number of cached nodes of spatial indexes.
  package var nodeCount = 0
  /// The size of these nodes in bytes.
  package var nodeByteCount = 0
  /// The size in bytes by class.
  package var byteCountByClass: [String: Int] = [:]
  /// The size in bytes by class and by the index of the column.
  package var byteCountByColumn: [String: [Int: Int]] = [:]
  /// The number of nodes of spatial indexes that were read from the file and cached.
  package var nodeFills = 0
  /// The number of lookups that found a cached segment.
  package var hits = 0
  /// The number of segments that were read from the file.
  package var fills = 0
  /// The number of patched segments: only their changed rows were read again.
  package var patches = 0
  /// The number of segments that were read from stored ones.
  package var stored = 0
  /// The number of evicted segments and nodes.
  package var evictions = 0
}
