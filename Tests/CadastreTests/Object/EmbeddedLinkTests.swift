import Cadastre
import Foundation
import Testing
import TestingSupport

class Town: Object {
  @Persisted var name = ""
  @Persisted(originProperty: "town") var visits: LinkingObjects<Visit>
  @Persisted(originProperty: "tour") var tours: LinkingObjects<Visit>
  @Persisted(originProperty: "town") var notes: LinkingObjects<VisitNote>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Visit: EmbeddedObject {
  @Persisted var day = 0
  @Persisted var town: Town?
  @Persisted var tour: List<Town>
  @Persisted var note: VisitNote?
  @Persisted(originProperty: "visit") var persons: LinkingObjects<Visitor>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class VisitNote: EmbeddedObject {
  @Persisted var text = ""
  @Persisted var town: Town?
  @Persisted(originProperty: "note") var visits: LinkingObjects<Visit>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Keeps visits in its own row.
class Visitor: Object {
  @Persisted var visit: Visit?
  @Persisted var second: Visit?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Keeps tallies in its own row, and in rows of theirs.
class Ferry: Object {
  @Persisted var tally: Tally?
  @Persisted var tallies: List<Tally>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Stores a tally at the same location of its row as a ferry.
class Bridge: Object {
  @Persisted var tally: Tally?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Tally: EmbeddedObject {
  @Persisted var number = 0
  @Persisted var town: TallyTown?
  @Persisted(originProperty: "tally") var ferries: LinkingObjects<Ferry>
  @Persisted(originProperty: "tallies") var listing: LinkingObjects<Ferry>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TallyTown: Object {
  @Persisted var name = ""
  @Persisted(originProperty: "town") var tallies: LinkingObjects<Tally>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldStop: EmbeddedObject {
  let towns = List<OldTown>()

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldTown: Object {
  let number = RealmProperty<Int?>()
  let stops = LinkingObjects(fromType: OldStop.self, property: "towns")

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldTrip: Object {
  @Persisted var stop: OldStop?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Linking objects that are embedded in the rows of their owners.
@Suite struct EmbeddedLinkTests {
  static func open(_ types: ObjectBase.Type...) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: types))
  }

  static func visits() throws -> (Realm, [Town], [Visitor]) {
    let realm = try open(Town.self, Visit.self, VisitNote.self, Visitor.self)
    let towns = ["Ulm", "Bern"].map { Town(value: ["name": $0]) }
    let visitors = [
      Visitor(value: [
        "visit": ["day": 1, "town": towns[0], "note": ["text": "n1", "town": towns[1]]],
        "second": ["day": 2, "town": towns[0], "tour": [towns[1], towns[0], towns[1]]],
      ]),
      Visitor(value: ["visit": ["day": 3, "town": towns[1]], "second": ["day": 4]]),
    ]
    try realm.write {
      realm.add(towns)
      realm.add(visitors)
    }
    return (realm, towns, visitors)
  }

  @Test func `embedded objects that link are found wherever their owners keep them`() throws {
    let (_, towns, visitors) = try Self.visits()
    #expect(towns[0].visits.map(\.day).sorted() == [1, 2])
    #expect(towns[1].visits.map(\.day) == [3])
    #expect(towns[0].visits.contains { $0.isSameObject(as: visitors[0].second) })
    #expect(towns[1].tours.map(\.day) == [2, 2] && towns[0].tours.map(\.day) == [2])
    #expect(towns[1].notes.map(\.text) == ["n1"] && towns[0].notes.isEmpty)
    #expect(towns[1].visits.first?.day == 3 && towns[1].visits.last?.day == 3)
    #expect(towns[1].visits.value(forKey: "day") as? [Int?] == [3])
    #expect(towns[0].visits == towns[0].visits && towns[0].visits != towns[1].visits)
    let second = try #require(visitors[0].second)
    #expect(towns[0].visits.index(of: second) == towns[0].visits.firstIndex { $0.day == 2 })
    #expect(towns[1].visits.index(of: second) == nil)
    #expect(towns[0].visits.description.contains("day = 2;"))
  }

  @Test func `an embedded object names its owner`() throws {
    let (_, _, visitors) = try Self.visits()
    #expect(visitors[0].visit?.persons.map { $0.visit?.day } == [1])
    // The property that is followed is another one.
    #expect(visitors[0].second?.persons.isEmpty == true)
    #expect(visitors[1].visit?.persons.first?.isSameObject(as: visitors[1]) == true)
    #expect(visitors[0].visit?.note?.visits.map(\.day) == [1])
    #expect(visitors[0].visit?.note?.visits.first?.isSameObject(as: visitors[0].visit) == true)
  }

  @Test func `linking objects follow the Realm`() throws {
    let (realm, towns, visitors) = try Self.visits()
    let (ulm, bern) = (towns[0].visits, towns[1].visits)
    #expect(ulm.count == 2 && bern.count == 1)
    try realm.write {
      ulm.first { $0.day == 2 }?.day = 20
      #expect(visitors[0].second?.day == 20)
      visitors[0].second?.town = towns[1]
      #expect(ulm.map(\.day) == [1] && bern.map(\.day).sorted() == [3, 20])
      visitors[0].visit = nil
      #expect(ulm.isEmpty && towns[1].notes.isEmpty)
      visitors[0].visit = Visit(value: ["day": 5, "town": towns[0]])
      #expect(ulm.map(\.day) == [5])
      realm.delete(visitors[1])
      #expect(bern.map(\.day) == [20])
      realm.delete(towns[1])
    }
    #expect(bern.isInvalidated && visitors[0].second?.town == nil)
    #expect(visitors[0].second?.tour.map(\.name) == ["Ulm"])
  }

  @Test func `objects in rows of their own are not taken for those in their owners' rows`() throws {
    let realm = try Self.open(TallyTown.self, Tally.self, Ferry.self, Bridge.self)
    let town = TallyTown(value: ["name": "Ulm"])
    let ferry = Ferry(value: [
      "tally": ["number": 1, "town": town], "tallies": [["number": 2, "town": town]],
    ])
    let bridge = Bridge(value: ["tally": ["number": 3, "town": town]])
    try realm.write {
      realm.add(ferry)
      realm.add(bridge)
    }
    #expect(town.tallies.map(\.number).sorted() == [1, 2, 3])
    // All of them are in rows with the key 1.
    #expect(ferry.tally?.ferries.first?.isSameObject(as: ferry) == true)
    #expect(ferry.tally?.listing.isEmpty == true)
    #expect(ferry.tallies[0].listing.first?.isSameObject(as: ferry) == true)
    #expect(ferry.tallies[0].ferries.isEmpty)
    #expect(bridge.tally?.ferries.isEmpty == true && bridge.tally?.listing.isEmpty == true)
    #expect(town.tallies.index(of: ferry.tallies[0]) == town.tallies.firstIndex { $0.number == 2 })
  }

  @Test func `a model without wrapped properties`() throws {
    let realm = try Self.open(OldTrip.self, OldStop.self, OldTown.self)
    let (town, trip) = (OldTown(), OldTrip())
    let stop = OldStop()
    stop.towns.append(town)
    trip.stop = stop
    #expect(town.stops.isEmpty)
    try realm.write { realm.add(trip) }
    #expect(town.stops.count == 1 && town.stops[0].isSameObject(as: trip.stop))
    try realm.write { trip.stop?.towns.removeAll() }
    #expect(town.stops.isEmpty)
  }

  @Test(arguments: [
    ("visits.@count == 2", ["Ulm"]), ("ANY visits.day == 3", ["Bern"]),
    ("@links.Visit.town.@count > 0", ["Ulm", "Bern"]), ("ANY notes.text == 'n1'", ["Bern"]),
    ("ANY tours.day == 2", ["Ulm", "Bern"]), ("ANY visits.persons.visit.day == 1", ["Ulm"]),
  ])
  func `conditions lead to objects in their owners' rows`(text: String, names: [String]) throws {
    let towns = try Self.visits().0.objects(Town.self)
    #expect(towns.filter(text).map(\.name) == names)
  }

  @Test func `conditions lead from objects in their owners' rows`() throws {
    let visitors = try Self.visits().0.objects(Visitor.self)
    #expect(visitors.filter("visit.persons.@count == 1").count == 2)
    #expect(visitors.filter("second.persons.@count == 1").isEmpty)
    let error = #expect(throws: QueryPredicateError.self) {
      try visitors.filter(parsing: "visit.@links.@count == 1")
    }
    #expect(error?.description.contains("which alone link to them") == true)
  }

  @Test func `objects in their owners' rows are queried`() throws {
    let towns = try Self.visits().1
    #expect(towns[0].visits.filter("day > 1").map(\.day) == [2])
  }
}
