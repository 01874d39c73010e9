/// The positions of a list's elements in order: numbers with gaps, so that an element can be inserted
/// between two others without changing the rest.
///
/// Source: list labelling with even redistribution; Itai, Konheim and Rodeh, "A sparse table implementation
/// of priority queues", ICALP 1981.
package struct ListPositions {
  /// The positions, ascending.
  package private(set) var values: [Int64]

  /// Creates the positions of an existing list, ascending.
  package init(_ values: [Int64] = []) { self.values = values }

  /// The valid positions in a file: sums and differences of two do not overflow.
  static let range: ClosedRange<Int64> = -(1 << 61)...1 << 61

  /// The gap between two elements that are appended.
  static let gap: Int64 = 1 << 24
  /// The minimum gap between two positions after relabelling.
  private static let minimumGap: Int64 = 1 << 8

  /// The move of an element to another position.
  struct Move {
    let from: Int64
    let to: Int64
  }

  /// Inserts positions for new elements before the one at an index.
  ///
  /// - Parameters:
  ///   - count: The number of new elements.
  ///   - index: The index of the first new element.
  /// - Returns: The new positions, and the moves to make before they are used, in an order in which each
  ///   target is free.
  /// - Complexity: O(n) in memory. Where a gap is used up, neighbours move: O(log² n) moves per insertion,
  ///   amortized.
  mutating func insert(_ count: Int, at index: Int) -> (new: [Int64], moves: [Move]) {
    guard count > 0 else { return ([], []) }
    let before = index > 0 ? values[index - 1] : nil
    let after = index < values.count ? values[index] : nil
    var new: [Int64]
    var moves: [Move] = []
    switch (before, after) {
    case (nil, nil): new = (0..<count).map { Int64($0) * Self.gap }
    case (.some(let before), nil): new = (1...count).map { before + Int64($0) * Self.gap }
    case (nil, .some(let after)):
      new = (1...count).map { after - Int64(count + 1 - $0) * Self.gap }
    case (.some(let before), .some(let after)):
      if after - before > Int64(count) {
        new = Self.spread(count, after: before, before: after)
      } else {
        (new, moves) = relabel(count, at: index)
      }
    }
    values.insert(contentsOf: new, at: index)
    return (new, moves)
  }

  /// Removes the elements at some indexes.
  mutating func remove(_ range: Range<Int>) { values.removeSubrange(range) }

  /// Appends a position.
  mutating func append(_ position: Int64) { values.append(position) }

  /// Relabels the neighbours of an index, as many as are needed to restore the gaps.
  private mutating func relabel(_ count: Int, at index: Int) -> ([Int64], [Move]) {
    var reach = max(16, count)
    while true {
      let lower = max(0, index - reach)
      let upper = min(values.count, index + reach)
      let total = Int64(upper - lower + count)
      // Positions beyond the ends of the list are free.
      let start = lower == 0 ? values[0] - total * Self.gap : values[lower - 1]
      let end =
        upper == values.count ? values[values.count - 1] + total * Self.gap : values[upper]
      if (end - start) / (total + 1) >= Self.minimumGap {
        let spread = Self.spread(Int(total), after: start, before: end)
        let new = spread[(index - lower)..<(index - lower + count)]
        let kept = Array(spread[..<(index - lower)] + spread[(index - lower + count)...])
        let moves = zip(values[lower..<upper], kept).map { Move(from: $0, to: $1) }
        values.replaceSubrange(lower..<upper, with: kept)
        return (Array(new), Self.inSafeOrder(moves))
      }
      reach *= 2
    }
  }

  /// Orders moves so that no target is occupied: upward moves from the last on, then downward moves from
  /// the first on.
  private static func inSafeOrder(_ moves: [Move]) -> [Move] {
    moves.filter { $0.to > $0.from }.reversed() + moves.filter { $0.to < $0.from }
  }

  private static func spread(_ count: Int, after start: Int64, before end: Int64) -> [Int64] {
    // 128 bits suffice for all positions.
    let width = Int128(end) - Int128(start)
    return (1...count).map { start + Int64(width * Int128($0) / Int128(count + 1)) }
  }
}
