import CadastreTestSupport
import Testing

@testable import Cadastre

/// How one sequence came from another.
@Suite struct MovementTests {
  @Test(arguments: Seeds.usual(1...200)) func `a movement leads from the old to the new`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let range = 0...Int.random(in: 0...12, using: &random)
    func numbers() -> [Int] {
      (0..<Int.random(in: 0...14, using: &random)).map { _ in Int.random(in: range, using: &random)
      }
    }
    let (old, new) = (numbers(), numbers())
    let movement = Movement(from: old, to: new)
    var (kept, rest) = (old, new)
    for index in movement.deletions.reversed() { kept.remove(at: index) }
    for index in movement.insertions.reversed() { rest.remove(at: index) }
    #expect(kept == rest, "\(old) \(new) \(movement)")
    var stayed: [[Int]] = []
    movement.forEachStayed(old.count) { stayed.append([$0, $1]) }
    #expect(stayed.map { old[$0[0]] } == kept && stayed.map { new[$0[1]] } == rest)
    if Set(old).count == old.count, Set(new).count == new.count {
      // Myers' algorithm finds as many that can stay.
      #expect(kept.count == old.count - new.difference(from: old).removals.count)
    }
  }

  @Test(arguments: Seeds.usual(1...200)) func `a list of keys follows a few objects`(seed: UInt64) {
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
      let movement = list.replace(
        touched, by: touched.intersection(present).sorted(by: isBefore), isBefore: isBefore)
      #expect(list.keys == present.sorted(by: isBefore), "seed \(seed)")
      var (kept, rest) = (old, list.keys)
      for index in movement.deletions.reversed() { kept.remove(at: index) }
      for index in movement.insertions.reversed() { rest.remove(at: index) }
      #expect(kept == rest, "seed \(seed)")
      #expect(Set(old).symmetricDifference(list.keys).isSubset(of: touched))
      let indexes = list.indexes(of: touched)
      #expect(indexes == list.keys.indices.filter { touched.contains(list.keys[$0]) })
    }
  }
}
