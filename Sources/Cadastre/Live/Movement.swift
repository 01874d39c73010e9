/// How the elements of a sequence came from those of another: some have gone, some have come, and the
/// rest stayed in their order.
struct Movement: Equatable {
  /// The indexes in the old sequence of what has gone, ascending.
  var deletions: [Int] = []
  /// The indexes in the new sequence of what has come, ascending.
  var insertions: [Int] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty }

  init(deletions: [Int] = [], insertions: [Int] = []) {
    self.deletions = deletions
    self.insertions = insertions
  }

  /// Compares two sequences; of equal elements the first of one stands for the first of the other.
  ///
  /// Without repeats as many elements stay as can stay.
  /// - Complexity: O(n log n), of which O(n) comparisons for what is the same at both ends.
  init<Element: Hashable>(from old: [Element], to new: [Element]) {
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
    var places: [Element: [Int]] = [:]
    for index in oldRange.reversed() { places[old[index], default: []].append(index) }
    let origins = newRange.map { places[new[$0]]?.popLast() }
    self.init(origins: origins, oldRange, newRange)
  }

  /// From where in the old sequence each element of the new one came; nil for one that is new.
  init(origins: [Int?], _ oldRange: Range<Int>, _ newRange: Range<Int>) {
    let stayed = Self.longestAscending(origins)
    let keptOld = Set(stayed.compactMap { origins[$0] })
    let keptNew = Set(stayed)
    deletions = oldRange.filter { !keptOld.contains($0) }
    insertions = newRange.filter { !keptNew.contains($0 - newRange.lowerBound) }
  }

  /// Gives the old and the new index of each element that stayed to a closure, ascending.
  func forEachStayed(_ oldCount: Int, _ body: (_ old: Int, _ new: Int) -> Void) {
    var (gone, come) = (deletions.makeIterator(), insertions.makeIterator())
    var (nextGone, nextCome) = (gone.next(), come.next())
    var new = 0
    for old in 0..<oldCount {
      if old == nextGone {
        nextGone = gone.next()
        continue
      }
      while new == nextCome {
        nextCome = come.next()
        new += 1
      }
      body(old, new)
      new += 1
    }
  }

  /// The places of a longest ascending subsequence (patience sorting).
  static func longestAscending(_ numbers: [Int?]) -> [Int] {
    var tails: [Int] = []
    var before = Array(repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      guard let number else { continue }
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if (numbers[tails[middle]] ?? .max) < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = tails[low - 1] }
      if low == tails.count { tails.append(place) } else { tails[low] = place }
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
