@testable import Cadastre
import CadastrePredicate
import Foundation
import Testing

/// Predicates of Foundation find in the store what they find object by object.
@Suite struct FoundationPredicateTests {
  private let everies: ConditionChecks<Every>
  private let others: ConditionChecks<Other>

  init() throws {
    everies = try RandomEveries.checks(seed: 4)
    others = ConditionChecks(realm: everies.realm)
  }

  @Test func `comparisons and logic`() throws {
    let number = 5
    try everies.expect(#Predicate { $0.id > number }, is: "id > 5")
    try everies.expect(#Predicate { $0.id <= 3 || $0.id == 7 }, is: "id <= 3 OR id == 7")
    try everies.expect(#Predicate { !($0.id < 3) && $0.id != 4 }, is: "NOT id < 3 AND id != 4")
    try everies.expect(#Predicate { 3 >= $0.id }, is: "3 >= id")
    try everies.expect(#Predicate { $0.decimal == $0.decimal }, is: "decimal == decimal")
    try others.expect(#Predicate { $0.rank == nil }, is: "rank == null")
    try others.expect(#Predicate { $0.rank != nil }, is: "rank != null")
    try others.expect(#Predicate { $0.rank == 2 }, is: "rank == 2")
    try everies.expect(#Predicate { ($0.id > 3) == true }, is: "id > 3")
    try everies.expect(#Predicate { ($0.id > 3) == ($0.ints.count > 1) })
    try everies.expect(#Predicate { ($0.id > 3) != ($0.ints.count > 1) })
    try everies.expect(#Predicate { _ in true }, is: "TRUEPREDICATE")
    try everies.expect(#Predicate { _ in number > 7 }, is: "FALSEPREDICATE")
  }

  @Test func `texts`() throws {
    try others.expect(#Predicate { $0.name.contains("e") }, is: "name CONTAINS 'e'")
    try others.expect(#Predicate { $0.name.starts(with: "b") }, is: "name BEGINSWITH 'b'")
    try others.expect(#Predicate { $0.name.isEmpty }, is: "name == ''")
    try others.expect(#Predicate { $0.name > "b" }, is: "name > 'b'")
    try everies.expect(#Predicate { $0.grade.rawValue == "high" }, is: "grade == 'high'")
    try everies.expect(
      #Predicate { $0.strings.contains { $0.contains("b") } }, is: "ANY strings CONTAINS 'b'")
  }

  @Test func `ranges and constants of several values`() throws {
    let some = [1, 4, 9]
    let range = 2...6
    try everies.expect(#Predicate { some.contains($0.id) }, is: "id IN {1, 4, 9}")
    try everies.expect(#Predicate { (2...6).contains($0.id) }, is: "id >= 2 AND id <= 6")
    try everies.expect(#Predicate { range.contains($0.id) }, is: "id >= 2 AND id <= 6")
    try everies.expect(#Predicate { (2..<6).contains($0.id) }, is: "id >= 2 AND id < 6")
    try everies.expect(#Predicate { ($0.ints.count...9).contains($0.id) })
  }

  @Test func `links and what may be nil`() throws {
    try everies.expect(#Predicate { $0.link == nil }, is: "link == null")
    try everies.expect(#Predicate { $0.link?.rank == 2 }, is: "link.rank == 2")
    try everies.expect(#Predicate { $0.link?.next?.name == "ann" }, is: "link.next.name == 'ann'")
    try everies.expect(#Predicate { ($0.link?.rank ?? 1) > 0 })
    try everies.expect(#Predicate { ($0.link?.rank ?? 1) != 2 })
    try everies.expect(#Predicate { ($0.link.flatMap { $0.rank } ?? -1) < 1 })
    try everies.expect(
      #Predicate { if let link = $0.link { link.name.contains("n") } else { $0.id > 4 } })
    try everies.expect(#Predicate { $0.link != nil && $0.link!.name == "bob" })
    try everies.expect(#Predicate { $0.spot?.name == "ab" }, is: "spot.name == 'ab'")
  }

  @Test func `collections`() throws {
    try everies.expect(#Predicate { $0.ints.contains(2) }, is: "ANY ints == 2")
    try everies.expect(#Predicate { $0.ints.count == 2 }, is: "ints.@count == 2")
    try everies.expect(#Predicate { !$0.links.isEmpty }, is: "NOT links.@count == 0")
    try everies.expect(#Predicate { $0.intSet.count > 1 }, is: "intSet.@count > 1")
    try everies.expect(#Predicate { $0.intSet.contains($0.id) }, is: "ANY intSet == id")
    try everies.expect(#Predicate { $0.ints.contains { $0 > 2 } }, is: "ANY ints > 2")
    try everies.expect(#Predicate { $0.ints.allSatisfy { $0 > 1 } }, is: "ALL ints > 1")
    try everies.expect(#Predicate { $0.ints.min() == 1 }, is: "ints.@min == 1")
    try everies.expect(#Predicate { $0.ints.max() == nil }, is: "ints.@max == null")
    try everies.expect(#Predicate { ($0.ints.max() ?? 0) > 2 })
    try everies.expect(#Predicate { $0.ints.first == 2 })
    try everies.expect(#Predicate { $0.ints.last != 2 })
    try everies.expect(#Predicate { $0.ints.first == nil })
    try everies.expect(#Predicate { ($0.ints.first ?? 2) == 2 })
    try everies.expect(#Predicate { $0.links.first?.name == "bob" })
    try everies.expect(
      #Predicate { $0.ints.count > 1 && $0.ints[1] > 2 }, is: "ints.@count > 1 AND ints[1] > 2")
    try others.expect(#Predicate { $0.byLink.count > 2 }, is: "byLink.@count > 2")
    try everies.expect(#Predicate { $0.intMap.count == 2 }, is: "intMap.@count == 2")
  }

  @Test func `objects in collections`() throws {
    try everies.expect(
      #Predicate { $0.links.contains { $0.rank == 2 && $0.name != "bob" } },
      is: "SUBQUERY(links, $x, $x.rank == 2 AND $x.name != 'bob').@count > 0")
    try everies.expect(
      #Predicate { $0.linkSet.allSatisfy { $0.name.contains("n") } },
      is: "SUBQUERY(linkSet, $x, NOT $x.name CONTAINS 'n').@count == 0")
    try everies.expect(
      #Predicate { $0.links.filter { $0.rank == nil }.count >= 2 },
      is: "SUBQUERY(links, $x, $x.rank == null).@count >= 2")
    try everies.expect(#Predicate { $0.links.filter { $0.rank == 1 }.isEmpty })
    try everies.expect(
      #Predicate { $0.links.filter { $0.rank != 1 }.contains { $0.friends.count > 1 } })
    try everies.expect(
      #Predicate { $0.links.contains { $0.friends.contains { $0.rank == 1 } } },
      is: "SUBQUERY(links, $x, SUBQUERY($x.friends, $y, $y.rank == 1).@count > 0).@count > 0")
    try others.expect(#Predicate { $0.byList.contains { $0.ints.contains(1) } })
  }

  @Test func `calculations and choices`() throws {
    try everies.expect(#Predicate { $0.id + 1 > $0.ints.count * 2 })
    try everies.expect(#Predicate { $0.id / 2 == 1 })
    try everies.expect(#Predicate { -$0.id < -3 })
    try everies.expect(#Predicate { ($0.ints.isEmpty ? $0.id : $0.ints.count) == 2 })
    try everies.expect(#Predicate { if $0.ints.isEmpty { $0.id > 3 } else { $0.ints.contains(1) } })
  }

  @Test func `results are filtered like others`() throws {
    let dogs = try everies.realm.objects(Every.self).filter(#Predicate { $0.id > 3 })
    #expect(dogs.map(\.id) == Array(4..<16))
    #expect(try dogs.where { $0.id < 9 }.filter(#Predicate { $0.id != 5 }).count == 4)
  }

  private func message(
    _ predicate: Foundation.Predicate<Every>
  ) throws -> String {
    do throws(QueryPredicateError) {
      _ = try everies.realm.objects(Every.self).filter(predicate)
      return ""
    } catch {
      return error.message
    }
  }

  @Test func `what has no meaning is named`() throws {
    #expect(try message(#Predicate { $0.id % 2 == 0 }).contains("'IntRemainder' has no meaning"))
    #expect(
      try message(#Predicate { $0.strings.contains { $0.count == 2 } }).contains(
        "characters of a text are not counted"))
    #expect(
      try message(#Predicate { $0.ints.contains { $0 > 1 && $0 < 3 } }).contains(
        "which take one comparison"))
    #expect(try message(#Predicate { $0.ints.starts(with: [1]) }).contains("'SequenceStartsWith'"))
    #expect(
      try message(#Predicate { $0.objectSchema.isEmbedded }).contains("no property that is marked"))
    #expect(
      try message(#Predicate { ($0 as Any) is Every }).contains(
        "'ForceCast' has no meaning"))
  }
}
