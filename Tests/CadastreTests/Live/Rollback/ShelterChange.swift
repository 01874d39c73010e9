import CadastreStore

@testable import Cadastre

/// A change of a shelter, and what it means.
struct ShelterChange: Sendable {
  /// An object whose instances are held while the change is made.
  enum Held: Sendable {
    /// Keeper 1.
    case keeper
    /// The embedded home of keeper 1.
    case home
    /// Hound 1.
    case hound
  }

  let name: String
  /// The held objects that the change deletes.
  let deleted: Set<Held>
  /// Makes the change in a write transaction, and returns the new objects.
  let apply: @Sendable (Realm) throws -> [ObjectBase]
  /// Makes the change in the model.
  let model: @Sendable (inout ShelterModel) -> Void

  static let all = [
    ShelterChange(name: "delete an object", deleted: [.keeper, .home]) { realm in
      realm.delete(realm.objects(Keeper.self)[0])
      return []
    } model: {
      $0.owners.removeAll { $0.id == 1 }
    },
    ShelterChange(name: "delete results", deleted: [.keeper, .home]) { realm in
      realm.delete(realm.objects(Keeper.self).where { $0.age < 25 })
      return []
    } model: {
      $0.owners.removeAll { $0.age < 25 }
    },
    ShelterChange(name: "delete linked objects", deleted: [.hound]) { realm in
      realm.delete(realm.objects(Greyhound.self))
      return []
    } model: {
      $0.deletePets()
    },
    ShelterChange(name: "delete all", deleted: [.keeper, .home, .hound]) { realm in
      realm.deleteAll()
      return []
    } model: {
      ($0.owners, $0.pets) = ([], [])
    },
    ShelterChange(name: "delete all and add", deleted: [.keeper, .home, .hound]) { realm in
      realm.deleteAll()
      let hound = realm.create(Greyhound.self, value: ["id": 1, "age": 9])
      let keeper = realm.create(Keeper.self, value: ["id": 1, "age": 99])
      keeper.dogs.append(hound)
      return [keeper, hound]
    } model: {
      $0.pets = [ShelterModel.Pet(id: 1, age: 9)]
      $0.owners = [ShelterModel.Owner(id: 1, age: 99, dogs: [1])]
    },
    ShelterChange(name: "add", deleted: []) { realm in
      let hound = realm.create(Greyhound.self, value: ["id": 3, "age": 9])
      let keeper = realm.create(Keeper.self, value: ["id": 5, "age": 50])
      keeper.dogs.append(hound)
      let home = Den(value: ["city": "Bern"])
      keeper.home = home
      return [keeper, hound, home]
    } model: {
      $0.pets.append(ShelterModel.Pet(id: 3, age: 9))
      $0.owners.append(ShelterModel.Owner(id: 5, age: 50, dogs: [3], city: "Bern"))
    },
    ShelterChange(name: "move links", deleted: []) { realm in
      let (keepers, hounds) = (realm.objects(Keeper.self), realm.objects(Greyhound.self))
      keepers[0].best = hounds[1]
      keepers[1].best = nil
      keepers[2].dogs.append(keepers[0].dogs[0])
      keepers[0].dogs.remove(at: 0)
      return []
    } model: {
      $0.change(1) { ($0.best, $0.dogs) = (2, [2]) }
      $0.change(2) { $0.best = nil }
      $0.change(3) { $0.dogs = [1] }
    },
    ShelterChange(name: "change values and collections", deleted: []) { realm in
      let keeper = realm.objects(Keeper.self)[0]
      keeper.age = 35
      keeper.tags.insert("z")
      keeper.marks["m"] = nil
      keeper.marks["n"] = 1
      return []
    } model: {
      $0.change(1) { ($0.age, $0.tags, $0.marks) = (35, ["a", "b", "z"], ["n": 1]) }
    },
    ShelterChange(name: "replace an embedded object", deleted: [.home]) { realm in
      let home = Den(value: ["city": "Rome"])
      realm.objects(Keeper.self)[0].home = home
      return [home]
    } model: {
      $0.change(1) { $0.city = "Rome" }
    },
    ShelterChange(name: "copy a class", deleted: []) { realm in
      _ = try realm.core.transaction?.copyClass("Keeper", to: "Copied")
      return []
    } model: { _ in
    },
  ]

  /// Makes a change that every observer of keeper 1 reports, and adds a keeper, which gets the key of one whose
  /// creation was rolled back.
  static func makeLaterChange(_ realm: Realm) {
    realm.create(Keeper.self, value: ["id": 77, "age": 5])
    guard let keeper = realm.object(ofType: Keeper.self, forPrimaryKey: 1) else { return }
    keeper.age += 1
    keeper.marks["later"] = 1
    if let hound = realm.object(ofType: Greyhound.self, forPrimaryKey: 2) {
      keeper.dogs.append(hound)
    }
  }

  /// Makes the same change in a model.
  static func makeLaterChange(_ model: inout ShelterModel) {
    model.owners.append(ShelterModel.Owner(id: 77, age: 5))
    let hasHound = model.pet(2) != nil
    model.change(1) { owner in
      owner.age += 1
      owner.marks["later"] = 1
      if hasHound { owner.dogs.append(2) }
    }
  }
}
