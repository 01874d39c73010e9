/// What a store keeps of its columns in memory, and what has become of it.
package struct ColumnCacheReport: Hashable, Sendable {
  /// Bytes that may be kept.
  package var budget = 0
  /// Bytes that are kept, about.
  package var byteCount = 0
  /// The most bytes that have been kept at one time.
  package var mostBytes = 0
  /// Segments that are kept, each column's counted.
  package var segmentCount = 0
  /// Bytes by class.
  package var bytesByClass: [String: Int] = [:]
  /// Segments found when they were asked for.
  package var hits = 0
  /// Segments read from the file.
  package var fills = 0
  /// Segments of which only changed rows were read.
  package var patches = 0
  /// Segments dropped for want of room.
  package var evictions = 0
}
