import Cadastre
import Foundation
import Testing

/// Type-safe conditions of lists, sets and links that lead to many objects.
@Suite struct CollectionConditionTests {
  private let everies: ConditionChecks<Every>
  private let others: ConditionChecks<Other>

  init() throws {
    everies = try RandomEveries.checks()
    others = ConditionChecks(realm: everies.realm)
  }

  @Test func `a comparison means any element`() throws {
    try everies.expect("ANY ints == 2", matches: { $0.ints.contains(2) }) { $0.ints == 2 }
    try everies.expect("ANY ints != 2", matches: { $0.ints.contains { $0 != 2 } }) {
      $0.ints != 2
    }
    try everies.expect("ANY ints > 2", matches: { $0.ints.contains { $0 > 2 } }) { $0.ints > 2 }
    try everies.expect("ANY intSet <= 1", matches: { $0.intSet.contains { $0 <= 1 } }) {
      $0.intSet <= 1
    }
    try everies.expect("ANY small < 1", matches: { $0.small.contains { $0 < 1 } }) {
      $0.small < 1
    }
    try everies.expect("ANY decimals >= 3", matches: { $0.decimals.contains { $0 >= 3 } }) {
      $0.decimals >= 3
    }
    let date = Date(timeIntervalSince1970: 2)
    try everies.expect("ANY dates > %@", date, matches: { $0.dates.contains { $0 > date } }) {
      $0.dates > date
    }
    try everies.expect("ANY bools == true", matches: { $0.bools.contains(true) }) {
      $0.bools == true
    }
    try everies.expect(
      "ANY optionalInts == null", matches: { $0.optionalInts.contains { $0 == nil } }
    ) { $0.optionalInts == nil }
    try everies.expect(
      "ANY optionalInts != null", matches: { $0.optionalInts.contains { $0 != nil } }
    ) { $0.optionalInts != nil }
    try everies.expect(
      "ANY doubles > 1.0", matches: { $0.doubles.contains { $0.map { $0 > 1 } ?? false } }
    ) { $0.doubles > 1 }
    try everies.expect(
      "ANY grades == 'high'", matches: { $0.grades.contains(.high) }
    ) { $0.grades == .high }
    try everies.expect(
      "ANY grades > 'low'", matches: { $0.grades.contains { $0 > .low } }
    ) { $0.grades > .low }
  }

  @Test func `a whole list is compared in its order`() throws {
    let list = List<Int>()
    list.append(objectsIn: everies.objects.first { $0.ints.count > 1 }?.ints.map { $0 } ?? [])
    try everies.expect(
      "ints == %@", Array(list), matches: { Array($0.ints) == Array(list) }
    ) { $0.ints == list }
    try everies.expect(
      "ints != %@", Array(list), matches: { Array($0.ints) != Array(list) }
    ) { $0.ints != list }
  }

  @Test func `collections hold values`() throws {
    try everies.expect("3 IN ints", matches: { $0.ints.contains(3) }) { $0.ints.contains(3) }
    try everies.expect("'ab' IN stringSet", matches: { $0.stringSet.contains("ab") }) {
      $0.stringSet.contains("ab")
    }
    try everies.expect("4 IN intMap", matches: { $0.intMap.values.contains(4) }) {
      $0.intMap.contains(4)
    }
    try everies.expect(
      "null IN optionalStrings", matches: { $0.optionalStrings.contains(nil) }
    ) { $0.optionalStrings.contains(nil) }
    try everies.expect(
      "ANY ints IN {1, 4}", matches: { $0.ints.contains { [1, 4].contains($0) } }
    ) { $0.ints.containsAny(in: [1, 4]) }
    try everies.expect(
      "ANY intMap IN {1, 4}", matches: { $0.intMap.values.contains { [1, 4].contains($0) } }
    ) { $0.intMap.containsAny(in: [1, 4]) }
    try everies.expect("ANY ints IN %@", [Int](), matches: { _ in false }) {
      $0.ints.containsAny(in: [])
    }
    try everies.expect(
      "ANY ints IN {0, 3}", matches: { $0.ints.contains { [0, 3].contains($0) } }
    ) { $0.ints.in([0, 3]) }
  }

  @Test func `all elements lie in a range`() throws {
    try everies.expect(
      "ints.@min >= 1 AND ints.@max <= 3",
      matches: { !$0.ints.isEmpty && $0.ints.allSatisfy { (1...3).contains($0) } }
    ) { $0.ints.contains(1...3) }
    try everies.expect(
      "ints.@min >= 1 AND ints.@max < 4",
      matches: { !$0.ints.isEmpty && $0.ints.allSatisfy { (1..<4).contains($0) } }
    ) { $0.ints.contains(1..<4) }
    try everies.expect(
      "doubles.@min >= 0.5 AND doubles.@max <= 1.5",
      matches: { every in
        let doubles = every.doubles.compactMap(\.self)
        return !doubles.isEmpty && doubles.allSatisfy { (0.5...1.5).contains($0) }
      }
    ) { $0.doubles.contains(0.5...1.5) }
    try everies.expect(
      "intMap.@min >= 0 AND intMap.@max < 3",
      matches: { !$0.intMap.isEmpty && $0.intMap.values.allSatisfy { (0..<3).contains($0) } }
    ) { $0.intMap.contains(0..<3) }
    let first = Date(timeIntervalSince1970: 1)
    let last = Date(timeIntervalSince1970: 3)
    try everies.expect(
      "dates.@min >= %@ AND dates.@max <= %@", first, last,
      matches: { !$0.dates.isEmpty && $0.dates.allSatisfy { (first...last).contains($0) } }
    ) { $0.dates.contains(first...last) }
  }

  @Test func `texts in a collection are searched`() throws {
    try everies.expect(
      "ANY strings BEGINSWITH[c] 'a'",
      matches: { $0.strings.contains { "aA".contains($0.prefix(1)) && $0 != "" } }
    ) { $0.strings.starts(with: "a", options: .caseInsensitive) }
    try everies.expect(
      "ANY strings ENDSWITH 'b'", matches: { $0.strings.contains { $0.hasSuffix("b") } }
    ) { $0.strings.ends(with: "b") }
    try everies.expect(
      "ANY stringSet CONTAINS 'b'", matches: { $0.stringSet.contains { $0.contains("b") } }
    ) { $0.stringSet.contains("b", options: []) }
    try everies.expect(
      "ANY strings LIKE '?b'",
      matches: { $0.strings.contains { $0.count == 2 && $0.hasSuffix("b") } }
    ) { $0.strings.like("?b") }
    try everies.expect(
      "ANY optionalStrings LIKE[c] 'b*'",
      matches: { $0.optionalStrings.contains { $0?.lowercased().hasPrefix("b") ?? false } }
    ) { $0.optionalStrings.like("b*", caseInsensitive: true) }
    try everies.expect(
      "ANY strings ==[cd] 'E'", matches: { $0.strings.contains("é") }
    ) { $0.strings.equals("E", options: [.caseInsensitive, .diacriticInsensitive]) }
    try everies.expect(
      "ANY optionalStrings !=[c] 'AB'",
      matches: { $0.optionalStrings.contains { $0?.lowercased() != "ab" } }
    ) { $0.optionalStrings.notEquals("AB", options: .caseInsensitive) }
    try everies.expect(
      "ANY blobs BEGINSWITH %@", Data("a".utf8),
      matches: { $0.blobs.contains { $0.first == UInt8(ascii: "a") } }
    ) { $0.blobs.starts(with: Data("a".utf8)) }
    try everies.expect(
      "ANY grades CONTAINS 'i'", matches: { $0.grades.contains { $0.rawValue.contains("i") } }
    ) { $0.grades.rawValue.contains("i", options: []) }
    try everies.expect(
      "ANY grades == 'low'", matches: { $0.grades.contains(.low) }
    ) { $0.grades.rawValue == "low" }
  }

  @Test func `properties of the objects in a collection`() throws {
    try everies.expect(
      "ANY links.rank == 2", matches: { $0.links.contains { $0.rank == 2 } }
    ) { $0.links.rank == 2 }
    try everies.expect(
      "ANY linkSet.rank == null", matches: { $0.linkSet.contains { $0.rank == nil } }
    ) { $0.linkSet.rank == nil }
    try everies.expect(
      "ANY links.next.name == 'ann'", matches: { $0.links.contains { $0.next?.name == "ann" } }
    ) { $0.links.next.name == "ann" }
    try everies.expect(
      "ANY links.friends.name CONTAINS 'e'",
      matches: { $0.links.contains { $0.friends.contains { $0.name.contains("e") } } }
    ) { $0.links.friends.name.contains("e") }
    try everies.expect(
      "ANY link.friends.rank >= 2",
      matches: { $0.link?.friends.contains { ($0.rank ?? -1) >= 2 } ?? false }
    ) { $0.link.friends.rank >= 2 }
    try everies.expect(
      "ANY knots.text == 'a'", matches: { $0.knots.contains { $0.text == "a" } }
    ) { $0.knots.text == "a" }
    try everies.expect(
      "ANY knots.numbers == 3", matches: { $0.knots.contains { $0.numbers.contains(3) } }
    ) { $0.knots.numbers == 3 }
    try everies.expect(
      "ANY spot.words == 'ab'", matches: { $0.spot?.words.contains("ab") ?? false }
    ) { $0.spot.words == "ab" }
    try everies.expect(
      "ANY knots.seen.rank > 1", matches: { $0.knots.contains { ($0.seen?.rank ?? 0) > 1 } }
    ) { $0.knots.seen.rank > 1 }
    try everies.expect(
      "ANY links.rank BETWEEN {1, 2}",
      matches: { $0.links.contains { (1...2).contains($0.rank ?? -1) } }
    ) { $0.links.rank.contains(1...2) }
    try everies.expect(
      "SUBQUERY(links, $x, $x.rank >= 1 AND $x.rank < 3).@count > 0",
      matches: { $0.links.contains { (1..<3).contains($0.rank ?? -1) } }
    ) { $0.links.rank.contains(1..<3) }
    try everies.expect(
      "ANY links.rank IN %@", [1, nil],
      matches: { $0.links.contains { [1, nil].contains($0.rank) } }
    ) { $0.links.rank.in([1, nil]) }
  }

  @Test func `links in a collection are compared by identity`() throws {
    let ann = try #require(others.objects.first)
    try everies.expect("ANY links == %@", ann, matches: { $0.links.contains(ann) }) {
      $0.links == ann
    }
    try everies.expect(
      "ANY links != %@", ann, matches: { $0.links.contains { $0 != ann } }
    ) { $0.links != ann }
    try everies.expect("%@ IN linkSet", ann, matches: { $0.linkSet.contains(ann) }) {
      $0.linkSet.contains(ann)
    }
    try everies.expect(
      "ANY links.next == %@", ann, matches: { $0.links.contains { $0.next == ann } }
    ) { $0.links.next == ann }
    try everies.expect(
      "ANY links.next == null", matches: { $0.links.contains { $0.next == nil } }
    ) { $0.links.next == nil }
    let some = Array(others.objects.prefix(2))
    try everies.expect(
      "ANY links IN %@", some, matches: { $0.links.contains { some.contains($0) } }
    ) { $0.links.containsAny(in: some) }
    try everies.expect(
      "ANY linkMap.@allValues IN %@", some,
      matches: { $0.linkMap.values.contains { $0.map(some.contains) ?? false } }
    ) { $0.linkMap.values.in(some.map(Optional.some)) }
    try everies.expect("link IN %@", some, matches: { $0.link.map(some.contains) ?? false }) {
      $0.link.in(some.map(Optional.some))
    }
    try everies.expect("ANY links == %@", Other("new"), matches: { _ in false }) {
      $0.links == Other("new")
    }
    try everies.expect("link != %@", Other("new"), matches: { _ in true }) {
      $0.link != Other("new")
    }
  }

  @Test func `objects that link here`() throws {
    try others.expect(
      "ANY byLink.id > 5", matches: { $0.byLink.contains { $0.id > 5 } }
    ) { $0.byLink.id > 5 }
    try others.expect("byList.@count >= 2", matches: { $0.byList.count >= 2 }) {
      $0.byList.count >= 2
    }
    try others.expect(
      "ANY byMap.ints == 1", matches: { $0.byMap.contains { $0.ints.contains(1) } }
    ) { $0.byMap.ints == 1 }
    try others.expect(
      "bySet.@sum.id > 20", matches: { $0.bySet.reduce(0) { $0 + $1.id } > 20 }
    ) { $0.bySet.id.sum > 20 }
    let first = try #require(everies.objects.first { $0.link != nil })
    try others.expect("ANY byLink == %@", first, matches: { $0.byLink.contains(first) }) {
      $0.byLink.contains(first)
    }
    try others.expect(
      "SUBQUERY(byNext, $x, $x.rank > 0 AND $x.name BEGINSWITH 'e').@count == 0",
      matches: { $0.byNext.filter { ($0.rank ?? 0) > 0 && $0.name.hasPrefix("e") }.count == 0 }
    ) { ($0.byNext.rank > 0 && $0.byNext.name.starts(with: "e")).count == 0 }
  }

  @Test func `one side may be a collection`() throws {
    try everies.expect("ANY ints == id", matches: { $0.ints.contains($0.id) }) { $0.ints == $0.id }
    try everies.expect("ANY ints > id", matches: { every in every.ints.contains { $0 > every.id } })
    {
      $0.ints > $0.id
    }
    try everies.expect(
      "ANY links.rank == link.rank",
      matches: { every in every.links.contains { $0.rank == every.link?.rank } }
    ) { $0.links.rank == $0.link.rank }
    try everies.expect(
      "ANY links.name CONTAINS link.name",
      matches: { every in every.links.contains { $0.name.contains(every.link?.name ?? "-") } }
    ) { $0.links.name.contains($0.link.name) }
  }

  @Test func `elements by their index`() throws {
    try everies.expect(
      "ints[1] > 2", matches: { $0.ints.count > 1 && $0.ints[1] > 2 }
    ) { $0.ints[1] > 2 }
    try everies.expect(
      "links[0].name == 'bob'", matches: { $0.links.first?.name == "bob" }
    ) { $0.links[0].name == "bob" }
  }
}
