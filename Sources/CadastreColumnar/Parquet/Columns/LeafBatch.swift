/// Decoded level entries and values of a leaf; the memory is reused.
struct LeafBatch {
  /// The number of entries: of rows, unless the column is repeated.
  var count = 0
  /// The levels of the entries; empty if the maximum is 0.
  var repetition: [UInt8] = []
  var definition: [UInt8] = []
  /// The values of fixed size: integers with their sign, floating-point numbers as bits.
  var words: [Int64] = []
  /// The ranges of the values of other types in `storage`.
  var starts: [Int32] = []
  var lengths: [Int32] = []
  var storage: [UInt8] = []
  /// The indexes in the dictionary; used instead of words and ranges if `isIndexed`.
  var indexes: [UInt32] = []
  var isIndexed = false

  /// Removes the entries and values, and keeps the memory.
  mutating func removeAll() {
    count = 0
    repetition.removeAll(keepingCapacity: true)
    definition.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    indexes.removeAll(keepingCapacity: true)
    isIndexed = false
  }
}
