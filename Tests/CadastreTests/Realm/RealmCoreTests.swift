import CadastreSQLite
import Foundation
import Testing

@testable import Cadastre

/// The roles of a Realm's core: live, frozen, and without a readable version.
@Suite struct RealmCoreTests {
  private let configuration: Realm.Configuration
  private let errors = Guarded<[Realm.Error]>([])
  /// A live Realm with the keeper 1.
  private let realm: Realm

  init() throws {
    var configuration = Shelter.configuration()
    configuration.readErrorHandler = { [errors] error in errors.withLock { $0.append(error) } }
    self.configuration = configuration
    realm = try Realm(configuration: configuration)
    try realm.write { _ = realm.create(Keeper.self, value: ["id": 1]) }
  }

  /// Returns a Realm without a readable version.
  private func unreadable(of core: RealmCore) -> Realm {
    Realm(core: FrozenCore(.failure(StoreError(.busy, path: core.file.path)), of: core))
  }

  @Test func `each read of a version that cannot be read reports its error`() {
    // A frozen Realm makes one when thaw() cannot open the store.
    for core in [realm.core, realm.core.frozen()] {
      let unreadable = unreadable(of: core)
      #expect(unreadable.isFrozen && !unreadable.autorefresh && !unreadable.refresh())
      #expect(unreadable.isEmpty && unreadable.objects(Keeper.self).isEmpty)
      #expect(unreadable.object(ofType: Keeper.self, forPrimaryKey: 1) == nil)
      #expect(unreadable.readError?.code == .fileAccess)
      #expect(throws: StoreError.self) { try unreadable.core.currentReader() }
      #expect(throws: StoreError.self) { try unreadable.core.committedVersion() }
      #expect(throws: Realm.Error.self) {
        try unreadable.throwingReadErrors { unreadable.objects(Keeper.self).count }
      }
      #expect(unreadable.freeze() == unreadable && unreadable.thaw() == realm)
    }
    #expect(errors.withLock { $0.allSatisfy { $0.code == .fileAccess } })
    #expect(realm.readError == nil)
  }

  @Test func `a write to a version that cannot be read throws its error`() {
    let unreadable = unreadable(of: realm.core)
    let error = #expect(throws: Realm.Error.self) {
      try unreadable.write { Issue.record("The block of a write that cannot begin runs.") }
    }
    #expect(error?.code == .fileAccess && !unreadable.isInWriteTransaction)

    unreadable.beginWrite()
    #expect(unreadable.isInWriteTransaction)
    let keeper = unreadable.create(Keeper.self, value: ["id": 7])
    keeper.age = 3
    #expect(keeper.id == 7 && keeper.age == 3)
    #expect(throws: Realm.Error.self) { try unreadable.commitWrite() }
    #expect(!unreadable.isInWriteTransaction && keeper.isInvalidated)

    unreadable.beginWrite()
    var failure: (any Error)?
    unreadable.commitAsyncWrite { failure = $0 }
    #expect((failure as? Realm.Error)?.code == .fileAccess && !unreadable.isInWriteTransaction)
    unreadable.beginWrite()
    unreadable.commitAsyncWrite()
    #expect(!unreadable.isInWriteTransaction && unreadable.core.readError?.code == .fileAccess)

    unreadable.beginWrite()
    unreadable.cancelWrite()
    #expect(!unreadable.isInWriteTransaction)
    #expect(realm.objects(Keeper.self).map(\.id) == [1])
  }

  @Test func `a Realm in a write freezes the last committed version`() throws {
    let before = realm.core.frozen()
    realm.beginWrite()
    realm.create(Keeper.self, value: ["id": 2])
    #expect(realm.core.frozen() === before)
    #expect(Realm(core: before).objects(Keeper.self).map(\.id) == [1])
    try realm.commitWrite()

    let after = realm.core.frozen()
    #expect(after !== before && realm.core.frozen() === after)
    #expect(Realm(core: before).objects(Keeper.self).map(\.id) == [1])
    #expect(Realm(core: after).objects(Keeper.self).count == 2)
  }

  @Test func `a Realm shares the snapshot of an older version until it moves`() throws {
    let live = try #require(realm.core.live)
    #expect(realm.objects(Keeper.self).count == 1)
    let corner = try Corner(configuration)
    try corner.write { _ = $0.create(Keeper.self, value: ["id": 2]) }

    let frozen = live.frozen()
    #expect(frozen.snapshot === live.snapshot && frozen.sharing === live.sharing)
    #expect(live.sharing != nil && realm.objects(Keeper.self).count == 1)
    #expect(live.refresh())
    #expect(live.sharing == nil && frozen.snapshot !== live.snapshot)
    #expect(realm.objects(Keeper.self).count == 2)
    #expect(Realm(core: frozen).objects(Keeper.self).map(\.id) == [1])
  }

  @Test func `only a live Realm has the state of one`() {
    let frozen = realm.core.frozen()
    #expect(realm.core.live === realm.core && frozen.live == nil)
    #expect(!realm.isFrozen && frozen.isFrozen && frozen.frozen() === frozen)
    #expect(realm.core.thawed(nil) === realm.core && frozen.thawed(nil) === realm.core)
  }
}
