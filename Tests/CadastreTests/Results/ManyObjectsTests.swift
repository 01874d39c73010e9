import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Thousands of objects, whose columns are in memory: queries, orders, distinct values and
/// sections, compared with the same done to an array.
@Suite struct ManyObjectsTests {
  final class Meter: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var kind: String?
    @Persisted var name = ""
    @Persisted(indexed: true) var level: Int?
    @Persisted var share = 0.0
    @Persisted var read = Date(timeIntervalSince1970: 0)
    @Persisted var isOpen = false
    @Persisted var next: Meter?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// The same without a store.
  struct Plain {
    var number: Int
    var kind: String?
    var name: String
    var level: Int?
    var share: Double
    var read: Date
    var isOpen: Bool
    var next: Int?
  }

  /// Half of them share their first eight bytes, or are empty.
  static let names = ["", "a", "Straßenb", "Straßenbahn", "Straßenbau", "zebra", "\u{0}", "ä"]

  let realm: Realm
  var plain: [Plain]

  init() throws {
    var random = SeededGenerator(seed: 6411)
    plain = (0..<6000).map { number in
      Plain(
        number: number, kind: random.below(9) == 0 ? nil : "kind \(random.below(12))",
        name: Self.names[random.below(8)] + (random.below(3) == 0 ? "\(random.below(900))" : ""),
        level: random.below(10) == 0 ? nil : random.below(40) - 20,
        share: [.nan, -0.0, 0, 1.5, -.infinity, 7][random.below(6)],
        read: Date(timeIntervalSince1970: Double(random.below(50)) / 8 - 3),
        isOpen: random.below(2) == 0, next: random.below(3) == 0 ? nil : random.below(6000))
    }
    realm = try Realm(
      configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Meter.self]))
    let plain = plain
    try realm.write { [realm] in
      let meters = plain.map { values in
        let meter = Meter()
        (meter.number, meter.kind, meter.name) = (values.number, values.kind, values.name)
        (meter.level, meter.share, meter.read) = (values.level, values.share, values.read)
        meter.isOpen = values.isOpen
        return meter
      }
      // Those that are linked to would otherwise be stored before their turn.
      realm.add(meters)
      for (meter, values) in zip(meters, plain) { meter.next = values.next.map { meters[$0] } }
    }
  }

  /// Some go, some change, after the columns have been read.
  private mutating func change() throws {
    var random = SeededGenerator(seed: 99)
    let meters = Array(realm.objects(Meter.self))
    _ = realm.objects(Meter.self).where { $0.kind == "kind 1" && $0.name == "a" }.count
    realm.beginWrite()
    for index in plain.indices where random.below(40) == 0 {
      plain[index].kind = random.below(2) == 0 ? nil : "changed"
      plain[index].level = random.below(60)
      (meters[index].kind, meters[index].level) = (plain[index].kind, plain[index].level)
    }
    let gone = Set(plain.indices.filter { _ in random.below(30) == 0 })
    for index in gone { realm.delete(meters[index]) }
    try realm.commitWrite()
    plain = plain.filter { !gone.contains($0.number) }
    for index in plain.indices where plain[index].next.map(gone.contains) == true {
      plain[index].next = nil
    }
  }

  private func numbers(_ results: Results<Meter>) -> [Int] { results.map(\.number) }

  private func numbers(_ isWanted: (Plain) -> Bool) -> [Int] {
    plain.filter(isWanted).map(\.number)
  }

  @Test(arguments: [false, true])
  mutating func `queries on repeated texts`(isChanged: Bool) throws {
    if isChanged { try change() }
    let all = realm.objects(Meter.self)
    #expect(numbers(all.where { $0.kind == "kind 3" }) == numbers { $0.kind == "kind 3" })
    #expect(numbers(all.where { $0.kind != "kind 3" }) == numbers { $0.kind != "kind 3" })
    #expect(numbers(all.where { $0.kind == nil }) == numbers { $0.kind == nil })
    #expect(
      numbers(all.where { $0.kind.in(["kind 1", nil, "x"]) })
        == numbers { $0.kind == "kind 1" || $0.kind == nil })
    #expect(
      numbers(all.where { $0.kind.starts(with: "kind 1") })
        == numbers { $0.kind?.hasPrefix("kind 1") == true })
    #expect(
      numbers(all.where { $0.kind.contains("IND 1", options: .caseInsensitive) })
        == numbers { $0.kind?.contains("ind 1") == true })
    #expect(
      numbers(all.where { $0.kind == "kind 3" && $0.name.starts(with: "Straßenba") })
        == numbers { $0.kind == "kind 3" && $0.name.hasPrefix("Straßenba") })
    #expect(
      numbers(all.where { $0.next.kind == "kind 3" })
        == numbers { meter in
          meter.next.flatMap { next in plain.first { $0.number == next } }?.kind == "kind 3"
        })
  }

  @Test(arguments: [false, true])
  mutating func `orders by one property`(isChanged: Bool) throws {
    if isChanged { try change() }
    func check<Key>(
      _ keyPath: String, _ value: (Plain) -> Key, _ order: (Key, Key) -> Bool
    ) {
      for isAscending in [true, false] {
        let sorted = realm.objects(Meter.self).sorted(byKeyPath: keyPath, ascending: isAscending)
        let expected = plain.sorted { first, second in
          let (one, other) = (value(first), value(second))
          if order(one, other) { return isAscending }
          if order(other, one) { return !isAscending }
          return first.number < second.number
        }
        #expect(numbers(sorted) == expected.map(\.number), "by \(keyPath)")
        #expect(
          numbers(sorted.limit(70, offset: 900)) == expected[900..<970].map(\.number),
          "a part by \(keyPath)")
      }
    }
    func bytes(_ first: String, _ second: String) -> Bool {
      first.utf8.lexicographicallyPrecedes(second.utf8)
    }
    check("number", \.number, <)
    check("name", \.name, bytes)
    check("kind", \.kind) { first, second in
      second != nil && (first == nil || bytes(first ?? "", second ?? ""))
    }
    check("level", \.level) { $1 != nil && ($0 ?? .min) < ($1 ?? .min) }
    check("share", \.share) { !$1.isNaN && ($0.isNaN || $0 < $1) }
    check("read", \.read, <)
    check("isOpen", \.isOpen) { !$0 && $1 }
    let byNumber = Dictionary(uniqueKeysWithValues: plain.map { ($0.number, $0) })
    // Behind a null link comes last.
    check("next.level", { meter in meter.next.flatMap { byNumber[$0] } }) { first, second in
      guard let first else { return false }
      guard let second else { return true }
      return second.level != nil && (first.level ?? .min) < (second.level ?? .min)
    }
  }

  @Test(arguments: [false, true])
  mutating func `the first object of each value`(isChanged: Bool) throws {
    if isChanged { try change() }
    func firsts<Key: Hashable>(_ plain: [Plain], _ key: (Plain) -> Key) -> [Int] {
      var seen: Set<Key> = []
      return plain.filter { seen.insert(key($0)).inserted }.map(\.number)
    }
    let all = realm.objects(Meter.self)
    #expect(numbers(all.distinct(by: ["kind"])) == firsts(plain, \.kind))
    #expect(numbers(all.distinct(by: ["level"])) == firsts(plain, \.level))
    #expect(numbers(all.distinct(by: ["name"])) == firsts(plain, \.name))
    #expect(numbers(all.distinct(by: ["isOpen"])) == firsts(plain, \.isOpen))
    #expect(numbers(all.distinct(by: ["read"])) == firsts(plain, \.read))
    #expect(
      numbers(all.distinct(by: ["share"]))
        == firsts(plain) { $0.share.isNaN ? "NaN" : "\($0.share + 0)" })
    #expect(
      numbers(all.where { $0.isOpen }.distinct(by: ["kind"]))
        == firsts(plain.filter(\.isOpen), \.kind))
    let byLevel = plain.sorted { ($0.level ?? .min, $0.number) < ($1.level ?? .min, $1.number) }
    #expect(
      numbers(all.sorted(byKeyPath: "level").distinct(by: ["kind"])) == firsts(byLevel, \.kind))
    #expect(
      numbers(all.distinct(by: ["kind"]).sorted(byKeyPath: "number", ascending: false).limit(3))
        == firsts(plain, \.kind).suffix(3).reversed())
  }

  @Test(arguments: [false, true])
  mutating func `sections are those of a dictionary`(isChanged: Bool) throws {
    if isChanged { try change() }
    let byKind = realm.objects(Meter.self).sectioned(by: \.kind)
    let expected = Dictionary(grouping: plain, by: \.kind)
    #expect(byKind.count == expected.count)
    for section in byKind {
      #expect(section.map(\.number) == expected[section.key]?.map(\.number))
    }
    let byLevel = realm.objects(Meter.self).sectioned(by: \.level, ascending: false)
    let levels = Dictionary(grouping: plain, by: \.level)
    #expect(byLevel.map(\.key) == levels.keys.sorted { ($0 ?? .min) > ($1 ?? .min) })
    for section in byLevel {
      #expect(section.map(\.number) == levels[section.key]?.map(\.number))
    }
  }

  @Test func `explain says how much of the columns was in memory`() {
    let some = realm.objects(Meter.self).where { $0.isOpen && $0.share > 1 }
    // 6,000 objects lie in two segments.
    #expect(some.explain([.measured]).contains(" 0 of 2 column segments in memory,"))
    #expect(some.explain([.measured]).contains(" 2 of 2 column segments in memory,"))
    let plan = some.explainJSON(measured: true).filter { $0 != " " }
    #expect(
      plan.contains("\"segmentsInMemory\":2") && plan.contains("\"segmentsRead\":0"), "\(plan)")
  }

  @Test func `objects that were added together are read where they were added`() throws {
    let realm = try Realm(
      configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Meter.self]))
    try realm.write {
      let meters = (0..<20).map { number in
        let meter = Meter()
        (meter.number, meter.kind) = (number, "kind \(number)")
        return meter
      }
      for meter in meters { meter.next = meters[(meter.number + 1) % 20] }
      realm.add(meters)
      for meter in meters {
        #expect(meter.kind == "kind \(meter.number)")
        #expect(meter.next?.number == (meter.number + 1) % 20)
      }
      meters[3].kind = "other"
      #expect(meters[2].next?.kind == "other")
      realm.add(meters)
    }
    #expect(realm.objects(Meter.self).count == 20)
  }
}
