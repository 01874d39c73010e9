import Cadastre
import Foundation
import Testing
import TestingSupport

/// A program that misuses the API stops, with a sentence that says what to do instead.
@Suite struct ProgrammingErrorTests {
  @Test func `writing outside a transaction`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airport = fiveAirports()[0]
      try realm.write { realm.add(airport) }
      airport.name = "x"
    }
    expectStop(result, says: "Cannot modify managed objects outside of a write transaction")
  }

  @Test func `adding outside a transaction`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try makeRealm().add(fiveAirports()[0])
    }
    expectStop(result, says: "in a write transaction: call it inside realm.write")
  }

  @Test func `a transaction within a transaction`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      realm.beginWrite()
      realm.beginWrite()
    }
    expectStop(result, says: "already in a write transaction")
  }

  @Test func `a transaction within a transaction of another Realm in the same task`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let task = Task {
        let realm = try makeRealm()
        let other = try Realm(configuration: realm.configuration)
        try realm.write { try other.write {} }
      }
      try await task.value
    }
    expectStop(result, says: "already in a write transaction")
  }

  @Test func `a query for an object of another Realm`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, other) = (try makeRealm(), try makeRealm())
      let airport = fiveAirports()[0]
      try other.write { other.add(airport) }
      _ = realm.objects(Airport.self).where { $0.alternate == airport }
    }
    expectStop(result, says: "Object must be from the Realm being queried")
  }

  @Test func `a primary key that is taken`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      try realm.write { for _ in 0..<2 { realm.add(fiveAirports()[0]) } }
    }
    expectStop(result, says: "existing primary key value 'LFPG'")
  }

  @Test func `changing a primary key`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airport = fiveAirports()[0]
      try realm.write {
        realm.add(airport)
        airport.icao = "XXXX"
      }
    }
    expectStop(result, says: "Primary key can't be changed after an object is inserted")
  }

  @Test func `reading what is deleted`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      let airport = fiveAirports()[0]
      try realm.write { realm.add(airport) }
      try realm.write { realm.delete(airport) }
      _ = airport.name
    }
    expectStop(result, says: "Object has been deleted or invalidated")
  }

  @Test func `a predicate that does not fit`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try makeRealm().objects(Airport.self).filter("nmae == 'x'")
    }
    expectStop(result, says: "did you mean 'name'?")
  }

  @Test func `a class that the Realm does not manage`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "misuse", objectTypes: [EveryScalar.self]))
      _ = realm.objects(Airport.self)
    }
    expectStop(result, says: "Object type 'Airport' is not managed by the Realm")
  }

  @Test func `another thread`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Box: @unchecked Sendable { var realm: Realm? }
      let box = Box()
      let opener = Thread { box.realm = try? makeRealm() }
      opener.start()
      while !opener.isFinished { usleep(1000) }
      _ = box.realm?.objects(Airport.self).count
    }
    expectStop(result, says: "Realm accessed from incorrect thread")
  }

  @Test func `an index out of bounds`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try makeRealm().objects(Airport.self)[0]
    }
    expectStop(result, says: "Index 0 is out of bounds (must be less than 0)")
  }

  @Test func `a schema that breaks rules names all of them`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "rules", objectTypes: [Broken.self]))
    }
    expectStop(result, says: "Object property 'Broken.required' must be marked as optional.")
    expectStop(result, says: "Class 'Broken' has more than one primary key: 'a' and 'b'.")
    expectStop(
      result, says: "Property 'Broken.tags': the objects in a list of Broken cannot be optional.")
  }
}

/// A class that breaks several rules of schemas, excluded from Realms that name no classes.
class Broken: Object {
  @Persisted(primaryKey: true) var a: Int
  @Persisted(primaryKey: true) var b: Int
  @Persisted var required: Broken
  @Persisted var tags: List<Broken?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
