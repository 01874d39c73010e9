import Cadastre
import Foundation
import Testing
import TestingSupport

/// Misuse whose message or circumstances `StopTests` does not cover.
@Suite struct ProgrammingErrorTests {
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

  @Test func `a predicate that does not fit`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try makeRealm().objects(Airport.self).filter("nmae == 'x'")
    }
    expectStop(result, says: "did you mean 'name'?")
  }

  @Test func `another thread`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Box: @unchecked Sendable { var realm: Realm? }
      let box = Box()
      try onNewThread { box.realm = try? makeRealm() }
      _ = box.realm?.objects(Airport.self).count
    }
    expectStop(result, says: "Realm accessed from incorrect thread")
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
