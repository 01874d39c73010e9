import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

@Suite struct ListPositionsTests {
  /// Inserts, checks the invariants, and returns the number of moves.
  private func insert(
    _ count: Int, at index: Int, into positions: inout ListPositions
  ) -> Int {
    let before = positions.values
    let (new, moves) = positions.insert(count, at: index)
    var occupied = Set(before)
    for move in moves {
      #expect(occupied.remove(move.from) != nil)
      #expect(occupied.insert(move.to).inserted, "the target of a move is occupied")
    }
    for position in new { #expect(occupied.insert(position).inserted) }
    #expect(positions.values.count == before.count + count)
    #expect(Array(positions.values[index..<index + count]) == new)
    return moves.count
  }

  private func isAscending(_ positions: ListPositions) -> Bool {
    zip(positions.values, positions.values.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// The documented amortized bound of moves.
  private func bound(_ insertions: Int, _ count: Int) -> Double {
    let logarithm = log2(Double(max(2, count)))
    return Double(insertions) * logarithm * logarithm
  }

  @Test(arguments: [0, 1, 500, 999, 1000])
  func `ten thousand insertions at one index move few elements`(start: Int) {
    var positions = ListPositions((0..<1000).map { Int64($0) * ListPositions.gap })
    var moved = 0
    for number in 0..<10_000 {
      let (new, moves) = positions.insert(1, at: start)
      moved += moves.count
      #expect(new.count == 1)
      if number % 500 == 0 { #expect(isAscending(positions)) }
    }
    #expect(isAscending(positions))
    #expect(Double(moved) <= bound(10_000, positions.values.count), "\(moved)")
  }

  @Test(arguments: [1, 2])
  func `insertions between the same two neighbours move few elements`(step: Int) {
    var positions = ListPositions([0, 1])
    var moved = 0
    var index = 1
    for _ in 0..<10_000 {
      moved += positions.insert(1, at: index).moves.count
      if step == 2 { index += 1 }
    }
    #expect(isAscending(positions))
    #expect(Double(moved) <= bound(10_000, positions.values.count), "\(moved)")
  }

  @Test(arguments: Seeds.usual(1...3))
  func `random insertions and removals keep the order`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var positions = ListPositions()
    var (moved, inserted) = (0, 0)
    for _ in 0..<1500 {
      if positions.values.count > 10, random.oneIn(4) {
        let lower = random.below(positions.values.count)
        positions.remove(lower..<min(positions.values.count, lower + random.below(4)))
      } else {
        let count = random.oneIn(20) ? random.below(100) : 1 + random.below(3)
        // Half of them at a few indexes, so that gaps are used up.
        let end = positions.values.count
        let index = random.oneIn(2) ? random.below(end + 1) : min(end, 3)
        if count > 0 { moved += insert(count, at: index, into: &positions) }
        inserted += count
      }
      #expect(isAscending(positions), "seed \(seed)")
    }
    #expect(Double(moved) <= bound(inserted, positions.values.count), "seed \(seed): \(moved)")
  }

  @Test func `dense neighbours are relabelled for any number of new elements`() {
    for existing in 2...20 {
      for count in 1...20 {
        for index in 0...existing {
          var positions = ListPositions((0..<existing).map { Int64($0) })
          _ = insert(count, at: index, into: &positions)
          #expect(isAscending(positions))
        }
      }
    }
  }
}
