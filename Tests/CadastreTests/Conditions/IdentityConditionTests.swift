import Cadastre
import Foundation
import Testing
import TestingSupport

/// Conditions that compare embedded objects with one of them, which is equal to itself only.
@Suite struct IdentityConditionTests {
  private let shelves: ConditionChecks<Shelf>
  private let everies: ConditionChecks<Every>
  private var realm: Realm { shelves.realm }

  init() throws {
    let realm = try Self.realm()
    shelves = ConditionChecks(realm: realm)
    everies = ConditionChecks(realm: realm)
  }

  /// Five objects that hold the same, and one that holds nothing; shelves hold some of them.
  private static func realm() throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes:
          EveryFile.types + [Shelf.self, Place.self, Mark.self]))
    try realm.write {
      let all = (0..<6).map(Self.every)
      realm.add(all)
      for (id, held) in [[0, 1], [1, 2, 5], [], [4]].enumerated() {
        let shelf = Shelf()
        shelf.id = id
        shelf.first = held.first.map { all[$0] }
        shelf.held.append(objectsIn: held.map { all[$0] })
        for place in held { shelf.named["\(place)"] = all[place] }
        shelf.any = shelf.first.map { .object($0) } ?? .none
        realm.add(shelf)
      }
    }
    return realm
  }

  private static func every(_ id: Int) -> Every {
    let every = Every()
    every.id = id
    guard id < 5 else { return every }
    every.spot = Spot()
    every.spot?.knot = Knot("k")
    every.knot = Knot("k")
    every.knot?.next = Knot("k")
    every.knots.append(objectsIn: [Knot("k"), Knot("k")])
    every.knotMap["a"] = Knot("k")
    every.knotMap["b"] = .some(nil)
    return every
  }

  private var one: Every { everies.objects[1] }

  @Test func `in the row of the owner`() throws {
    let spot = try #require(one.spot)
    try everies.expect("spot == %@", spot, matches: { $0.id == 1 }) { $0.spot == spot }
    try everies.expect("spot != %@", spot, matches: { $0.id != 1 }) { $0.spot != spot }
    try everies.expect("spot IN %@", [spot], matches: { $0.id == 1 }) { $0.spot.in([spot]) }
    let two = everies.objects[2].spot
    try everies.expect(matches: { [1, 2].contains($0.id) }) { $0.spot.in([spot, two]) }
    try everies.expect(matches: { [1, 5].contains($0.id) }) { $0.spot.in([spot, nil]) }
    try everies.expect(matches: { $0.id == 1 }) { $0.spot == spot && $0.spot.name == "spot" }
    #expect(try everies.bound("%@ == spot", [spot]) == everies.bound("spot == %@", [spot]))
  }

  @Test func `in rows of their own`() throws {
    let knot = try #require(one.knot)
    try everies.expect("knot == %@", knot, matches: { $0.id == 1 }) { $0.knot == knot }
    try everies.expect("knot != %@", knot, matches: { $0.id != 1 }) { $0.knot != knot }
    // Of the same class, but at another location.
    for path in ["knot.next", "spot.knot", "ANY knots", "knots[0]", "knotMap['a']"] {
      #expect(everies.realm.objects(Every.self).filter("\(path) == %@", knot).isEmpty)
    }
    let next = knot.next
    try everies.expect("knot.next == %@", next, matches: { $0.id == 1 }) { $0.knot.next == next }
    let inner = one.spot?.knot
    try everies.expect("spot.knot == %@", inner, matches: { $0.id == 1 }) {
      $0.spot.knot == inner
    }
    try everies.expect(matches: { $0.id != 1 }) { $0.spot.knot != inner }
  }

  @Test func `in lists and maps`() throws {
    let (knot, last) = (one.knots[0], one.knots[1])
    try everies.expect("ANY knots == %@", knot, matches: { $0.id == 1 }) { $0.knots == knot }
    // Another one is there as well.
    try everies.expect("ANY knots != %@", knot, matches: { $0.id < 5 }) { $0.knots != knot }
    try everies.expect("%@ IN knots", knot, matches: { $0.id == 1 }) { $0.knots.contains(knot) }
    try everies.expect(matches: { $0.id == 1 }) { $0.knots.containsAny(in: [knot, last]) }
    try everies.expect("knots[0] == %@", knot, matches: { $0.id == 1 }) { $0.knots[0] == knot }
    try everies.expect(matches: { _ in false }) { $0.knots[0] == last }
    let named = try #require(one.knotMap["a"])
    try everies.expect("ANY knotMap == %@", named, matches: { $0.id == 1 }) {
      $0.knotMap.contains(named)
    }
    try everies.expect("knotMap['a'] == %@", named, matches: { $0.id == 1 }) {
      $0.knotMap["a"] == named
    }
    try everies.expect(matches: { _ in true }) { $0.knotMap["b"] != named }
    let all = everies.realm.objects(Every.self)
    #expect(all.filter("ALL knots != %@", knot).map(\.id) == [0, 2, 3, 4, 5])
    #expect(all.filter("NONE knots == %@", knot).map(\.id) == [0, 2, 3, 4, 5])
    #expect(all.filter("ANY knots IN %@", [knot, last]).map(\.id) == [1])
    #expect(one.knots.where { $0.text == "k" }.count == 2)
  }

  @Test func `behind links`() throws {
    let (spot, knot, listed) = (one.spot, one.knot, one.knots[1])
    try shelves.expect("first.spot == %@", spot, matches: { $0.id == 1 }) {
      $0.first.spot == spot
    }
    try shelves.expect(matches: { $0.id != 1 }) { $0.first.spot != spot }
    try shelves.expect("first.knot == %@", knot, matches: { $0.id == 1 }) {
      $0.first.knot == knot
    }
    try shelves.expect("ANY held.spot == %@", spot, matches: { $0.id < 2 }) { $0.held.spot == spot }
    try shelves.expect("ANY held.spot != %@", spot, matches: { $0.id != 2 }) {
      $0.held.spot != spot
    }
    try shelves.expect("ANY held.knot == %@", knot, matches: { $0.id < 2 }) { $0.held.knot == knot }
    try shelves.expect("ANY held.knots == %@", listed, matches: { $0.id < 2 }) {
      $0.held.knots == listed
    }
    try shelves.expect("ANY named.@values.spot == %@", spot, matches: { $0.id < 2 }) {
      $0.named.spot == spot
    }
    try shelves.expect(matches: { $0.id < 2 }) {
      ($0.held.spot == spot && $0.held.id > 0).count > 0
    }
    let all = realm.objects(Shelf.self)
    #expect(all.filter("#any.spot == %@", spot).map(\.id) == [1])
    #expect(all.filter("#any.knot == %@ OR #any == %@", knot, knot).map(\.id) == [1])
    #expect(all.filter("ALL held.spot == %@", spot).map(\.id) == [2])
    #expect(all.filter("held[0].spot == %@", spot).map(\.id) == [1])
  }

  @Test func `indexes of links find those in rows of their own`() throws {
    let all = realm.objects(Every.self)
    let (knot, listed) = (one.knot, one.knots[0])
    for results in [
      all.filter("knot == %@", knot), all.where { $0.knots.contains(listed) },
      all.filter("ANY knots IN %@", [listed]),
    ] {
      #expect(results.explain().contains("LinkSearch"), "\(results.explain())")
      #expect(results.map(\.id) == [1])
    }
  }

  @Test func `one that was deleted or replaced is equal to nothing`() throws {
    let (spot, knot) = (try #require(one.spot), try #require(one.knot))
    let all = realm.objects(Every.self)
    let (withSpot, withKnot) = (all.where { $0.spot == spot }, all.where { $0.knot == knot })
    #expect(withSpot.map(\.id) == [1] && withKnot.map(\.id) == [1])
    try realm.write {
      one.spot = Spot()
      one.knot = Knot("k")
    }
    #expect(withSpot.isEmpty && withKnot.isEmpty)
    try everies.expect(matches: { _ in false }) { $0.spot == spot }
    try everies.expect(matches: { _ in true }) { $0.spot != spot }
    try everies.expect(matches: { _ in false }) { $0.knot == knot }
    let new = try #require(one.spot)
    try everies.expect(matches: { $0.id == 1 }) { $0.spot == new }
    try realm.write { realm.delete(one) }
    try everies.expect(matches: { _ in false }) { $0.spot == new }
  }

  @Test func `one of another Realm stops the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, other) = (try Self.realm(), try Self.realm())
      let spot = try #require(other.objects(Every.self)[1].spot)
      _ = realm.objects(Every.self).where { $0.spot == spot }
    }
    expectStop(result, says: "Object must be from the Realm being queried: 'Spot' is not")
  }

  @Test func `texts name them, and read back`() throws {
    let spot = try #require(one.spot)
    let condition = try everies.bound("NOT spot == %@", [spot])
    #expect(try "\(everies.bound("\(condition)"))" == "\(condition)")
    #expect("\(condition)".contains(", 'Every', 2, 'spot')"))
    #expect(throws: QueryPredicateError.self) { try everies.bound("knot == %@", [spot]) }
    #expect(throws: QueryPredicateError.self) { try everies.bound("link == %@", [spot]) }
    #expect(throws: QueryPredicateError.self) { try everies.bound("id == %@", [spot]) }
    #expect(throws: QueryPredicateError.self) { try everies.bound("spot < %@", [spot]) }
  }

  @Test func `members are compared by equalsMemberwise`() throws {
    let (same, other) = (Mark(value: ["x": 1]), Mark(value: ["x": 2]))
    try realm.write {
      for id in 0..<3 {
        let place = Place()
        place.id = id
        place.mark = id == 2 ? nil : Mark(value: ["x": 1])
        place.marks.append(objectsIn: (0..<id).map { Mark(value: ["x": $0]) })
        place.named["m"] = place.mark.map { Mark(value: $0) }
        realm.add(place)
      }
    }
    let places = ConditionChecks<Place>(realm: realm)
    let members = PredicateArgument.memberwise(same)
    try places.expect("mark == %@", members, matches: { $0.id < 2 }) {
      $0.mark.equalsMemberwise(same)
    }
    try places.expect("marks == %@", members, matches: { $0.id == 2 }) {
      $0.marks.equalsMemberwise(same)
    }
    try places.expect(matches: { _ in false }) { $0.mark.equalsMemberwise(other) }
    try places.expect(matches: { $0.id < 2 }) { $0.named.equalsMemberwise(same) }
    try places.expect(matches: { $0.id < 2 }) { $0.named["m"].equalsMemberwise(same) }
    // One that is stored has members too.
    let stored = try #require(places.objects[0].mark)
    try places.expect(matches: { $0.id < 2 }) { $0.mark.equalsMemberwise(stored) }
    try places.expect(matches: { $0.id == 0 }) { $0.mark == stored }
  }
}

class Shelf: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var first: Every?
  @Persisted var held: List<Every>
  @Persisted var named: Map<String, Every?>
  @Persisted var any: AnyRealmValue

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Mark: EmbeddedObject {
  @Persisted var x = 0
  @Persisted var text: String?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Place: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var mark: Mark?
  @Persisted var marks: List<Mark>
  @Persisted var named: Map<String, Mark?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
