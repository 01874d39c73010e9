/// A record of fixed size with the key by which it is sorted.
package protocol SortableRecord: BitwiseCopyable {
  /// The key; records are sorted in ascending order of it.
  var sortKey: UInt64 { get }
}
