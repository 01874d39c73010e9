extension [Int64] {
  /// The index of a key in an ascending array; nil where it is not in it.
  ///
  /// - Complexity: O(1) for the last key and those after it, O(log n) for others.
  func ascendingIndex(of key: Int64) -> Int? {
    guard let last, key <= last else { return nil }
    if key == last { return count - 1 }
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < key { low = middle + 1 } else { high = middle }
    }
    return self[low] == key ? low : nil
  }
}
