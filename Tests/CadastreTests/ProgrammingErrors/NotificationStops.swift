import Cadastre
import Foundation

extension StopCase {
  static let notifications = [
    StopCase("Only objects which are managed by a Realm support change notifications.") {
      _ = Keeper().observe { (_: ObjectChange<Keeper>) in }
    },
    StopCase("Incorrect Realm: only notifications for the Realm being modified can be skipped.") {
      let (first, second) = (
        try Corner(Shelter.configuration()), try Corner(Shelter.configuration())
      )
      let token = first.enter { $0.objects(Keeper.self).observe { _ in } }
      try second.enter { try $0.write(withoutNotifying: [token]) {} }
    },
    StopCase("An object of '…' is not a '…'.") {
      try observed { keepers in
        let keeper = keepers[0]
        let token = keeper.observe { (_: ObjectChange<Greyhound>) in }
        try keeper.realm?.write { keeper.age = 7 }
        keeper.realm?.refresh()
        token.invalidate()
      }
    },
    StopCase("Only objects and collections managed by a Realm have change notifications.") {
      _ = Keeper().dogs.observe { _ in }
    },
    StopCase("Read-only Realms do not change and do not have change notifications.") {
      _ = try readOnlyRealm().observe { _, _ in }
    },
    StopCase(
      "Cannot create asynchronous query after making changes in a write transaction: observe "
        + "before the transaction, or after it."
    ) {
      try observed { keepers in
        try keepers.realm?.write {
          keepers[0].age = 7
          _ = keepers.observe { _ in }
        }
      }
    },
    StopCase(
      "Can only add notification blocks from within runloops: on a thread without one, and in a "
        + "task that runs on no actor, name a queue or an actor, as in observe(on: queue), or "
        + "read changes."
    ) {
      try await Task.detached {
        let realm = try Realm(configuration: Shelter.configuration())
        _ = realm.objects(Keeper.self).observe { _ in }
      }.value
    },
  ]

  /// The keepers of a store with one, where they can be observed.
  private static func observed(_ body: (Results<Keeper>) throws -> Void) throws {
    let corner = try Corner(Shelter.configuration())
    try corner.write { $0.create(Keeper.self, value: ["id": 1]) }
    try corner.enter { try body($0.objects(Keeper.self)) }
  }
}
