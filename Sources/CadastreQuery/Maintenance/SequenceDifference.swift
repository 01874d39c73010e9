/// The difference between two sequences: elements that were deleted, elements that were inserted,
/// and the rest, which kept their order.
package struct SequenceDifference: Equatable {
  /// The indexes of deleted elements in the old sequence, ascending.
  package var deletions: [Int] = []
  /// The indexes of inserted elements in the new sequence, ascending.
  package var insertions: [Int] = []

  /// Whether the sequences are equal.
  package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty }

  /// A difference of given deletions and insertions.
  package init(deletions: [Int] = [], insertions: [Int] = []) {
    self.deletions = deletions
    self.insertions = insertions
  }

  /// Compares two sequences; of equal elements the first of one is matched with the first of the
  /// other.
  ///
  /// In sequences without repeated elements the number of kept elements is the largest possible.
  /// - Complexity: O(n log n); O(n) for the common prefix and suffix.
  package init<Element: Hashable>(from old: [Element], to new: [Element]) {
    var start = 0
    let shorter = min(old.count, new.count)
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    let (oldRange, newRange) = (start..<old.count - end, start..<new.count - end)
    guard !oldRange.isEmpty, !newRange.isEmpty else {
      self.init(deletions: Array(oldRange), insertions: Array(newRange))
      return
    }
    var positions: [Element: [Int]] = [:]
    for index in oldRange.reversed() { positions[old[index], default: []].append(index) }
    let origins = newRange.map { positions[new[$0]]?.popLast() }
    self.init(origins: origins, old: oldRange, new: newRange)
  }

  /// The difference that keeps a longest ascending subsequence of the elements that both sequences
  /// have.
  ///
  /// - Parameters:
  ///   - origins: For each element in `new` its index in the old sequence; nil for an inserted one.
  ///   - old: The indexes in the old sequence that are compared, ascending.
  ///   - new: The indexes in the new sequence that are compared, ascending.
  init(origins: [Int?], old: some Sequence<Int>, new: some Sequence<Int>) {
    guard origins.contains(where: { $0 != nil }) else {
      (deletions, insertions) = (Array(old), Array(new))
      return
    }
    let kept = Self.longestAscending(origins)
    let keptOld = Set(kept.compactMap { origins[$0] })
    let keptNew = Set(kept)
    deletions = old.filter { !keptOld.contains($0) }
    insertions = new.enumerated().filter { !keptNew.contains($0.offset) }.map(\.element)
  }

  /// Whether sequences with these numbers of elements may have the difference.
  package func leads(from oldCount: Int, to newCount: Int) -> Bool {
    oldCount - deletions.count + insertions.count == newCount
      && deletions.last ?? -1 < oldCount && insertions.last ?? -1 < newCount
  }

  /// Calls a closure with the old and the new index of each kept element, ascending.
  package func forEachKept(_ oldCount: Int, _ body: (_ old: Int, _ new: Int) -> Void) {
    var (deleted, inserted) = (deletions.makeIterator(), insertions.makeIterator())
    var (nextDeletion, nextInsertion) = (deleted.next(), inserted.next())
    var new = 0
    for old in 0..<oldCount {
      if old == nextDeletion {
        nextDeletion = deleted.next()
        continue
      }
      while new == nextInsertion {
        nextInsertion = inserted.next()
        new += 1
      }
      body(old, new)
      new += 1
    }
  }

  /// The indexes of a longest ascending subsequence, by patience sorting.
  private static func longestAscending(_ numbers: [Int?]) -> [Int] {
    var tails: [Int] = []
    var before = Array(repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      guard let number else { continue }
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if (numbers[tails[middle]] ?? .max) < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var chain: [Int] = []
    var next = tails.last ?? -1
    while next >= 0 {
      chain.append(next)
      next = before[next]
    }
    return chain.reversed()
  }
}
