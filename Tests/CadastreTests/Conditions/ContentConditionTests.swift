import CadastreTestSupport
import Foundation
import Testing

@testable import Cadastre

/// Property: whole collections, and embedded objects with collections, compare by the laws of equality.
@Suite struct ContentConditionTests {
  private static func checks(seed: UInt64) throws -> (ConditionChecks<Every>, ContentMaker) {
    let checks = try RandomEveries.checks(seed: seed, count: 12)
    var maker = ContentMaker(
      random: SeededGenerator(seed: seed), others: Array(checks.realm.objects(Other.self)))
    try checks.realm.write {
      for every in checks.objects {
        every.knot = maker.random.oneIn(4) ? nil : maker.knot()
        for _ in 0..<maker.random.below(3) { every.anySet.insert(maker.scalar()) }
        if maker.random.oneIn(3) { every.any = maker.mixed(depth: 0) }
        if maker.random.oneIn(3) { every.spot?.knot = maker.knot() }
      }
    }
    return (checks, maker)
  }

  @Test(arguments: Seeds.usual(1...6))
  func `lists and sets of values`(seed: UInt64) throws {
    var (checks, maker) = try Self.checks(seed: seed)
    for _ in 0..<4 {
      let every = maker.random.pick(checks.objects)
      let ints = maker.changed(Array(every.ints)) { $0.below(5) }
      try checks.expect(matches: { Array($0.ints) == ints }) { $0.ints == ints }
      try checks.expect(matches: { Array($0.ints) != ints }) { $0.ints != ints }
      let optional = maker.changed(Array(every.optionalInts)) { $0.oneIn(2) ? nil : $0.below(5) }
      try checks.expect(matches: { Array($0.optionalInts) == optional }) {
        $0.optionalInts == optional
      }
      let strings = maker.changed(Array(every.strings)) { $0.pick(RandomEveries.texts) }
      try checks.expect(matches: { Array($0.strings) == strings }) { $0.strings == strings }
      let grades = Array(every.grades)
      try checks.expect(matches: { Array($0.grades) == grades }) { $0.grades == grades }
      let anys = maker.changed(Array(every.anys)) { .int($0.below(4)) }
      try checks.expect(matches: { ContentLaws.areEqual(Array($0.anys), anys) }) {
        $0.anys == anys
      }
      let intSet = maker.changed(Array(every.intSet)) { $0.below(5) } + every.intSet.prefix(1)
      try checks.expect(matches: { Set($0.intSet) == Set(intSet) }) { $0.intSet == intSet }
      try checks.expect(matches: { Set($0.intSet) != Set(intSet) }) { $0.intSet != intSet }
      let anySet = maker.changed(Array(every.anySet)) { .string($0.pick(RandomEveries.texts)) }
      try checks.expect(matches: { ContentLaws.areSame(Array($0.anySet), anySet) }) {
        $0.anySet == anySet
      }
    }
  }

  @Test(arguments: Seeds.usual(11...16))
  func `lists, sets and maps of links, and maps of values`(seed: UInt64) throws {
    var (checks, maker) = try Self.checks(seed: seed)
    let others = maker.others
    for _ in 0..<4 {
      let every = maker.random.pick(checks.objects)
      let links = maker.changed(Array(every.links)) { $0.pick(others) }
      try checks.expect(matches: { Array($0.links) == links }) { $0.links == links }
      try checks.expect(matches: { Array($0.links) != links }) { $0.links != links }
      let linkSet = maker.changed(Array(every.linkSet)) { $0.pick(others) }
      try checks.expect(matches: { Set($0.linkSet) == Set(linkSet) }) { $0.linkSet == linkSet }
      let linkMap = maker.changed(every.linkMap) { $0.oneIn(3) ? nil : $0.pick(others) }
      try checks.expect(matches: { ContentLaws.entries($0.linkMap) == linkMap }) {
        $0.linkMap == linkMap
      }
      let intMap = maker.changed(every.intMap) { $0.below(5) }
      try checks.expect(matches: { ContentLaws.entries($0.intMap) == intMap }) {
        $0.intMap == intMap
      }
      try checks.expect(matches: { ContentLaws.entries($0.intMap) != intMap }) {
        $0.intMap != intMap
      }
      let stringMap = maker.changed(every.stringMap) {
        $0.oneIn(3) ? nil : $0.pick(RandomEveries.texts)
      }
      try checks.expect(matches: { ContentLaws.entries($0.stringMap) == stringMap }) {
        $0.stringMap == stringMap
      }
      let anyMap = ContentLaws.entries(every.anyMap)
      try checks.expect(matches: {
        ContentLaws.areEqual(ContentLaws.entries($0.anyMap), anyMap)
      }) { $0.anyMap == anyMap }
    }
  }

  @Test(arguments: Seeds.usual(21...28))
  func `embedded objects with collections, and collections of them`(seed: UInt64) throws {
    var (checks, maker) = try Self.checks(seed: seed)
    for _ in 0..<4 {
      let every = maker.random.pick(checks.objects)
      let knot = every.knot.map(maker.copy) ?? maker.knot()
      if maker.random.oneIn(3) { knot.numbers.append(1) }
      try checks.expect(matches: { ContentLaws.areEqual($0.knot, knot) }) { $0.knot == knot }
      try checks.expect(matches: { !ContentLaws.areEqual($0.knot, knot) }) { $0.knot != knot }
      let spot = every.spot.map(maker.copy) ?? Spot()
      if maker.random.oneIn(3) { spot.words.append("a") }
      try checks.expect(matches: { ContentLaws.areEqual($0.spot, spot) }) { $0.spot == spot }
      try checks.expect(matches: { !ContentLaws.areEqual($0.spot, spot) }) { $0.spot != spot }
      var knots = Array(every.knots).map(maker.copy)
      if maker.random.oneIn(4) { knots.append(maker.knot()) }
      try checks.expect(matches: { ContentLaws.areEqual(Array($0.knots), knots) }) {
        $0.knots == knots
      }
      try checks.expect(matches: { !ContentLaws.areEqual(Array($0.knots), knots) }) {
        $0.knots != knots
      }
      let map = ContentLaws.entries(every.knotMap).mapValues { $0.map(maker.copy) }
      try checks.expect(matches: { every in
        let found = ContentLaws.entries(every.knotMap)
        return found.keys == map.keys
          && found.allSatisfy { ContentLaws.areEqual($0.value, map[$0.key] ?? nil) }
      }) { $0.knotMap == map }
      // Those of a Realm, too.
      try checks.expect(
        "knots == %@", PredicateArgument.memberwise(every.knots),
        matches: { ContentLaws.areEqual(Array($0.knots), Array(every.knots)) }
      ) { $0.knots == every.knots }
      try checks.expect(
        "knotMap == %@", ContentLaws.entries(every.knotMap),
        matches: { other in
          let (found, wanted) = (
            ContentLaws.entries(other.knotMap), ContentLaws.entries(every.knotMap)
          )
          return found.keys == wanted.keys
            && found.allSatisfy { ContentLaws.areEqual($0.value, wanted[$0.key] ?? nil) }
        }
      ) { $0.knotMap == every.knotMap }
    }
  }

  @Test(arguments: Seeds.usual(31...34))
  func `values of any type with lists, maps and links`(seed: UInt64) throws {
    var (checks, maker) = try Self.checks(seed: seed)
    for _ in 0..<6 {
      let value =
        maker.random.oneIn(4) ? maker.mixed(depth: 0) : maker.random.pick(checks.objects).any
      try checks.expect(matches: { ContentLaws.areEqual($0.any, value) }) { $0.any == value }
      try checks.expect(matches: { !ContentLaws.areEqual($0.any, value) }) { $0.any != value }
      try checks.expect(matches: {
        ContentLaws.areEqual($0.any, value) || ContentLaws.areEqual($0.any, .int(1))
      }) { $0.any.in([value, .int(1)]) }
    }
  }

  @Test func `texts and expressions are the same conditions`() throws {
    let (checks, maker) = try Self.checks(seed: 7)
    let (one, other) = (maker.others[0], maker.others[1])
    try checks.expect("ints == {1, 2}", matches: { Array($0.ints) == [1, 2] }) {
      $0.ints == [1, 2]
    }
    try checks.expect("ints != {}", matches: { !$0.ints.isEmpty }) { $0.ints != [] }
    try checks.expect("ints == %@", [1, 2], matches: { Array($0.ints) == [1, 2] }) {
      $0.ints == [1, 2]
    }
    try checks.expect("links == %@", [one, other], matches: { Array($0.links) == [one, other] }) {
      $0.links == [one, other]
    }
    try checks.expect("links == {}", matches: { $0.links.isEmpty }) { $0.links == [] }
    try checks.expect(
      "intMap == map('k': 1)", matches: { ContentLaws.entries($0.intMap) == ["k": 1] }
    ) {
      $0.intMap == ["k": 1]
    }
    try checks.expect(
      "intMap == %@", ["k": 1], matches: { ContentLaws.entries($0.intMap) == ["k": 1] }
    ) {
      $0.intMap == ["k": 1]
    }
    try checks.expect("intMap == {}", matches: { $0.intMap.isEmpty }) { $0.intMap == [:] }
    try checks.expect(
      "linkMap == %@", ["k": one, "l": nil] as [String: Other?],
      matches: {
        ContentLaws.entries($0.linkMap) == ["k": one, "l": nil]
      }
    ) { $0.linkMap == ["k": one, "l": nil] }
    let knot = Knot("a")
    try checks.expect(
      "knots == %@", [knot], matches: { ContentLaws.areEqual(Array($0.knots), [knot]) }
    ) {
      $0.knots == [knot]
    }
    try checks.expect("knot == %@", knot, matches: { ContentLaws.areEqual($0.knot, knot) }) {
      $0.knot == knot
    }
    try checks.expect(
      "knot IN %@", [knot, nil] as [Knot?],
      matches: {
        $0.knot == nil || ContentLaws.areEqual($0.knot, knot)
      }
    ) { $0.knot.in([knot, nil]) }
    let list = AnyRealmValue.fromArray([.int(1), .object(one)])
    try checks.expect("#any == %@", list, matches: { ContentLaws.areEqual($0.any, list) }) {
      $0.any == list
    }
    let numbers = [1, 2]
    try checks.expect(#Predicate { $0.ints == [1, 2] }, is: "ints == {1, 2}")
    try checks.expect(#Predicate { $0.ints != numbers }, is: "ints != {1, 2}")
    try checks.expect(#Predicate { $0.intSet == numbers }, is: "intSet == {1, 2}")
    try checks.expect(#Predicate { $0.intMap == ["k": 1] }, is: "intMap == map('k': 1)")
    try checks.expect(#Predicate { !($0.intMap != ["k": 1]) }, is: "intMap == map('k': 1)")
    try checks.expect(
      #Predicate { $0.knots.contains { $0.numbers == [1] } },
      is: "SUBQUERY(knots, $k, $k.numbers == {1}).@count > 0")
  }

  @Test func `collections of objects in a collection are compared in a subquery`() throws {
    let (checks, maker) = try Self.checks(seed: 8)
    let friends = [maker.others[0]]
    try checks.expect(
      "SUBQUERY(links, $x, $x.friends == %@).@count > 0", friends,
      matches: { $0.links.contains { Array($0.friends) == friends } }
    ) { $0.links.friends == friends }
    try checks.expect(matches: { $0.links.contains { Array($0.friends) != friends } }) {
      $0.links.friends != friends
    }
    try checks.expect(matches: { $0.knots.count { Array($0.numbers) == [1] } == 1 }) {
      ($0.knots.numbers == [1]).count == 1
    }
    try checks.expect(matches: { $0.knots.first.map { Array($0.numbers) == [1] } ?? false }) {
      $0.knots[0].numbers == [1]
    }
  }

  @Test func `objects that no Realm manages are equal to nothing`() throws {
    let (checks, _) = try Self.checks(seed: 9)
    let stranger = Other("stranger")
    try checks.expect(matches: { _ in false }) { $0.links == [stranger] }
    try checks.expect(matches: { _ in true }) { $0.linkSet != [stranger] }
    try checks.expect(matches: { _ in false }) { $0.linkMap == ["k": stranger] }
    let list = AnyRealmValue.fromArray([.object(stranger)])
    try checks.expect(matches: { _ in false }) { $0.any == list }
    let knot = Knot("a")
    knot.seen = stranger
    try checks.expect(matches: { _ in false }) { $0.knot == knot }
  }

  @Test func `texts refuse embedded objects by identity in whole collections`() throws {
    let (checks, _) = try Self.checks(seed: 10)
    let knots = checks.objects.flatMap { Array($0.knots) }
    #expect(throws: QueryPredicateError.self) { try checks.bound("knots == %@", [knots]) }
    #expect(throws: QueryPredicateError.self) {
      try checks.bound("knots == %@", [[knots[0], nil] as [Knot?]])
    }
    #expect(throws: QueryPredicateError.self) {
      try checks.bound("knotMap == map('k': objKey('Knot', 1))")
    }
    #expect(throws: QueryPredicateError.self) { try checks.bound("ints == {'a'}") }
  }

  @Test func `null in a map of embedded objects is unequal to every object`() throws {
    let realm = try everyRealm()
    let maps: [[String: String?]] = [
      [:], ["a": nil], ["a": "x"], ["a": nil, "b": "x"], ["a": "x", "b": "y"],
    ]
    try realm.write {
      for (id, texts) in maps.enumerated() {
        let every = Every()
        every.id = id
        for (key, text) in texts { every.knotMap[key] = .some(text.map { Knot($0) }) }
        realm.add(every)
      }
    }
    for (text, ids) in [
      ("ALL knotMap == {'text': 'x'}", [0, 2]), ("ANY knotMap == {'text': 'x'}", [2, 3, 4]),
      ("NONE knotMap == {'text': 'x'}", [0, 1]), ("ANY knotMap != {'text': 'x'}", [1, 3, 4]),
      ("NONE knotMap != {'text': 'x'}", [0, 2]), ("ALL knotMap != {'text': 'x'}", [0, 1]),
      ("knotMap != {'text': 'x'}", [1]),
    ] {
      #expect(
        try realm.objects(Every.self).filter(parsing: text).map(\.id) == ids, "\(text)")
    }
  }

  @Test func `embedded objects that lead back to themselves, or to too many, are refused`() throws {
    let all = try everyRealm().objects(Every.self)
    let cycle = Knot("a")
    cycle.next = cycle
    defer { cycle.next = nil }
    func chain(_ count: Int, _ link: (Knot, Knot) -> Void) -> Knot {
      (1..<count).reduce(Knot("end")) { inner, _ in
        let outer = Knot("link")
        link(outer, inner)
        return outer
      }
    }
    let shared = chain(20) { outer, inner in outer.more.append(objectsIn: [inner, inner]) }
    let deep = chain(10_000) { outer, inner in outer.next = inner }
    // A long chain is released link by link, which needs no stack.
    defer {
      var knot: Knot? = deep
      while let next = knot?.next {
        knot?.next = nil
        knot = next
      }
    }
    for (knot, found) in [
      (cycle, "more than 32 embedded"), (deep, "more than 32 embedded"),
      (shared, "more than 100000 members"),
    ] {
      let owner = Spot()
      owner.knot = knot
      let argument = AnyRealmValue.fromArray([.object(Other("x"))])
      let attempts: [() throws -> Void] = [
        { _ = try all.filter(parsing: "knot == %@", arguments: [knot]) },
        { _ = try all.filter(parsing: "knot IN %@", arguments: [[knot, nil] as [Knot?]]) },
        { _ = try all.filter(parsing: "spot != %@", arguments: [owner]) },
        { _ = try all.filter(parsing: "knots == %@", arguments: [[knot]]) },
        { _ = try all.where(checking: { $0.knot == knot }) },
        { _ = try all.where(checking: { $0.knotMap == ["k": knot] || $0.any == argument }) },
        { _ = try all.where(checking: { $0.knots.equalsMemberwise(knot) }) },
      ]
      for (number, attempt) in attempts.enumerated() {
        let error = #expect(throws: QueryPredicateError.self, "\(number)") { try attempt() }
        #expect(error?.message.contains(found) == true, "\(number): \(error?.message ?? "")")
      }
    }
    #expect(try all.filter(parsing: "knot == %@", arguments: [chain(32) { $0.next = $1 }]).isEmpty)
    #expect(throws: QueryPredicateError.self) {
      try all.filter(parsing: "knot == %@", arguments: [chain(33) { $0.next = $1 }])
    }
  }

  @Test func `a NaN is equal to no constant, and null to null only`() throws {
    let realm = try everyRealm()
    let checks = ConditionChecks<Every>(realm: realm)
    try realm.write {
      for (id, doubles) in [[.nan], [nil], [0.0], [-0.0, 1], []].enumerated() {
        let every = Every()
        every.id = id
        every.doubles.append(objectsIn: doubles as [Double?])
        realm.add(every)
      }
    }
    try checks.expect(matches: { _ in false }) { $0.doubles == [.nan] }
    try checks.expect(matches: { $0.id == 1 }) { $0.doubles == [nil] }
    try checks.expect(matches: { $0.id == 2 }) { $0.doubles == [-0.0] }
    try checks.expect(matches: { $0.id == 3 }) { $0.doubles == [0, 1] }
    try checks.expect(matches: { $0.id == 4 }) { $0.doubles == [] }
  }

  @Test func `a change of an element changes the result`() throws {
    let realm = try everyRealm()
    try realm.write {
      for id in 0..<3 {
        let every = Every()
        every.id = id
        every.ints.append(objectsIn: [1, 2])
        every.intMap["k"] = 1
        every.spot = Spot()
        every.spot?.words.append("a")
        every.knots.append(Knot("k"))
        every.knots[0].more.append(Knot("m"))
        realm.add(every)
      }
    }
    let all = realm.objects(Every.self)
    let knot = Knot("k")
    knot.more.append(Knot("m"))
    let spot = Spot()
    spot.words.append("a")
    let results = [
      all.where { $0.ints == [1, 2] }, all.where { $0.intMap == ["k": 1] },
      all.where { $0.spot == spot }, all.where { $0.knots == [knot] },
    ]
    #expect(results.map(\.count) == [3, 3, 3, 3])
    try realm.write {
      all[0].ints[1] = 3
      all[0].intMap["k"] = 2
      all[0].spot?.words[0] = "b"
      all[0].knots[0].more[0].text = "n"
    }
    for result in results { #expect(result.map(\.id) == [1, 2]) }
    try realm.write {
      all[1].ints.append(3)
      all[1].intMap["l"] = 1
      all[1].spot?.words.removeAll()
      all[1].knots[0].more.append(Knot("m"))
      all[0].ints[1] = 2
      all[0].intMap["k"] = 1
      all[0].spot?.words[0] = "a"
      all[0].knots[0].more[0].text = "m"
    }
    for result in results { #expect(result.map(\.id) == [0, 2]) }
  }

  @Test func `indexes of links and of members are used`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: EveryFile.types + [IndexedStops.self, IndexedStop.self]))
    try realm.write {
      let others = (0..<40).map { Other("\($0)") }
      realm.add(others)
      for id in 0..<400 {
        let stops = IndexedStops()
        stops.id = id
        for number in 0..<2 {
          let stop = IndexedStop()
          stop.name = "\(id + number)"
          stops.stops.append(stop)
        }
        stops.others.append(objectsIn: [others[id % 40], others[(id + 1) % 40]])
        realm.add(stops)
      }
    }
    let stops = ["7", "8"].map { IndexedStop(value: ["name": $0]) }
    let byStops = realm.objects(IndexedStops.self).where { $0.stops == stops }
    #expect(byStops.map(\.id) == [7])
    #expect(byStops.explain().contains("LinkSearch"), "\(byStops.explain())")
    let others = Array(realm.objects(Other.self).where { $0.name == "7" || $0.name == "8" })
    let byOthers = realm.objects(IndexedStops.self).where { $0.others == others }
    #expect(byOthers.map(\.id) == Array(stride(from: 7, to: 400, by: 40)))
    #expect(byOthers.explain().contains("LinkSearch"), "\(byOthers.explain())")
  }
}

class IndexedStops: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var stops: List<IndexedStop>
  @Persisted var others: List<Other>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class IndexedStop: EmbeddedObject {
  @Persisted(indexed: true) var name = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
