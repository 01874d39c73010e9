extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that satisfies a condition, where all elements after it
  /// do, too.
  ///
  /// - Complexity: O(log n).
  package func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension [Int] {
  /// Removes elements equal to the one before.
  mutating func removeRepetitions() {
    var count = 0
    for index in indices where index == 0 || self[index] != self[count - 1] {
      self[count] = self[index]
      count += 1
    }
    removeSubrange(count...)
  }
}
