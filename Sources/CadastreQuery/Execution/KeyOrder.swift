import CadastreStore

/// Keys in ascending order, and the position of each before sorting.
struct KeyOrder {
  /// The keys in ascending order.
  let keys: [Int64]
  /// The position that each of ``keys`` had before.
  let positions: [UInt32]

  /// Puts keys in order; nil where each is above the one before it, or they are too many.
  ///
  /// - Complexity: O(n)
  init?(of keys: [Int64], _ threads: QueryThreads = QueryThreads(maximum: 1)) {
    guard keys.count <= UInt32.max, !KeySort.isAscending(keys) else { return nil }
    var rows = PositionSort(keys.count, threads)
    rows.sort(by: SortKeys(keys))
    positions = rows.positions
    self.keys = keys.gathered(positions[...], threads)
  }

  /// The index in ``keys`` of the key that was at each position.
  ///
  /// - Complexity: O(n)
  var ranks: [UInt32] {
    var ranks = [UInt32](repeating: 0, count: positions.count)
    for (rank, position) in positions.enumerated() { ranks[Int(position)] = UInt32(rank) }
    return ranks
  }
}
