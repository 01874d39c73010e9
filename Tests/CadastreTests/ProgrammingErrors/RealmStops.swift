import Cadastre
import Foundation

extension StopCase {
  static let realms = [
    StopCase("Realm.Configuration must specify a path or an in-memory identifier.") {
      _ = try Realm(configuration: Realm.Configuration(fileURL: nil))
    },
    StopCase("Realm.Configuration.inMemoryIdentifier must not be empty.") {
      _ = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: ""))
    },
    StopCase(
      "Realm opened from incorrect dispatch queue: open it on the queue that is given, or let the "
        + "queue run the opening."
    ) {
      _ = try Realm(configuration: Shelter.configuration(), queue: DispatchQueue(label: "other"))
    },
    StopCase(
      "Realm accessed from incorrect thread: it was opened …. Open a Realm where it is used, or "
        + "hand objects over with freeze() or a ThreadSafeReference."
    ) {
      _ = try Corner(Shelter.configuration()).realm.isEmpty
    },
    StopCase(
      "Asynchronous writes need a Realm that belongs to an actor, a queue or a thread with a run "
        + "loop; in a task, await asyncWrite."
    ) {
      try await Task.detached {
        let realm = try Realm(configuration: Shelter.configuration())
        _ = realm.writeAsync {}
      }.value
    },
    StopCase("'…' does not have a primary key defined.") {
      _ = try EmbeddedLinkTests.visits().0.dynamicObject(ofType: "Town", forPrimaryKey: 1)
    },
    StopCase("Invalid value '…' of type '…' for '…' primary key '….…'.") {
      _ = try everyRealm().object(ofType: Every.self, forPrimaryKey: "one")
    },
    StopCase("A frozen Realm cannot refresh: its version never changes.") {
      try everyRealm().freeze().autorefresh = true
    },
    StopCase("Embedded objects cannot be created directly: '…' is embedded.") {
      try changed { $0.realm?.dynamicCreate("Knot") }
    },
    StopCase("Can only delete objects from the Realm they belong to.") {
      let foreign = try everyRealm().objects(Every.self)
      try changed { $0.realm?.delete(foreign) }
    },
    StopCase("Cannot delete values: only objects can be deleted from a Realm.") {
      try changed { $0.realm?.delete($0.ints) }
    },
    StopCase("Can only … objects in a write transaction: call it inside realm.write { … }.") {
      try everyRealm().add(Every())
    },
    StopCase("The Realm is already in a write transaction; transactions cannot be nested.") {
      try changed { try $0.realm?.write {} }
    },
    StopCase(
      "Number of active versions (…) in the Realm exceeded the limit of …: release frozen objects "
        + "and of Realms that do not refresh."
    ) {
      var configuration = Shelter.configuration()
      configuration.maximumNumberOfActiveVersions = 3
      let corner = try Corner(configuration)
      var held: [Realm] = []
      for id in 0..<10 {
        try corner.write { $0.create(Keeper.self, value: ["id": id]) }
        held.append(corner.enter { $0.freeze() })
      }
    },
    StopCase("Can't perform transactions on read-only Realms.") {
      try readOnlyRealm().write {}
    },
    StopCase("Can't … a non-existing write transaction: call beginWrite() first.") {
      try everyRealm().commitWrite()
    },
    StopCase("Can't refresh a read-only Realm.") { try readOnlyRealm().refresh() },
    StopCase(
      "Attempting to create an object of type '…' with an existing primary key value '…'. Use "
        + "update: .modified to change the existing object."
    ) {
      try changed { every in
        every.realm?.add(Every())
      }
    },
    StopCase("Can only delete an object from the Realm it belongs to: this one has none.") {
      try changed { $0.realm?.delete(Every()) }
    },
    StopCase("Can only delete an object from the Realm it belongs to.") {
      let foreign = try add(Every())
      try changed { $0.realm?.delete(foreign) }
    },
    StopCase("Schema validation failed due to the following errors: - …") {
      _ = try Realm(
        configuration: Realm.Configuration(inMemoryIdentifier: "wrong", objectTypes: [Broken.self]))
    },
    StopCase(
      "Object type '…' is not managed by the Realm. If using a custom objectTypes array in "
        + "Realm.Configuration, add '…' to it."
    ) {
      _ = try everyRealm().objects(Airport.self).count
    },
    StopCase(
      "This thread or task is already in a write transaction of the same store, through another "
        + "Realm; transactions cannot be nested. Use the one Realm for both."
    ) {
      try changed { every in
        if let configuration = every.realm?.configuration {
          try Realm.compact(for: configuration)
        }
      }
    },
  ]

  /// A Realm of a new file that is opened to be read.
  static func readOnlyRealm() throws -> Realm {
    let file = try EveryFile()
    _ = try file.open()
    var configuration = file.configuration
    configuration.readOnly = true
    return try Realm(configuration: configuration)
  }
}
