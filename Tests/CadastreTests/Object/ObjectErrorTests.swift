import Cadastre
import Foundation
import Testing
import TestingSupport

extension Airport {
  var title: String { name + country }
  var plain: String { "plain" }
}

/// Programming errors with objects, and their messages.
@Suite struct ObjectErrorTests {
  @Test func `coordinates of a managed point outside a transaction`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airport = fiveAirports()[0]
      try realm.write { realm.add(airport) }
      airport.location?.coordinates.removeAll()
    }
    expectStop(result, says: "Cannot modify managed objects outside of a write transaction")
  }

  @Test func `coordinates of a replaced location`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airport = fiveAirports()[0]
      try realm.write {
        realm.add(airport)
        let place = airport.location
        airport.location = Location(longitude: 1, latitude: 2)
        _ = place?.coordinates.first
      }
    }
    expectStop(result, says: "the embedded 'Location' is no longer in its owner")
  }

  @Test func `an embedded object of another owner`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airports = fiveAirports()
      try realm.write {
        realm.add(airports)
        airports[0].location = airports[1].location
      }
    }
    expectStop(result, says: "Can't set link to existing managed embedded object")
  }

  @Test func `one embedded object for two owners`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airports = fiveAirports()
      airports[0].location = airports[1].location
      try realm.write { realm.add(airports) }
    }
    expectStop(result, says: "Can't set link to existing managed embedded object")
  }

  @Test func `a link to an object of another Realm`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, other) = (try makeRealm(), try makeRealm())
      let airports = fiveAirports()
      try other.write { other.add(airports[1]) }
      try realm.write {
        realm.add(airports[0])
        airports[0].alternate = airports[1]
      }
    }
    expectStop(result, says: "already managed by another Realm. Use create instead")
  }

  @Test func `results of another Realm deleted here`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, other) = (try makeRealm(), try makeRealm())
      try realm.write { realm.delete(other.objects(Airport.self)) }
    }
    expectStop(result, says: "Can only delete objects from the Realm they belong to")
  }

  @Test func `an object of a subclass as a link`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airport = fiveAirports()[0]
      airport.alternate = Heliport(value: ["icao": "H"])
      try realm.write { realm.add(airport) }
    }
    expectStop(result, says: "Object of type 'Heliport' cannot be the value of 'Airport.alternate'")
  }

  @Test func `a value of the wrong type names class and property`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Airport(value: ["alternate": 5])
    }
    expectStop(result, says: "Invalid value '5' of type 'Int' for")
    expectStop(result, says: "property 'Airport.alternate'")
    let inner = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Airport(value: ["location": ["coordinates": ["x"]]])
    }
    expectStop(inner, says: "property 'Location.coordinates'")
    let null = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Airport(value: ["runways": NSNull()])
    }
    expectStop(null, says: "property 'Airport.runways'")
  }

  @Test func `a number too large for the property of a managed object`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      try realm.write { realm.create(EveryScalar.self)["int8"] = 300 }
    }
    expectStop(result, says: "property 'EveryScalar.int8'")
  }

  @Test func `more values than properties, and an unknown name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Address(value: ["a", "b", 3, 4])
    }
    expectStop(result, says: "holds 4 values, and 'Address' has only 3 properties")
    let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Address()["stret"] = "a"
    }
    expectStop(unknown, says: "Invalid property name 'stret' for class 'Address'")
  }

  @Test func `a key of the wrong type`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try makeRealm().object(ofType: Airport.self, forPrimaryKey: 3)
    }
    expectStop(
      result, says: "Invalid value '3' of type 'Int' for 'string' primary key 'Airport.icao'")
  }

  @Test func `nil twice as a primary key`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeStreet()
      try realm.write { realm.add([House(), House()]) }
    }
    expectStop(result, says: "existing primary key value 'null'")
  }

  @Test func `key paths that lead to no stored property`() async {
    let sorted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try makeRealm().objects(Airport.self).sorted(by: \.title)
    }
    expectStop(sorted, says: "does not lead to a persisted property")
    let asked = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try makeRealm().objects(Airport.self).where { $0.plain == "x" }
    }
    expectStop(asked, says: "does not lead to a persisted property")
  }

  @Test func `a text that is too long, set on a managed object`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airport = fiveAirports()[0]
      try realm.write {
        realm.add(airport)
        airport.name = String(repeating: "x", count: 16 << 20 + 1)
      }
    }
    expectStop(result, says: "Value of 'Airport.name' has")
  }

  @Test func `an update of a class without a primary key`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "keyless", objectTypes: [Club.self, MappedLocation.self]))
      try realm.write { realm.add(Club(), update: .modified) }
    }
    expectStop(result, says: "'Club' does not have a primary key and can not be updated")
  }
}
