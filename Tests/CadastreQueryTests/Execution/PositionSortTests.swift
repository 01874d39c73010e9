import CadastreTestSupport
import Testing

@testable import CadastreQuery

/// Sorts of positions by keys, against stable sorts of plain Swift.
@Suite struct PositionSortTests {
  private static func keys(_ numbers: [UInt64?]) -> SortKeys {
    var keys = SortKeys()
    for number in numbers {
      if let number { keys.append(number) } else { keys.appendMissing() }
    }
    return keys
  }

  /// Returns numbers that differ in many bits, in few of them, in the high ones, in the low ones, or not at all.
  private static func numbers(_ count: Int, _ random: inout SeededGenerator) -> [UInt64] {
    let shift = UInt64(random.pick([0, 1, 20, 63]))
    let range = random.pick([1, 2, 5000, 1 << 40, .max])
    let base = random.oneIn(2) ? 0 : UInt64.random(in: 0...(.max), using: &random)
    return (0..<count).map { _ in base &+ UInt64(random.below(range)) << shift }
  }

  @Test(arguments: Seeds.usual(1...12))
  func `several keys, one after the other, agree with stable sorts`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for count in [0, 1, 2, 3, 255, 256, 257, 1000, 5000] {
      let threads = QueryThreads(maximum: random.pick([1, 2, 3]), minimumRows: 1)
      var sort = PositionSort(count, threads)
      var expected = Array(0..<count)
      for _ in 0..<1 + random.below(3) {
        let numbers = Self.numbers(count, &random)
        let isAscending = random.oneIn(2)
        sort.sort(by: Self.keys(numbers), isAscending: isAscending)
        expected.sort {
          isAscending ? numbers[$0] < numbers[$1] : numbers[$0] > numbers[$1]
        }
        #expect(sort.positions.map(Int.init) == expected, "seed \(seed), \(count) rows")
      }
    }
  }

  @Test(arguments: Seeds.usual(21...26))
  func `rows without a key keep their order among themselves`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = random.pick([10, 3000])
    let numbers = Self.numbers(count, &random).map { random.oneIn(3) ? nil : $0 }
    var sort = PositionSort(count, QueryThreads(maximum: 2, minimumRows: 1))
    sort.sort(by: Self.keys(numbers), isAscending: random.oneIn(2))
    let missing = sort.positions.map(Int.init).filter { numbers[$0] == nil }
    #expect(missing == missing.sorted(), "seed \(seed)")
  }

  @Test(arguments: Seeds.usual(31...36))
  func `a comparison decides among rows with equal keys`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for count in [2, 100, 3000] {
      let range = random.pick([1, 3, 500])
      let numbers = (0..<count).map { _ in UInt64(random.below(range)) }
      let others = (0..<count).map { _ in random.below(20) }
      let keys = Self.keys(numbers)
      var sort = PositionSort(count, QueryThreads(maximum: random.pick([1, 2, 4]), minimumRows: 1))
      sort.sort(by: keys)
      sort.sortTies(of: keys) { others[$0] < others[$1] }
      let expected = (0..<count).sorted {
        (numbers[$0], others[$0], $0) < (numbers[$1], others[$1], $1)
      }
      #expect(sort.positions.map(Int.init) == expected, "seed \(seed), \(count) rows")
    }
  }
}
