import Cadastre
import Foundation
import Synchronization
import Testing

/// Frozen things, and things that are handed over.
@Suite struct ThreadTransferTests {
  private let configuration = Shelter.configuration()
  private let here: Corner
  private let there: Corner

  init() throws {
    here = try Corner(configuration)
    there = try Corner(configuration)
    try there.write { realm in
      for id in 1...5 { realm.create(Keeper.self, value: ["id": id, "age": id]) }
      let greyhound = realm.create(Greyhound.self, value: ["id": 1, "age": 3])
      let keeper = realm.objects(Keeper.self)[0]
      keeper.dogs.append(greyhound)
      keeper.tags.insert(objectsIn: ["a", "b"])
      keeper.marks["m"] = 7
      keeper.home = Den(value: ["city": "Oslo"])
    }
    _ = here.enter { $0.refresh() }
  }

  private func keeper(_ realm: Realm, _ id: Int = 1) throws -> Keeper {
    try #require(realm.object(ofType: Keeper.self, forPrimaryKey: id))
  }

  /// Runs a closure on a thread of its own.
  private func elsewhere<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) throws -> Result { try Self.elsewhere(body) }

  private static func elsewhere<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) throws -> Result {
    let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let made = Swift.Result { try body() }
      outcome.withLock { $0 = made }
      done.signal()
    }
    done.wait()
    return try #require(outcome.withLock { $0 }).get()
  }

  @Test func `frozen things stay as they are, on any thread`() throws {
    let (frozen, results, list) = try here.enter { realm in
      let keeper = try keeper(realm)
      return (
        Frozen(keeper), Frozen(realm.objects(Keeper.self).where { $0.age > 2 }), Frozen(keeper.dogs)
      )
    }
    try there.write { realm in
      try keeper(realm).age = 99
      realm.delete(realm.objects(Greyhound.self))
      realm.delete(realm.objects(Keeper.self).where { $0.age == 4 })
    }
    _ = here.enter { $0.refresh() }
    @Sendable func check() -> String {
      let keeper = frozen.value
      return
        "\(keeper.age) \(Array(keeper.dogs.map(\.age))) \(Array(keeper.tags.sorted())) \(keeper.marks["m"] ?? 0) "
        + "\(keeper.home?.city ?? "") \(Array(results.value.map(\.age))) \(results.value.count) \(list.value.count) "
        + "\(Array(list.value).count) \(Array(results.value).count) "
        + "\(Array(keeper.dogs[0].owners.map(\.id))) \(keeper.isFrozen) \(keeper.realm?.isFrozen == true)"
    }
    let expected = "1 [3] [\"a\", \"b\"] 7 Oslo [3, 4, 5] 3 1 1 3 [1] true true"
    #expect(check() == expected)
    #expect(try elsewhere { check() } == expected)
    // Many threads at once.
    let faults = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      if check() != expected { faults.withLock { $0 += 1 } }
    }
    #expect(faults.withLock { $0 } == 0)
  }

  @Test func `a frozen thing of an old version, which others have left behind`() throws {
    // Here stays behind, so that only its own connection still sees its version.
    here.enter { realm in
      realm.autorefresh = false
      #expect(realm.objects(Keeper.self).count == 5)
    }
    try there.write { try keeper($0).age = 50 }
    let frozen = try here.enter { Frozen(try keeper($0)) }
    let faults = Mutex(0)
    let group = DispatchGroup()
    for _ in 0..<4 {
      DispatchQueue.global().async(group: group) {
        for _ in 0..<200 where frozen.value.age != 1 || frozen.value.dogs.count != 1 {
          faults.withLock { $0 += 1 }
        }
      }
    }
    try here.enter { realm in
      for _ in 0..<200 {
        let age = try keeper(realm).age
        #expect(age == 1)
      }
      realm.refresh()
      #expect(try keeper(realm).age == 50)
    }
    group.wait()
    #expect(faults.withLock { $0 } == 0 && frozen.value.age == 1)
  }

  @Test func `thawing gives what is there now`() throws {
    let frozen = try here.enter { Frozen(try keeper($0)) }
    let all = here.enter { Frozen($0.objects(Keeper.self)) }
    try there.write { try keeper($0).age = 60 }
    try there.enter { realm in
      let thawed = try #require(frozen.value.thaw())
      // This Realm is confined to the task; no other Realm is open here.
      #expect(thawed.age == 60 && !thawed.isFrozen)
      #expect(all.thaw().map { Array($0.map(\.age)) } == [60, 2, 3, 4, 5])
      #expect(try keeper(realm).thaw()?.age == 60)
    }
    try there.write { $0.delete(try keeper($0)) }
    #expect(frozen.value.thaw() == nil && frozen.value.age == 1)
  }

  @Test func `frozen objects of one version are equal`() throws {
    try here.enter { realm in
      let greyhound = realm.objects(Greyhound.self)[0]
      #expect(greyhound.freeze() == realm.objects(Greyhound.self)[0].freeze())
      #expect(Set([greyhound.freeze(), greyhound.freeze()]).count == 1)
      #expect(realm.freeze() == realm.freeze() && realm.freeze().freeze() == realm.freeze())
      #expect(realm.freeze() != realm && realm.thaw() == realm)
      let old = greyhound.freeze()
      try realm.write { greyhound.age = 4 }
      #expect(greyhound.freeze() != old && old.age == 3 && greyhound.freeze().age == 4)
    }
  }

  @Test func `objects frozen in a write are as before it`() throws {
    try here.enter { realm in
      try realm.write {
        let keeper = try keeper(realm)
        keeper.age = 70
        #expect(keeper.freeze().age == 1)
        #expect(realm.objects(Keeper.self).freeze().count == 5)
      }
      #expect(try keeper(realm).freeze().age == 70)
    }
  }

  @Test func `references are resolved elsewhere`() throws {
    let (object, list, results, embedded) = try here.enter { realm in
      let keeper = try keeper(realm)
      return (
        ThreadSafeReference(to: keeper), ThreadSafeReference(to: keeper.dogs),
        ThreadSafeReference(to: realm.objects(Keeper.self).where { $0.age > 2 }.sorted(by: \.age)),
        ThreadSafeReference(to: try #require(keeper.home))
      )
    }
    let (gone, late) = try here.enter { realm in
      let keeper = try keeper(realm, 5)
      return (ThreadSafeReference(to: keeper), ThreadSafeReference(to: keeper))
    }
    try there.write { $0.delete(try keeper($0, 5)) }
    let configuration = configuration
    let told = try elsewhere {
      let realm = try Realm(configuration: configuration)
      return
        "\(realm.resolve(object)?.age ?? 0) \(realm.resolve(list).map { Array($0.map(\.age)) } ?? []) "
        + "\(realm.resolve(results).map { Array($0.map(\.age)) } ?? []) \(realm.resolve(embedded)?.city ?? "") "
        + "\(object.isInvalidated)"
    }
    // The Realm begins with the version of the references.
    #expect(told == "1 [3] [3, 4, 5] Oslo true")
    #expect(
      try elsewhere {
        let realm = try Realm(configuration: configuration)
        guard let keeper = realm.resolve(gone) else { return "nil" }
        let age = keeper.age
        realm.refresh()
        return "\(age) \(keeper.isInvalidated)"
      } == "5 true")
    let foreign = try here.enter { ThreadSafeReference(to: try keeper($0)) }
    let isForeign = try elsewhere {
      try Realm(configuration: Shelter.configuration()).resolve(foreign) == nil
    }
    #expect(isForeign)
    // A Realm at a newer version does not go back.
    #expect(there.enter { $0.resolve(late) == nil })
  }

  @Test func `a write through a thread safe property is seen by the next read elsewhere`() throws {
    // Safe because the property is.
    final class Holder: @unchecked Sendable {
      @ThreadSafe var keeper: Keeper?
      init(_ keeper: Keeper?) { _keeper = ThreadSafe(wrappedValue: keeper) }
    }
    let holder = try here.enter { Holder(try keeper($0)) }
    let configuration = configuration
    let ages = try elsewhere {
      let realm = try Realm(configuration: configuration)
      realm.autorefresh = false
      var ages = [holder.keeper?.age]
      try Self.elsewhere { try holder.keeper?.realm?.write { holder.keeper?.age = 9 } }
      ages.append(holder.keeper?.age)
      try Self.elsewhere {
        let other = try Realm(configuration: configuration)
        try other.write { other.objects(Keeper.self).where { $0.id == 1 }[0].age = 10 }
      }
      // This change was not made through the property.
      ages.append(holder.keeper?.age)
      return withExtendedLifetime(realm) { ages }
    }
    #expect(ages == [1, 9, 9])
  }

  @Test func `a thread safe property`() throws {
    // Safe because the property is.
    final class Holder: @unchecked Sendable {
      @ThreadSafe var keeper: Keeper?
      init(_ keeper: Keeper?) { _keeper = ThreadSafe(wrappedValue: keeper) }
    }
    let holder = try here.enter { Holder(try keeper($0)) }
    #expect(try elsewhere { holder.keeper?.age } == 1)
    try there.write { try keeper($0).age = 8 }
    #expect(try elsewhere { holder.keeper?.age } == 8)
    try there.write { $0.delete(try keeper($0)) }
    #expect(try elsewhere { holder.keeper == nil })
  }
}
