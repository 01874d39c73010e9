import CadastreTestSupport
import Testing

@testable import CadastreQuery

/// The difference between two sequences, and key lists that apply it.
@Suite struct SequenceDifferenceTests {
  @Test(arguments: Seeds.usual(1...200))
  func `a difference leads from the old sequence to the new one`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let range = 0...Int.random(in: 0...12, using: &random)
    func numbers() -> [Int] {
      (0..<Int.random(in: 0...14, using: &random)).map { _ in Int.random(in: range, using: &random)
      }
    }
    let (old, new) = (numbers(), numbers())
    let difference = SequenceDifference(from: old, to: new)
    var (kept, rest) = (old, new)
    for index in difference.deletions.reversed() { kept.remove(at: index) }
    for index in difference.insertions.reversed() { rest.remove(at: index) }
    #expect(kept == rest, "\(old) \(new) \(difference)")
    var pairs: [[Int]] = []
    difference.forEachKept(old.count) { pairs.append([$0, $1]) }
    #expect(pairs.map { old[$0[0]] } == kept && pairs.map { new[$0[1]] } == rest)
    if Set(old).count == old.count, Set(new).count == new.count {
      // Myers' algorithm keeps the largest possible number of elements.
      #expect(kept.count == old.count - new.difference(from: old).removals.count)
    }
  }

  @Test(arguments: Seeds.usual(1...200))
  func `a key list is updated when a few objects change`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let isAscending = Bool.random(using: &random)
    var weights = (0..<30).map { _ in Int.random(in: 0...9, using: &random) }
    var present = Set((0..<30).filter { _ in Bool.random(using: &random) }.map(Int64.init))
    func isBefore(_ first: Int64, _ second: Int64) -> Bool {
      let (one, two) = (weights[Int(first)], weights[Int(second)])
      return isAscending || one == two ? first < second : one < two
    }
    var list = KeyList(present.sorted(by: isBefore), isAscending: isAscending)
    for _ in 0..<10 {
      let old = list.keys
      let touched = Set(
        (0..<Int.random(in: 0...14, using: &random)).map { _ in
          Int64.random(in: 0..<30, using: &random)
        })
      for key in touched {
        weights[Int(key)] = Int.random(in: 0...9, using: &random)
        if Bool.random(using: &random) { present.insert(key) } else { present.remove(key) }
      }
      let difference = list.replace(
        touched.sorted(), by: touched.intersection(present).sorted(by: isBefore), isBefore: isBefore
      )
      #expect(list.keys == present.sorted(by: isBefore), "seed \(seed)")
      var (kept, rest) = (old, list.keys)
      for index in difference.deletions.reversed() { kept.remove(at: index) }
      for index in difference.insertions.reversed() { rest.remove(at: index) }
      #expect(kept == rest, "seed \(seed)")
      #expect(Set(old).symmetricDifference(list.keys).isSubset(of: touched))
      let indexes = list.indexes(of: touched.sorted())
      #expect(indexes == list.keys.indices.filter { touched.contains(list.keys[$0]) })
    }
  }

  private struct ComparisonError: Error {}

  @Test func `a comparison that fails leaves the list unchanged`() {
    let keys: [Int64] = [9, 4, 7, 1, 8, 3]
    for failing in 1...3 {
      var list = KeyList(keys, isAscending: false)
      var comparisons = 0
      #expect(throws: ComparisonError.self) {
        try list.replace([3, 5, 7, 9], by: [5, 7]) { _, _ in
          comparisons += 1
          if comparisons == failing { throw ComparisonError() }
          return true
        }
      }
      #expect(list.keys == keys, "comparison \(failing)")
    }
  }
}
