import Cadastre
import Foundation
import Testing

/// Values that are held while a write transaction changes the store and ends in one way or another.
///
/// After a rollback everything is as before, but the instances of objects that the transaction deleted or
/// created are invalidated for ever.
@Suite struct RollbackTests {
  private let here: Corner
  private let there: Corner

  init() throws {
    let configuration = Shelter.configuration()
    here = try Corner(configuration)
    there = try Corner(configuration)
    let model = ShelterModel()
    try there.write { realm in
      for pet in model.pets {
        realm.create(Greyhound.self, value: ["id": pet.id, "age": pet.age])
      }
      let hounds = realm.objects(Greyhound.self)
      for owner in model.owners {
        let keeper = realm.create(Keeper.self, value: ["id": owner.id, "age": owner.age])
        keeper.best = owner.best.map { hounds[$0 - 1] }
        for id in owner.dogs { keeper.dogs.append(hounds[id - 1]) }
        keeper.tags.insert(objectsIn: owner.tags)
        for (key, mark) in owner.marks { keeper.marks[key] = mark }
        keeper.home = owner.city.map { Den(value: ["city": $0]) }
      }
    }
    here.enter { realm in
      realm.refresh()
      realm.autorefresh = false
    }
  }

  @Test func `results are read after a cancelled deleteAll`() {
    here.enter { realm in
      let all = realm.objects(Keeper.self)
      realm.beginWrite()
      realm.deleteAll()
      realm.cancelWrite()
      #expect(all.count == 4 && !all.isInvalidated)
    }
  }

  @Test(arguments: ShelterChange.all.indices, WriteEnding.allCases)
  func `what is held survives every end of a write`(index: Int, ending: WriteEnding) throws {
    let change = ShelterChange.all[index]
    let what = "\(change.name), \(ending)"
    let (held, observer, reference) = try here.enter { realm in
      let observer = ShelterObserver(realm)
      realm.refresh()
      return (
        try HeldValue.all(in: realm), observer,
        ThreadSafeReference(to: try #require(realm.objects(Keeper.self).first))
      )
    }
    here.enter { _ in HeldValue.check(held, ShelterModel(), deleted: [], "\(what), before") }
    let notified = observer.count

    var made: [ObjectBase] = []
    try ending.run(in: here) { realm in
      made += try change.apply(realm)
      var model = ShelterModel()
      change.model(&model)
      HeldValue.check(held, model, deleted: change.deleted, "\(what), in the write")
    }

    let (isCommitted, hasRun) = (ending == .commit, ending != .cancelledAsyncWrite)
    let deleted = hasRun ? change.deleted : []
    var model = ShelterModel()
    if isCommitted { change.model(&model) }
    here.enter { realm in
      realm.refresh()
      #expect(!realm.isInWriteTransaction, "\(what)")
      #expect(isCommitted || observer.count == notified, "\(what)")
      HeldValue.check(held, model, deleted: deleted, "\(what), after")
      #expect(made.allSatisfy { $0.isInvalidated != isCommitted }, "\(what)")
    }

    // Another Realm writes, and its new objects get the keys of those that were rolled back.
    try there.write { ShelterChange.makeLaterChange($0) }
    ShelterChange.makeLaterChange(&model)
    let isGone = isCommitted && deleted.contains(.keeper)
    here.enter { realm in
      realm.refresh()
      HeldValue.check(held, model, deleted: deleted, "\(what), later")
      #expect(made.allSatisfy { $0.isInvalidated != isCommitted }, "\(what), later")
      #expect(observer.contents == ShelterObserver.contents(model, isDeleted: isGone), "\(what)")
      observer.end()
    }
    let resolved = there.enter { realm in realm.resolve(reference).map { ShelterText.text($0) } }
    #expect(resolved == (isGone ? nil : model.owner(1)?.text), "\(what)")
  }

  @Test(arguments: ShelterChange.all.indices)
  func `observers survive an invalidation in a write`(index: Int) throws {
    let change = ShelterChange.all[index]
    let (observer, all, keeper) = here.enter { realm in
      let observer = ShelterObserver(realm)
      realm.refresh()
      let all = realm.objects(Keeper.self)
      return (observer, all, all[0])
    }
    let made = try here.enter { realm in
      realm.beginWrite()
      defer { realm.invalidate() }
      return try change.apply(realm)
    }
    var model = ShelterModel()
    here.enter { realm in
      #expect(!realm.isInWriteTransaction && all.isInvalidated && keeper.isInvalidated)
      #expect(ShelterText.ids(realm.objects(Keeper.self)) == model.ids())
    }
    try there.write { ShelterChange.makeLaterChange($0) }
    ShelterChange.makeLaterChange(&model)
    here.enter { realm in
      realm.refresh()
      #expect(made.allSatisfy { $0.isInvalidated })
      #expect(
        observer.contents == ShelterObserver.contents(model, isDeleted: false), "\(change.name)")
      observer.end()
    }
  }

  @Test(arguments: [false, true])
  func `references made in a write are resolved after it`(isCommitted: Bool) throws {
    let (made, existing) = try here.enter { realm in
      realm.beginWrite()
      let keeper = realm.create(Keeper.self, value: ["id": 9])
      let references = (
        ThreadSafeReference(to: keeper),
        ThreadSafeReference(to: try #require(realm.objects(Keeper.self).first))
      )
      if isCommitted { try realm.commitWrite() } else { realm.cancelWrite() }
      return references
    }
    // It gets the key of the object whose creation was rolled back.
    try there.write { $0.create(Keeper.self, value: ["id": 77]) }
    there.enter { realm in
      #expect(realm.resolve(made)?.id == (isCommitted ? 9 : nil))
      #expect(realm.resolve(existing)?.id == 1)
    }
  }
}

/// Embedded objects, in rows of their owners and in rows of their own, and rolled-back transactions.
@Suite struct EmbeddedRollbackTests {
  /// A change of an object, and the names of the embedded objects that it deletes.
  private struct Removal: Sendable {
    let deleted: Set<String>
    let apply: @Sendable (Every) -> Void
  }

  private static let removals = [
    Removal(deleted: ["link", "list", "map", "row", "member"]) { $0.realm?.delete($0) },
    Removal(deleted: ["link", "list", "map", "row", "member"]) { $0.realm?.deleteAll() },
    Removal(deleted: ["link"]) { $0.knot = nil },
    Removal(deleted: ["link"]) { $0.knot = Knot("other") },
    Removal(deleted: ["list"]) { $0.knots.removeAll() },
    Removal(deleted: ["list"]) { $0.knots[0] = Knot("other") },
    Removal(deleted: ["map"]) { $0.knotMap["k"] = .some(nil) },
    Removal(deleted: ["row", "member"]) { $0.spot = nil },
    Removal(deleted: ["row", "member"]) { $0.spot = Spot(value: ["name": "other"]) },
    Removal(deleted: ["member"]) { $0.spot?.knot = nil },
    Removal(deleted: []) { every in
      every.spot?.name = "changed"
      every.knot?.text = "changed"
      every.knots.append(Knot("new"))
    },
  ]

  @Test(arguments: removals.indices)
  func `embedded objects that a cancelled write deleted stay invalidated`(index: Int) throws {
    let removal = Self.removals[index]
    let realm = try everyRealm()
    let (every, other) = (Every(), Every())
    other.id = 2
    for owner in [every, other] {
      owner.knot = Knot("link")
      owner.knots.append(Knot("list"))
      owner.knotMap["k"] = Knot("map")
      owner.spot = Spot(value: ["name": "row", "words": ["a"]])
      owner.spot?.knot = Knot("member")
    }
    try realm.write { realm.add([every, other]) }
    let (held, kept) = (try Self.embedded(in: every), try Self.embedded(in: other))
    let words = try #require(every.spot?.words)
    let (text, others) = ("\(every)", "\(other)")

    realm.beginWrite()
    removal.apply(every)
    realm.cancelWrite()

    for (name, object) in held {
      #expect(object.isInvalidated == removal.deleted.contains(name), "\(name)")
    }
    #expect(words.isInvalidated == removal.deleted.contains("row"))
    let again = try #require(realm.object(ofType: Every.self, forPrimaryKey: 0))
    #expect("\(again)" == text)
    #expect(try Self.embedded(in: again).values.allSatisfy { !$0.isInvalidated })
    // Only `deleteAll` has deleted the other object.
    let isOtherDeleted = other.isInvalidated
    #expect(kept.values.allSatisfy { $0.isInvalidated == isOtherDeleted })
    let otherAgain = try #require(realm.object(ofType: Every.self, forPrimaryKey: 2))
    #expect("\(otherAgain)" == others)
  }

  private static func embedded(in every: Every) throws -> [String: ObjectBase] {
    let spot = try #require(every.spot)
    return [
      "link": try #require(every.knot), "list": every.knots[0],
      "map": try #require(every.knotMap["k"] ?? nil), "row": spot,
      "member": try #require(spot.knot),
    ]
  }
}
