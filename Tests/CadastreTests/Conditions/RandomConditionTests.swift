@testable import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Property: combined conditions have the result of plain Swift closures.
@Suite struct RandomConditionTests {
  /// A condition, and what it means.
  struct Case {
    let condition: (Query<Every>) -> Query<Bool>
    let closure: (Every) -> Bool
  }

  /// A condition of the objects in `links`, and what it means of one of them.
  struct Member {
    let condition: (Query<Every>) -> Query<Bool>
    let closure: (Other) -> Bool
  }

  @Test(arguments: Seeds.usual(1...20))
  func `conditions agree with closures`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let checks = try RandomEveries.checks(seed: seed &+ 100, count: 10)
    for _ in 0..<15 {
      let one = Self.random(&random, depth: 3)
      try checks.expect(matches: one.closure, when: one.condition)
    }
  }

  private static func random(_ random: inout SeededGenerator, depth: Int) -> Case {
    guard depth > 0 else { return leaf(&random) }
    switch random.below(5) {
    case 0:
      let inner = self.random(&random, depth: depth - 1)
      return Case(condition: { !inner.condition($0) }, closure: { !inner.closure($0) })
    case 1, 2:
      let (first, second) = pair(&random, depth)
      return Case(
        condition: { first.condition($0) && second.condition($0) },
        closure: { first.closure($0) && second.closure($0) })
    case 3:
      let (first, second) = pair(&random, depth)
      return Case(
        condition: { first.condition($0) || second.condition($0) },
        closure: { first.closure($0) || second.closure($0) })
    default: return leaf(&random)
    }
  }

  private static func pair(_ random: inout SeededGenerator, _ depth: Int) -> (Case, Case) {
    (self.random(&random, depth: depth - 1), self.random(&random, depth: depth - 1))
  }

  private static func leaf(_ random: inout SeededGenerator) -> Case {
    let number = random.below(5)
    let upper = number + random.below(3)
    let text = random.pick(RandomEveries.texts)
    let key = random.pick(RandomEveries.keys)
    switch random.below(16) {
    case 0:
      return Case(condition: { $0.ints == number }, closure: { $0.ints.contains(number) })
    case 1:
      return Case(
        condition: { $0.intSet < number }, closure: { $0.intSet.contains { $0 < number } })
    case 2:
      return Case(
        condition: { $0.optionalInts != number },
        closure: { $0.optionalInts.contains { $0 != number } })
    case 3:
      return Case(
        condition: { $0.intMap[key] >= number },
        closure: { ($0.intMap[key] ?? -1) >= number })
    case 4:
      return Case(
        condition: { $0.stringMap.values == text },
        closure: { $0.stringMap.values.contains(text) })
    case 5:
      return Case(
        condition: { $0.ints.contains(number...upper) },
        closure: { every in
          !every.ints.isEmpty && every.ints.allSatisfy { (number...upper).contains($0) }
        })
    case 6:
      return Case(
        condition: { $0.links.rank.contains(number..<upper) },
        closure: { $0.links.contains { (number..<upper).contains($0.rank ?? -1) } })
    case 7:
      return Case(
        condition: { $0.linkMap.next.name > text },
        closure: { every in
          every.linkMap.values.contains { value in
            // Of texts, null stands before all; nothing stands behind nil in a map.
            value.map { ($0.next?.name).map { Self.precedes(text, $0) } ?? false } ?? false
          }
        })
    case 8:
      return Case(
        condition: { $0.knots.numbers.count == number },
        closure: { $0.knots.contains { $0.numbers.count == number } })
    case 9:
      return Case(
        condition: { $0.intMap.sum > $0.ints.count },
        closure: { $0.intMap.values.reduce(0, +) > $0.ints.count })
    case 10:
      return Case(
        condition: { $0.bools.contains(true) && $0.grade == .low },
        closure: { $0.bools.contains(true) && $0.grade == .low })
    default:
      let member = member(&random, depth: 2)
      return Case(
        condition: { member.condition($0).count <= number },
        closure: { $0.links.filter(member.closure).count <= number })
    }
  }

  private static func precedes(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }

  private static func member(_ random: inout SeededGenerator, depth: Int) -> Member {
    let number = random.below(4)
    let name = random.pick(["ann", "bob", "eve"])
    guard depth > 0 else {
      switch random.below(4) {
      case 0:
        return Member(condition: { $0.links.rank > number }, closure: { ($0.rank ?? -1) > number })
      case 1: return Member(condition: { $0.links.name == name }, closure: { $0.name == name })
      case 2:
        return Member(
          condition: { $0.links.friends.rank == number },
          closure: { $0.friends.contains { $0.rank == number } })
      default:
        return Member(condition: { $0.links.next == nil }, closure: { $0.next == nil })
      }
    }
    let first = member(&random, depth: depth - 1)
    let second = member(&random, depth: depth - 1)
    switch random.below(3) {
    case 0: return Member(condition: { !first.condition($0) }, closure: { !first.closure($0) })
    case 1:
      return Member(
        condition: { first.condition($0) && second.condition($0) },
        closure: { first.closure($0) && second.closure($0) })
    default:
      return Member(
        condition: { first.condition($0) || second.condition($0) },
        closure: { first.closure($0) || second.closure($0) })
    }
  }
}
