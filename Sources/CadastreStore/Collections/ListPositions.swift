/// The places of a list's elements, in order: numbers with gaps between them, so that an element can
/// be put between two others without touching the rest.
///
/// Source: order maintenance by list labelling with even spreading; Itai, Konheim and Rodeh, "A sparse
/// table implementation of priority queues", ICALP 1981.
package struct ListPositions {
  /// The places, ascending.
  package private(set) var places: [Int64]

  /// The places of an existing list, ascending.
  package init(_ places: [Int64] = []) { self.places = places }

  /// The positions that a file may hold: sums and differences of two do not overflow.
  static let range: ClosedRange<Int64> = -(1 << 61)...1 << 61

  /// What is left between two elements that are added at the end.
  static let gap: Int64 = 1 << 24
  /// What is left between two elements, at least, where they are spread again.
  private static let enough: Int64 = 1 << 8

  /// An element that goes to another place.
  struct Move {
    let from: Int64
    let to: Int64
  }

  /// Makes room for new elements before the one at an index.
  ///
  /// - Parameters:
  ///   - count: The number of new elements.
  ///   - index: What will be the index of the first of them.
  /// - Returns: The places of the new elements, and the moves to be made first, each to a place that is
  ///   free when its turn comes.
  /// - Complexity: O(n) in memory, of which nothing is written; where gaps have run out some
  ///   neighbours move, O(log² n) of them for each insertion over time.
  mutating func makeRoom(for count: Int, at index: Int) -> (new: [Int64], moves: [Move]) {
    guard count > 0 else { return ([], []) }
    let before = index > 0 ? places[index - 1] : nil
    let after = index < places.count ? places[index] : nil
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
        (new, moves) = respread(count, at: index)
      }
    }
    places.insert(contentsOf: new, at: index)
    return (new, moves)
  }

  /// Removes the elements at some indexes.
  mutating func remove(_ range: Range<Int>) { places.removeSubrange(range) }

  mutating func append(_ place: Int64) { places.append(place) }

  /// Gives the neighbours of an index new places, as many of them as it takes to have gaps again.
  private mutating func respread(_ count: Int, at index: Int) -> ([Int64], [Move]) {
    var reach = max(16, count)
    while true {
      let lower = max(0, index - reach)
      let upper = min(places.count, index + reach)
      let total = Int64(upper - lower + count)
      // Beyond the ends of the list there is room without end.
      let start = lower == 0 ? places[0] - total * Self.gap : places[lower - 1]
      let end =
        upper == places.count ? places[places.count - 1] + total * Self.gap : places[upper]
      if (end - start) / (total + 1) >= Self.enough {
        let spread = Self.spread(Int(total), after: start, before: end)
        let new = spread[(index - lower)..<(index - lower + count)]
        let kept = Array(spread[..<(index - lower)] + spread[(index - lower + count)...])
        let moves = zip(places[lower..<upper], kept).map { Move(from: $0, to: $1) }
        places.replaceSubrange(lower..<upper, with: kept)
        return (Array(new), Self.inSafeOrder(moves))
      }
      reach *= 2
    }
  }

  /// Moves to larger places from the last on, moves to smaller ones from the first on, so that none
  /// goes where another still is.
  private static func inSafeOrder(_ moves: [Move]) -> [Move] {
    moves.filter { $0.to > $0.from }.reversed() + moves.filter { $0.to < $0.from }
  }

  private static func spread(_ count: Int, after start: Int64, before end: Int64) -> [Int64] {
    // Wide enough for the whole range of places.
    let room = Int128(end) - Int128(start)
    return (1...count).map { start + Int64(room * Int128($0) / Int128(count + 1)) }
  }
}
