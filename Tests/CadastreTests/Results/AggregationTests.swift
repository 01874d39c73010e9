import Cadastre
import Foundation
import Testing

/// Aggregates, order, distinct and positions against plain evaluation, and linking objects.
@Suite struct AggregationTests {
  private let realm: Realm

  init() throws { realm = try everyRealm() }

  @Test(arguments: Dice.seeds) func `values are summed up and ordered as by hand`(
    seed: UInt64
  ) throws {
    var dice = Dice(seed)
    for size in 0..<12 {
      let ints = (0..<size).map { _ in dice.below(9) - 4 }
      let doubles = (0..<size).map { _ in dice.below(4) == 0 ? nil : Double(dice.below(9)) / 4 }
      let decimals = ints.map { Decimal128($0) / 8 }
      let strings = ints.map { "é\($0)" }
      let dates = ints.map { Date(timeIntervalSince1970: Double($0)) }
      let every = Every(
        value: [
          "id": size, "ints": ints, "doubles": doubles, "decimals": decimals, "strings": strings,
          "dates": dates, "floats": ints.map { Float($0) / 2 }, "small": ints.map { Int8($0) },
        ])
      try realm.write { realm.add(every) }
      #expect(every.ints.sum() == ints.reduce(0, +) && every.small.sum() == Int8(ints.reduce(0, +)))
      #expect(every.ints.min() == ints.min() && every.ints.max() == ints.max())
      let average: Double? = every.ints.average()
      #expect(average == (ints.isEmpty ? nil : Double(ints.reduce(0, +)) / Double(size)))
      let some = doubles.compactMap(\.self)
      #expect(every.doubles.sum() == some.reduce(0, +))
      #expect(every.doubles.max() == .some(some.max()) || some.isEmpty)
      #expect(every.decimals.sum() == decimals.reduce(0, +))
      #expect(every.decimals.min() == decimals.min())
      #expect(every.floats.sum() == ints.map { Float($0) / 2 }.reduce(0, +))
      #expect(every.dates.min() == dates.min() && every.dates.max() == dates.max())
      #expect(Array(every.ints.sorted()) == ints.sorted())
      #expect(Array(every.ints.sorted(ascending: false)) == ints.sorted(by: >))
      #expect(
        Array(every.strings.sorted())
          == strings.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      #expect(Array(every.doubles.sorted().prefix(size - some.count)).allSatisfy { $0 == nil })
      var seen: Set<Int> = []
      #expect(Array(every.ints.distinct()) == ints.filter { seen.insert($0).inserted })
      for value in -4...4 { #expect(every.ints.index(of: value) == ints.firstIndex(of: value)) }
      #expect(every.ints.objects(at: IndexSet(0..<size)) == ints)
    }
  }

  // The sum of values of any type was that of the first one's type only.
  @Test func `values of any type are summed up whatever comes first`() throws {
    let every = Every()
    every.anys.append(
      objectsIn: [.string("a"), .int(1), .double(2.5), .decimal128("0.25"), .none, .bool(true)])
    try realm.write { realm.add(every) }
    let sum: AnyRealmValue = every.anys.sum()
    #expect(sum == .decimal128("3.75"))
    let average: AnyRealmValue? = every.anys.average()
    #expect(average == .decimal128("1.25"))
    let expected: [AnyRealmValue] = [
      .none, .bool(true), .decimal128("0.25"), .int(1), .double(2.5), .string("a"),
    ]
    #expect(Array(every.anys.sorted()) == expected)
    #expect(every.anys.index(of: .double(2.5)) == 2)
  }

  // Any object among values of any type was found at the position of the first.
  @Test func `objects among values of any type have their positions`() throws {
    let (first, second, third) = (Other("a"), Other("b"), Other("c"))
    let every = Every()
    every.anys.append(objectsIn: [.object(first), .int(1), .object(second)])
    every.links.append(objectsIn: [first, second])
    try realm.write {
      realm.add(every); realm.add(third)
    }
    #expect(every.anys.index(of: .object(second)) == 2)
    #expect(every.anys.index(of: .object(third)) == nil)
    #expect(every.links.index(of: second) == 1 && every.links.index(of: third) == nil)
  }

  @Test func `properties of objects are summed up and collected`() throws {
    let every = Every()
    for (name, rank) in [("b", 2), ("a", nil), ("c", 2), ("d", 7)] as [(String, Int?)] {
      let other = Other(name)
      other.rank = rank
      every.links.append(other)
    }
    every.links.append(every.links[0])
    try realm.write { realm.add(every) }
    #expect(every.links.sum(ofProperty: "rank") as Int == 13)
    #expect(every.links.average(ofProperty: "rank") as Double? == 13.0 / 4)
    #expect(every.links.max(ofProperty: "rank") as Int? == 7)
    #expect(every.links.sorted(byKeyPath: "name").map(\.name) == ["a", "b", "b", "c", "d"])
    #expect(every.links.distinct(by: ["rank"]).map(\.name) == ["b", "a", "d"])
    #expect(
      every.links.sorted(byKeyPath: "rank", ascending: false).map(\.name)
        == ["d", "b", "c", "b", "a"])
    #expect(every.links.value(forKey: "name") as? [String?] == ["b", "a", "c", "d", "b"])
    #expect(every.links.filter("rank == 2").map(\.name) == ["b", "c", "b"])
    try realm.write { every.links.setValue(1, forKey: "rank") }
    #expect(every.links.allSatisfy { $0.rank == 1 })
  }

  @Test func `linking objects follow every kind of link`() throws {
    let (every, second, other) = (Every(value: ["id": 1]), Every(value: ["id": 2]), Other("o"))
    every.links.append(objectsIn: [other, other])
    every.linkSet.insert(other)
    every.linkMap["a"] = other
    every.linkMap["b"] = other
    every.link = other
    every.spot = Spot()
    every.knots.append(Knot("k"))
    try realm.write { realm.add([every, second]) }
    #expect(other.byLink.map(\.id) == [1] && other.bySet.map(\.id) == [1])
    #expect(other.byList.map(\.id) == [1, 1])
    #expect(other.byMap.count == 2)
    #expect(every.spot?.owners.first?.id == 1)
    #expect(every.knots[0].owners.map(\.id) == [1])
    let byLink = other.byLink
    try realm.write {
      second.link = other
      #expect(byLink.map(\.id) == [1, 2])
      every.link = nil
      #expect(byLink.map(\.id) == [2])
      every.links.removeLast()
      #expect(other.byList.count == 1)
      realm.delete(every)
      #expect(other.byList.isEmpty && other.bySet.isEmpty && other.byMap.isEmpty)
    }
    #expect(byLink.filter("id == 2").count == 1 && byLink.sum(ofProperty: "id") as Int == 2)
  }

  @Test func `descriptions have their limits`() throws {
    let every = Every(value: ["ints": Array(0..<150)])
    let chain = (0..<9).map { Other("n\($0)") }
    for place in 1..<9 { chain[place - 1].next = chain[place] }
    chain[8].friends.append(chain[0])
    every.link = chain[0]
    try realm.write { realm.add(every) }
    #expect("\(every)".contains("... 50 objects skipped."))
    #expect("\(every.ints)".contains("... 50 objects skipped."))
    #expect("\(every)".contains("<Maximum depth exceeded>"))
    #expect(!"\(every)".contains("n8"))
  }
}
