import Cadastre
import CadastrePredicate
import Foundation
import Testing

/// Counts, aggregates and subqueries in type-safe conditions.
@Suite struct CountedConditionTests {
  private let everies: ConditionChecks<Every>

  init() throws { everies = try RandomEveries.checks(seed: 3) }

  @Test func `counts of collections`() throws {
    try everies.expect("ints.@count > 1", matches: { $0.ints.count > 1 }) { $0.ints.count > 1 }
    try everies.expect("links.@count == 0", matches: { $0.links.isEmpty }) { $0.links.count == 0 }
    try everies.expect("knots.@count != 2", matches: { $0.knots.count != 2 }) {
      $0.knots.count != 2
    }
    try everies.expect(
      "link.friends.@count == 0", matches: { $0.link?.friends.isEmpty ?? true }
    ) { $0.link.friends.count == 0 }
    try everies.expect("ints.@count == id", matches: { $0.ints.count == $0.id }) {
      $0.ints.count == $0.id
    }
    try everies.expect(
      "ints.@count < intSet.@count", matches: { $0.ints.count < $0.intSet.count }
    ) { $0.ints.count < $0.intSet.count }
    try everies.expect(
      "links.friends.@count >= 3", matches: { $0.links.contains { $0.friends.count >= 3 } }
    ) { $0.links.friends.count >= 3 }
    try everies.expect(
      "ints.@count BETWEEN {1, 2}", matches: { (1...2).contains($0.ints.count) }
    ) { $0.ints.count.contains(1...2) }
    try everies.expect(
      "strings.@count IN {0, 3}", matches: { [0, 3].contains($0.strings.count) }
    ) { $0.strings.count.in([0, 3]) }
  }

  @Test func `aggregates of values`() throws {
    try everies.expect("ints.@min == 1", matches: { $0.ints.min() == 1 }) { $0.ints.min == 1 }
    try everies.expect("intSet.@max >= 3", matches: { ($0.intSet.max() ?? -1) >= 3 }) {
      $0.intSet.max >= 3
    }
    try everies.expect("ints.@sum == 0", matches: { $0.ints.reduce(0, +) == 0 }) {
      $0.ints.sum == 0
    }
    try everies.expect(
      "ints.@avg == 2.5",
      matches: { Double($0.ints.reduce(0, +)) / Double($0.ints.count) == 2.5 }
    ) { $0.ints.avg == 2.5 }
    try everies.expect(
      "ints.@avg > 2",
      matches: { Double($0.ints.reduce(0, +)) / Double($0.ints.count) > 2 }
    ) { $0.ints.avg > 2 }
    try everies.expect(
      "optionalInts.@min == null", matches: { $0.optionalInts.compactMap(\.self).isEmpty }
    ) {
      $0.optionalInts.min == nil
    }
    try everies.expect(
      "optionalInts.@sum > 3", matches: { $0.optionalInts.compactMap(\.self).reduce(0, +) > 3 }
    ) { $0.optionalInts.sum > 3 }
    try everies.expect("decimals.@max == 4", matches: { $0.decimals.max() == 4 }) {
      $0.decimals.max == 4
    }
    let date = Date(timeIntervalSince1970: 3)
    try everies.expect("dates.@max > %@", date, matches: { ($0.dates.max() ?? date) > date }) {
      $0.dates.max > date
    }
    try everies.expect("ints.@max > id", matches: { ($0.ints.max() ?? -1) > $0.id }) {
      $0.ints.max > $0.id
    }
    try everies.expect(
      "ints.@max == intSet.@max", matches: { $0.ints.max() == $0.intSet.max() }
    ) { $0.ints.max == $0.intSet.max }
  }

  @Test func `aggregates of a property of the objects`() throws {
    func ranks(_ every: Every) -> [Int] { every.links.compactMap(\.rank) }
    try everies.expect("links.@min.rank == 1", matches: { ranks($0).min() == 1 }) {
      $0.links.rank.min == 1
    }
    try everies.expect("links.@max.rank != 3", matches: { ranks($0).max() != 3 }) {
      $0.links.rank.max != 3
    }
    try everies.expect("links.@sum.rank >= 3", matches: { ranks($0).reduce(0, +) >= 3 }) {
      $0.links.rank.sum >= 3
    }
    try everies.expect("links.@avg.rank == null", matches: { ranks($0).isEmpty }) {
      $0.links.rank.avg == nil
    }
    try everies.expect(
      "linkSet.@avg.next.rank < 1.5",
      matches: {
        let ranks = $0.linkSet.compactMap { $0.next?.rank }
        return !ranks.isEmpty && Double(ranks.reduce(0, +)) / Double(ranks.count) < 1.5
      }
    ) { $0.linkSet.next.rank.avg < 1.5 }
    try everies.expect(
      "link.friends.@max.rank > 1",
      matches: { ($0.link?.friends.compactMap(\.rank).max() ?? 0) > 1 }
    ) { $0.link.friends.rank.max > 1 }
  }

  @Test func `several conditions on the same object`() throws {
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank >= 1 AND $x.name BEGINSWITH 'b').@count > 0",
      matches: { $0.links.contains { ($0.rank ?? 0) >= 1 && $0.name.hasPrefix("b") } }
    ) { ($0.links.rank >= 1 && $0.links.name.starts(with: "b")).count > 0 }
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank == null OR NOT $x.next == null).@count == 2",
      matches: { $0.links.filter { $0.rank == nil || !($0.next == nil) }.count == 2 }
    ) { ($0.links.rank == nil || !($0.links.next == nil)).count == 2 }
    try everies.expect(
      "SUBQUERY(knots, $x, ANY $x.numbers > 2 AND $x.seen.name != 'bob').@count < 2",
      matches: {
        $0.knots.filter { $0.numbers.contains { $0 > 2 } && $0.seen?.name != "bob" }.count < 2
      }
    ) { ($0.knots.numbers > 2 && $0.knots.seen.name != "bob").count < 2 }
    try everies.expect(
      "SUBQUERY(links, $x, $x.friends.@count > 1).@count == links.@count",
      matches: { every in every.links.filter { $0.friends.count > 1 }.count == every.links.count }
    ) { ($0.links.friends.count > 1).count == $0.links.count }
    try everies.expect(
      "SUBQUERY(link.friends, $x, $x.rank > 0 AND $x.rank < 3).@count >= 1",
      matches: { ($0.link?.friends.filter { (1..<3).contains($0.rank ?? 0) }.count ?? 0) >= 1 }
    ) { ($0.link.friends.rank > 0 && $0.link.friends.rank < 3).count >= 1 }
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank >= 1 AND $x.rank < 3).@count == 1 OR id == 3",
      matches: { $0.links.filter { (1..<3).contains($0.rank ?? 0) }.count == 1 || $0.id == 3 }
    ) { $0.links.rank.contains(1..<3).count == 1 || $0.id == 3 }
    let ann = try #require(everies.realm.objects(Other.self).first)
    try everies.expect(
      "SUBQUERY(links, $x, $x.next == %@ AND $x.rank IN {1, 2}).@count > 0", ann,
      matches: { $0.links.contains { $0.next == ann && [1, 2].contains($0.rank) } }
    ) { ($0.links.next == ann && $0.links.rank.in([1, 2])).count > 0 }
  }

  @Test func `conditions on the object round a subquery`() throws {
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank == link.rank).@count == 0",
      matches: { every in every.links.allSatisfy { $0.rank != every.link?.rank } }
    ) { ($0.links.rank == $0.link.rank).count == 0 }
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank >= link.rank AND $x.rank == 1).@count > 0",
      matches: { every in
        every.links.contains { other in
          (every.link?.rank).map { (other.rank ?? -1) >= $0 && other.rank == 1 } ?? false
        }
      }
    ) { ($0.links.rank >= $0.link.rank && $0.links.rank == 1).count > 0 }
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank >= 1 AND id >= 2).@count > 0",
      matches: { every in every.links.contains { ($0.rank ?? 0) >= 1 && every.id >= 2 } }
    ) { ($0.links.rank >= 1 && $0.id >= 2).count > 0 }
    // A collection of the object itself.
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank >= 1 AND SUBQUERY(links, $x, $x.rank >= 1).@count > 1).@count "
        + "> 0",
      matches: { every in every.links.count { ($0.rank ?? 0) >= 1 } > 1 }
    ) { ($0.links.rank >= 1 && ($0.links.rank >= 1).count > 1).count > 0 }
    // Parts of dates of outer objects are written as they are read.
    let parts = try QueryPredicate(
      parsing: "SUBQUERY(links, $x, year($x.seenAt) == year(seenAt)).@count > 0", arguments: [])
    #expect(try QueryPredicate(parsing: "\(parts)", arguments: []) == parts)
    // The object of the subquery round this one, and the object of the whole predicate.
    let found = everies.realm.objects(Every.self).filter(
      "SUBQUERY(links, $x, SUBQUERY($x.friends, $y, $y.rank == $x.rank OR $y.rank == link.rank)"
        + ".@count > 0).@count > 0")
    let expected = everies.realm.objects(Every.self).filter { every in
      every.links.contains { other in
        other.friends.contains { $0.rank == other.rank || $0.rank == every.link?.rank }
      }
    }
    #expect(found.map(\.id) == expected.map(\.id))
  }

  @Test func `subqueries within subqueries`() throws {
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank >= 1 AND SUBQUERY($x.friends, $y, $y.rank == 1 OR "
        + "$y.name BEGINSWITH 'a').@count > 0).@count > 0",
      matches: {
        $0.links.contains { other in
          (other.rank ?? 0) >= 1
            && other.friends.contains { $0.rank == 1 || $0.name.hasPrefix("a") }
        }
      }
    ) {
      ($0.links.rank >= 1
        && ($0.links.friends.rank == 1 || $0.links.friends.name.starts(with: "a")).count > 0)
        .count > 0
    }
    try everies.expect(
      "SUBQUERY(links, $x, SUBQUERY($x.friends, $y, $y.rank > 0).@count < $x.friends.@count)"
        + ".@count == 1",
      matches: {
        $0.links.filter { other in
          other.friends.filter { ($0.rank ?? 0) > 0 }.count < other.friends.count
        }.count == 1
      }
    ) { (($0.links.friends.rank > 0).count < $0.links.friends.count).count == 1 }
    try everies.expect(
      "SUBQUERY(links, $x, SUBQUERY($x.friends, $y, SUBQUERY($y.friends, $z, $z.rank == 1)"
        + ".@count > 0).@count > 0).@count > 0",
      matches: {
        $0.links.contains { $0.friends.contains { $0.friends.contains { $0.rank == 1 } } }
      }
    ) { ((($0.links.friends.friends.rank == 1).count > 0).count > 0).count > 0 }
  }
}
