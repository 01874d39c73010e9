import Cadastre
import Foundation
import Testing

/// Type-safe conditions of maps and of values of any type.
@Suite struct MapConditionTests {
  private let everies: ConditionChecks<Every>

  init() throws { everies = try RandomEveries.checks(seed: 2) }

  @Test func `a comparison means any value`() throws {
    try everies.expect("ANY intMap == 2", matches: { $0.intMap.values.contains(2) }) {
      $0.intMap == 2
    }
    try everies.expect("ANY intMap != 2", matches: { $0.intMap.values.contains { $0 != 2 } }) {
      $0.intMap != 2
    }
    try everies.expect(
      "ANY intMap.@allValues > 3", matches: { $0.intMap.values.contains { $0 > 3 } }
    ) { $0.intMap.values > 3 }
    try everies.expect(
      "ANY stringMap == null", matches: { $0.stringMap.values.contains(nil) }
    ) { $0.stringMap == nil }
    try everies.expect(
      "ANY stringMap.@allValues ENDSWITH 'b'",
      matches: { $0.stringMap.values.contains { $0?.hasSuffix("b") ?? false } }
    ) { $0.stringMap.values.ends(with: "b") }
    try everies.expect(
      "ANY stringMap CONTAINS[c] 'B'",
      matches: { $0.stringMap.values.contains { $0?.lowercased().contains("b") ?? false } }
    ) { $0.stringMap.contains("B", options: .caseInsensitive) }
    try everies.expect("intMap.@count == 2", matches: { $0.intMap.count == 2 }) {
      $0.intMap.count == 2
    }
  }

  @Test func `keys are texts`() throws {
    try everies.expect("ANY intMap.@allKeys == 'k'", matches: { $0.intMap.keys.contains("k") }) {
      $0.intMap.keys == "k"
    }
    try everies.expect(
      "ANY intMap.@allKeys != 'k'", matches: { $0.intMap.keys.contains { $0 != "k" } }
    ) { $0.intMap.keys != "k" }
    try everies.expect(
      "ANY linkMap.@allKeys BEGINSWITH[c] 'L'", matches: { $0.linkMap.keys.contains("l") }
    ) { $0.linkMap.keys.starts(with: "L", options: .caseInsensitive) }
    try everies.expect(
      "ANY intMap.@allKeys LIKE '?'", matches: { !$0.intMap.isEmpty }
    ) { $0.intMap.keys.like("?") }
    try everies.expect(
      "ANY intMap.@allKeys IN {'l', 'm'}",
      matches: { $0.intMap.keys.contains { ["l", "m"].contains($0) } }
    ) { $0.intMap.keys.in(["l", "m"]) }
    try everies.expect(
      "ANY intMap.@allKeys > 'k'", matches: { $0.intMap.keys.contains { $0 > "k" } }
    ) { $0.intMap.keys > "k" }
  }

  @Test func `the value under a key`() throws {
    try everies.expect("intMap['k'] == 2", matches: { $0.intMap["k"] == 2 }) {
      $0.intMap["k"] == 2
    }
    try everies.expect("intMap['k'] != 2", matches: { $0.intMap["k"] != 2 }) {
      $0.intMap["k"] != 2
    }
    try everies.expect("intMap['k'] == null", matches: { $0.intMap["k"] == nil }) {
      $0.intMap["k"] == nil
    }
    try everies.expect("intMap['l'] > 2", matches: { ($0.intMap["l"] ?? 0) > 2 }) {
      $0.intMap["l"] > 2
    }
    try everies.expect(
      "intMap['l'] BETWEEN {1, 3}", matches: { (1...3).contains($0.intMap["l"] ?? -1) }
    ) { $0.intMap["l"].contains(1...3) }
    try everies.expect(
      "stringMap['m'] CONTAINS 'b'", matches: { ($0.stringMap["m"] ?? nil)?.contains("b") ?? false }
    ) { $0.stringMap["m"].contains("b") }
    try everies.expect(
      "linkMap['k'] == null", matches: { ($0.linkMap["k"] ?? nil) == nil }
    ) { $0.linkMap["k"] == nil }
    let other = try #require(everies.realm.objects(Other.self).first)
    try everies.expect("linkMap['k'] == %@", other, matches: { $0.linkMap["k"] == other }) {
      $0.linkMap["k"] == other
    }
    try everies.expect("%@ IN linkMap", other, matches: { $0.linkMap.values.contains(other) }) {
      $0.linkMap.contains(other)
    }
  }

  @Test func `properties of the objects in a map`() throws {
    try everies.expect(
      "ANY linkMap.@allValues.rank > 1",
      matches: { $0.linkMap.values.contains { ($0?.rank ?? 0) > 1 } }
    ) { $0.linkMap.rank > 1 }
    try everies.expect(
      "ANY linkMap.@allValues.next.name == 'bob'",
      matches: { $0.linkMap.values.contains { $0?.next?.name == "bob" } }
    ) { $0.linkMap.values.next.name == "bob" }
    try everies.expect(
      "ANY knotMap.@allValues.text == 'a'",
      matches: { $0.knotMap.values.contains { $0?.text == "a" } }
    ) { $0.knotMap.text == "a" }
    try everies.expect(
      "linkMap.@max.rank == 3",
      matches: { $0.linkMap.values.compactMap { $0?.rank }.max() == 3 }
    ) { $0.linkMap.rank.max == 3 }
    try everies.expect(
      "SUBQUERY(linkMap, $x, $x.rank == 2 AND $x.name != 'bob').@count == 1",
      matches: { $0.linkMap.values.filter { $0?.rank == 2 && $0?.name != "bob" }.count == 1 }
    ) { ($0.linkMap.rank == 2 && $0.linkMap.name != "bob").count == 1 }
    try everies.expect(
      "intMap.@sum > 5", matches: { $0.intMap.values.reduce(0, +) > 5 }
    ) { $0.intMap.sum > 5 }
    try everies.expect(
      "intMap.@min == 1", matches: { $0.intMap.values.min() == 1 }
    ) { $0.intMap.values.min == 1 }
  }

  // MARK: Values of any type

  private static func number(_ value: AnyRealmValue) -> Double? {
    value.intValue.map(Double.init) ?? value.doubleValue
  }

  /// The elements of a list or the values of a map.
  private static func elements(_ value: AnyRealmValue) -> [AnyRealmValue] {
    value.listValue.map(Array.init) ?? value.dictionaryValue?.values ?? []
  }

  @Test func `values of any type compare by value, and by size in their kind`() throws {
    try everies.expect("#any == 2", matches: { Self.number($0.any) == 2 }) { $0.any == .int(2) }
    try everies.expect("#any != 2.0", matches: { Self.number($0.any) != 2 }) {
      $0.any != .double(2)
    }
    try everies.expect("#any == 'ab'", matches: { $0.any.stringValue == "ab" }) {
      $0.any == .string("ab")
    }
    try everies.expect("#any == null", matches: { $0.any == .none }) { $0.any == .none }
    try everies.expect("#any > 1", matches: { (Self.number($0.any) ?? 0) > 1 }) {
      $0.any > .int(1)
    }
    try everies.expect("#any <= 1.5", matches: { (Self.number($0.any) ?? 9) <= 1.5 }) {
      $0.any <= .double(1.5)
    }
    try everies.expect(
      "#any IN {1, 'ab', true}",
      matches: {
        Self.number($0.any) == 1 || $0.any.stringValue == "ab" || $0.any.boolValue == true
      }
    ) { $0.any.in([.int(1), .string("ab"), .bool(true)]) }
    try everies.expect(
      "#any CONTAINS 'b'", matches: { $0.any.stringValue?.contains("b") ?? false }
    ) { $0.any.contains(.string("b")) }
    try everies.expect(
      "ANY anys == 2", matches: { $0.anys.contains { Self.number($0) == 2 } }
    ) { $0.anys == .int(2) }
    try everies.expect(
      "ANY anys >= 1", matches: { $0.anys.contains { (Self.number($0) ?? 0) >= 1 } }
    ) { $0.anys >= .int(1) }
    try everies.expect(
      "ANY anyMap == 'a'", matches: { $0.anyMap.values.contains(.string("a")) }
    ) { $0.anyMap == .string("a") }
  }

  @Test func `objects among values of any type`() throws {
    let other = try #require(everies.realm.objects(Other.self).first)
    try everies.realm.write { everies.objects[0].any = .object(other) }
    try everies.expect("#any == %@", other, matches: { $0.any == .object(other) }) {
      $0.any == .object(other)
    }
    try everies.expect("#any != %@", other, matches: { $0.any != .object(other) }) {
      $0.any != .object(other)
    }
  }

  @Test func `subscripts lead into values of any type`() throws {
    try everies.expect(
      "#any[0] == 1",
      matches: { ($0.any.listValue?.first).flatMap(Self.number) == 1 }
    ) { $0.any[0] == .int(1) }
    try everies.expect(
      "#any['k'] == 'a'", matches: { $0.any.dictionaryValue?["k"] == .string("a") }
    ) { $0.any["k"] == .string("a") }
    try everies.expect(
      "#any[*] > 1", matches: { Self.elements($0.any).contains { (Self.number($0) ?? 0) > 1 } }
    ) { $0.any.any > .int(1) }
    try everies.expect(
      "#any[*][0] == 1",
      matches: {
        Self.elements($0.any).contains { ($0.listValue?.first).flatMap(Self.number) == 1 }
      }
    ) { $0.any.any[0] == .int(1) }
    try everies.expect(
      "anyMap['k'][0] != 1",
      matches: { every in
        guard let first = every.anyMap["k"]?.listValue?.first else { return false }
        return Self.number(first) != 1
      }
    ) { $0.anyMap["k"][0] != .int(1) }
    try everies.expect(
      "anys[0]['l'] == null",
      matches: { $0.anys.first?.dictionaryValue?["l"] == AnyRealmValue.none }
    ) { $0.anys[0]["l"] == .none }
  }
}
