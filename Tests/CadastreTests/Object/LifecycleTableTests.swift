import Cadastre
import Foundation
import Testing
import TestingSupport

/// Validity, value, equality and hash of instances of each origin after each event, from tables.
@Suite struct LifecycleTableTests {
  /// The effect of an action on an object.
  enum Effect { case keeps, changes, removes, replaces }

  /// A change in a transaction.
  enum Action: String, CaseIterable {
    case nothing, insertOthers, change, clearMembers, replaceMembers, deleteMembers, delete,
      recreate
    case deleteAll

    /// The table of effects.
    func effect(on kind: LifecycleKind) -> Effect {
      switch self {
      case .nothing, .insertOthers: .keeps
      case .change: .changes
      case .clearMembers, .deleteMembers: kind.isMember ? .removes : .keeps
      case .replaceMembers: kind.isMember ? .replaces : .keeps
      case .delete, .deleteAll: .removes
      case .recreate: .replaces
      }
    }

    func run(_ realm: Realm) throws {
      let tower = try #require(LifecycleStore.tower(realm, 2))
      switch self {
      case .nothing: break
      case .insertOthers:
        realm.create(Tower.self, value: ["id": 7, "height": 7])
        realm.create(Milestone.self, value: ["mark": 7, "height": 7])
      case .change:
        tower.height += 100
        tower.bell?.tone += 100
        tower.bells[0].tone += 100
        (tower.named["k"] ?? nil)?.tone += 100
        realm.objects(Milestone.self).where { $0.mark == 2 }.first?.height += 100
      case .clearMembers:
        tower.bell = nil
        tower.bells.removeAll()
        tower.named.removeAll()
      case .replaceMembers:
        tower.bell = Bell(value: ["tone": LifecycleKind.rowBell.value + 200])
        tower.bells[0] = Bell(value: ["tone": LifecycleKind.listBell.value + 200])
        tower.named["k"] = Bell(value: ["tone": LifecycleKind.mapBell.value + 200])
      case .deleteMembers:
        for bell in [tower.bell, tower.bells.first, tower.named["k"] ?? nil] {
          if let bell { realm.delete(bell) }
        }
      case .delete: LifecycleStore.delete(realm)
      case .recreate:
        LifecycleStore.delete(realm)
        LifecycleStore.insert(realm, adding: 200)
      case .deleteAll: realm.deleteAll()
      }
    }
  }

  /// An end of the transaction.
  enum Ending: String, CaseIterable {
    case commit, cancel, invalidate, commitAndInvalidate

    var isCommit: Bool { self == .commit || self == .commitAndInvalidate }

    func run(_ realm: Realm) throws {
      switch self {
      case .commit: try realm.commitWrite()
      case .cancel: realm.cancelWrite()
      case .invalidate: realm.invalidate()
      case .commitAndInvalidate:
        try realm.commitWrite()
        realm.invalidate()
      }
    }

    /// Returns whether instances from before the transaction stay invalidated although their object exists.
    func revokes(_ effect: Effect) -> Bool {
      switch self {
      case .commit: false
      case .cancel: effect == .removes || effect == .replaces
      case .invalidate, .commitAndInvalidate: true
      }
    }
  }

  /// An object as it is expected after an event.
  struct Expected {
    /// The value; nil where there is no object.
    var value: Int?
    /// Whether it is the object from before the event.
    var isSame: Bool

    /// The object after an effect.
    init(_ kind: LifecycleKind, _ effect: Effect) {
      isSame = effect == .keeps || effect == .changes
      value =
        switch effect {
        case .keeps: kind.value
        case .changes: kind.value + 100
        case .removes: nil
        case .replaces: kind.value + 200
        }
    }
  }

  /// An instance that was made before an event.
  final class Instance {
    let origin: LifecycleOrigin
    let object: ObjectBase
    private let hash: Int?
    /// A frozen copy from before the event.
    let frozen: ObjectBase?

    init(_ origin: LifecycleOrigin, _ object: ObjectBase, isRead: Bool, isFrozen: Bool) {
      self.origin = origin
      self.object = object
      hash = Self.hash(object)
      if isRead { _ = LifecycleKind.value(of: object) }
      frozen = isFrozen ? object.freeze() : nil
    }

    static func hash(_ object: ObjectBase) -> Int? {
      (object as? Object)?.hashValue ?? (object as? EmbeddedObject)?.hashValue
    }

    /// Returns whether an instance refers to the same object; nil where the library compares no such instances.
    func isSame(as other: ObjectBase) -> Bool? {
      if !origin.kind.isMember, let one = object as? Object, let other = other as? Object {
        let isSame = one.isSameObject(as: other)
        // Objects without a primary key are equal if they are one instance.
        let isEqual = origin.kind == .milestone ? one === other : isSame
        guard (one == other) == isEqual, !isEqual || one.hashValue == other.hashValue else {
          return !isSame
        }
        return isSame
      }
      guard let one = object as? EmbeddedObject, let other = other as? EmbeddedObject else {
        return nil
      }
      let isSame = one.isSameObject(as: other)
      return (one == other) == isSame ? isSame : !isSame
    }

    /// Returns the differences from what the instance is expected to be.
    func faults(isValid: Bool, value: Int?, _ moment: String) -> [String] {
      var faults: [String] = []
      if object.isInvalidated == isValid { faults.append("isInvalidated \(!isValid) expected") }
      if isValid, !object.isInvalidated, LifecycleKind.value(of: object) != value {
        faults.append("value \(value ?? 0) expected, found \(LifecycleKind.value(of: object) ?? 0)")
      }
      if Self.hash(object) != hash { faults.append("another hash") }
      if let frozen, frozen.isInvalidated || LifecycleKind.value(of: frozen) != origin.kind.value {
        faults.append("the frozen copy changed")
      }
      if let frozen, isSame(as: frozen) == true { faults.append("equal to the frozen copy") }
      return faults.map { "\(moment), \(origin.kind) by \(origin.name): \($0)" }
    }
  }

  /// Returns instances of all origins.
  private func instances(
    in realm: Realm, isRead: Bool, isGeneral: Bool = false, isFrozen: Bool = true
  ) -> [Instance] {
    LifecycleOrigin.all.filter { $0.isGeneral || !isGeneral }.compactMap { origin in
      origin.find(realm).map { Instance(origin, $0, isRead: isRead, isFrozen: isFrozen) }
    }
  }

  /// Returns the differences of new instances from what is expected, and of their identity from old instances.
  private func faultsOfNewInstances(
    _ old: [Instance], in realm: Realm, _ moment: String, isGeneral: Bool,
    _ expected: (LifecycleKind) -> Expected
  ) -> [String] {
    LifecycleOrigin.all.filter { $0.isGeneral || !isGeneral }.flatMap { origin in
      let expected = expected(origin.kind)
      let found = origin.find(realm)
      let name = "\(moment), new \(origin.kind) by \(origin.name)"
      guard let found else { return expected.value == nil ? [] : ["\(name): no object"] }
      guard let value = expected.value else { return ["\(name): an object that does not exist"] }
      var faults: [String] = []
      if found.isInvalidated || LifecycleKind.value(of: found) != value {
        faults.append("\(name): value \(value) expected")
      }
      for instance in old where instance.origin.kind == origin.kind {
        if let isSame = instance.isSame(as: found), isSame != expected.isSame {
          faults.append("\(name): identity with that by \(instance.origin.name): \(isSame)")
        }
      }
      return faults
    }
  }

  private func realms() throws -> (Realm, Corner) {
    let configuration = LifecycleStore.configuration()
    let realm = try Realm(configuration: configuration)
    let other = try Corner(configuration)
    other.enter { $0.autorefresh = false }
    return (realm, other)
  }

  @Test(arguments: Action.allCases, Ending.allCases)
  func `instances of objects of before a transaction`(action: Action, ending: Ending) throws {
    for isRead in [false, true] {
      let (realm, other) = try realms()
      try realm.write {
        LifecycleStore.insertNeighbours(realm)
        LifecycleStore.insert(realm)
      }
      let old = instances(in: realm, isRead: isRead)
      let distant = other.enter { realm in
        realm.refresh()
        return instances(in: realm, isRead: isRead, isGeneral: true)
      }
      #expect(old.count == LifecycleOrigin.all.count)
      var faults: [String] = []
      func after(_ kind: LifecycleKind) -> Expected {
        Expected(kind, ending.isCommit ? action.effect(on: kind) : .keeps)
      }

      realm.beginWrite()
      try action.run(realm)
      for instance in old {
        let expected = Expected(instance.origin.kind, action.effect(on: instance.origin.kind))
        faults += instance.faults(isValid: expected.isSame, value: expected.value, "in the write")
        // A frozen copy is of the version before the transaction.
        if expected.isSame, !instance.object.isInvalidated,
          LifecycleKind.value(of: instance.object.freeze()) != instance.origin.kind.value
        {
          faults.append("\(instance.origin.name): another value in a frozen copy")
        }
      }
      faults += faultsOfNewInstances(old, in: realm, "in the write", isGeneral: true) {
        Expected($0, action.effect(on: $0))
      }
      try ending.run(realm)

      for instance in old {
        let (kind, expected) = (instance.origin.kind, after(instance.origin.kind))
        let isValid = expected.isSame && !ending.revokes(action.effect(on: kind))
        faults += instance.faults(isValid: isValid, value: expected.value, "afterwards")
        guard let thawed = instance.frozen?.thaw() else {
          if expected.isSame { faults.append("\(instance.origin.name): not thawed") }
          continue
        }
        if !expected.isSame || LifecycleKind.value(of: thawed) != expected.value {
          faults.append("\(instance.origin.name): another thawed object")
        }
      }
      faults += faultsOfNewInstances(old, in: realm, "afterwards", isGeneral: false, after)
      for instance in instances(in: realm, isRead: false)
      where LifecycleKind.value(of: instance.object.freeze()) != after(instance.origin.kind).value {
        faults.append("\(instance.origin.name): another value frozen afterwards")
      }

      faults += other.enter { realm in
        var faults = distant.flatMap { instance in
          instance.faults(isValid: true, value: instance.origin.kind.value, "elsewhere before")
        }
        realm.refresh()
        for instance in distant {
          let expected = after(instance.origin.kind)
          faults += instance.faults(
            isValid: expected.isSame, value: expected.value, "elsewhere afterwards")
        }
        faults += faultsOfNewInstances(
          distant, in: realm, "elsewhere afterwards", isGeneral: true, after)
        return faults
      }
      #expect(faults == [], "\(action), \(ending), read before: \(isRead)")
    }
  }

  /// An event after the insertion of objects in the open transaction.
  enum Insertion: String, CaseIterable {
    case commit, cancel, invalidate, deleteAndCommit, deleteAndCancel, deleteAllAndCommit
    // A later transaction inserts objects with the same primary keys.
    case cancelAndInsert, deleteAndInsert, deleteCancelAndInsert

    func run(_ realm: Realm) throws {
      switch self {
      case .commit: try realm.commitWrite()
      case .cancel: realm.cancelWrite()
      case .invalidate: realm.invalidate()
      case .deleteAndCommit, .deleteAndCancel:
        LifecycleStore.delete(realm)
        if self == .deleteAndCommit { try realm.commitWrite() } else { realm.cancelWrite() }
      case .deleteAllAndCommit:
        realm.deleteAll()
        try realm.commitWrite()
      case .cancelAndInsert, .deleteAndInsert, .deleteCancelAndInsert:
        if self != .cancelAndInsert { LifecycleStore.delete(realm) }
        if self == .deleteAndInsert { try realm.commitWrite() } else { realm.cancelWrite() }
        try realm.write { LifecycleStore.insert(realm, adding: 200) }
      }
    }

    /// The table of the effects on the new objects.
    var effect: Effect {
      switch self {
      case .commit: .keeps
      case .cancel, .invalidate, .deleteAndCommit, .deleteAndCancel, .deleteAllAndCommit: .removes
      case .cancelAndInsert, .deleteAndInsert, .deleteCancelAndInsert: .replaces
      }
    }
  }

  @Test(arguments: Insertion.allCases)
  func `instances of objects of the same transaction`(insertion: Insertion) throws {
    for isRead in [false, true] {
      let (realm, other) = try realms()
      try realm.write { LifecycleStore.insertNeighbours(realm) }
      realm.beginWrite()
      LifecycleStore.insert(realm)
      let added = Milestone(value: ["mark": 9, "height": LifecycleKind.milestone.value])
      realm.add(added)
      let new = instances(in: realm, isRead: isRead, isGeneral: true, isFrozen: false)
      var faults = new.flatMap {
        $0.faults(isValid: true, value: $0.origin.kind.value, "in the write")
      }
      #expect(new.count == LifecycleOrigin.all.count { $0.isGeneral })
      try insertion.run(realm)
      func after(_ kind: LifecycleKind) -> Expected { Expected(kind, insertion.effect) }
      for instance in new {
        faults += instance.faults(
          isValid: insertion.effect == .keeps, value: instance.origin.kind.value, "afterwards")
      }
      let keepsAdded = [.commit, .deleteAndCommit, .deleteAndInsert].contains(insertion)
      if added.isInvalidated == keepsAdded || added.realm != realm {
        faults.append("the added object: isInvalidated \(!keepsAdded) expected")
      }
      #expect(faults == [], "\(insertion), read before: \(isRead)")
      let found = faultsOfNewInstances(new, in: realm, "afterwards", isGeneral: false, after)
      #expect(found == [], "\(insertion), read before: \(isRead)")
      let elsewhere = other.enter { realm in
        realm.refresh()
        return faultsOfNewInstances([], in: realm, "elsewhere", isGeneral: true, after)
      }
      #expect(elsewhere == [], "\(insertion), read before: \(isRead)")
    }
  }

  // MARK: Migration

  @Test func `objects of a migration are valid in its block`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/cadastre-lifecycle-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: folder + "/towers.cadastre"), schemaVersion: 1,
      objectTypes: [Tower.self, Bell.self, Milestone.self])
    try Self.fill(configuration)

    /// The objects of a migration, with the values that the block expects; nil for deleted ones.
    // Safe because the block runs while the Realm is opened, on the same thread.
    final class Block: @unchecked Sendable {
      var objects: [(name: String, object: ObjectBase, value: Int?)] = []
      var faults: [String] = []

      func check() {
        for (name, object, value) in objects {
          let found = object.isInvalidated ? nil : LifecycleKind.value(of: object)
          if found != value {
            faults.append("\(name): expected \(value ?? -1), found \(found ?? -1)")
          }
        }
      }
    }
    let block = Block()
    configuration.schemaVersion = 2
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Tower") { old, new in
        guard let old, let new, let id = old["id"] as? Int else { return }
        block.objects.append(("old tower \(id)", old, id == 2 ? LifecycleKind.tower.value : id))
        new["height"] = 100 + id
        if let bell = new["bell"] as? ObjectBase {
          block.objects.append(("new bell", bell, LifecycleKind.rowBell.value))
        }
        if let bell = old["bell"] as? ObjectBase {
          block.objects.append(("old bell", bell, LifecycleKind.rowBell.value))
        }
        block.objects.append(("new tower \(id)", new, id == 3 ? nil : 100 + id))
        if id == 3 { migration.delete(new) }
      }
      let created = migration.create("Milestone", value: ["mark": 5, "height": 5])
      block.objects.append(("created milestone", created, 5))
      migration.enumerateObjects(ofType: "Milestone") { old, new in
        guard let new, new["mark"] as? Int == 1 else { return }
        block.objects.append(("deleted milestone", new, nil))
        migration.delete(new)
      }
      block.check()
    }
    let realm = try Realm(configuration: configuration)
    #expect(block.faults == [])
    let new = block.objects.filter { !$0.name.hasPrefix("old") }
    #expect(new.filter { !$0.object.isInvalidated }.map(\.name) == [])
    let heights = realm.objects(Tower.self).map(\.height)
    #expect(Array(heights) == [101, 102])
    #expect(realm.objects(Milestone.self).sorted(by: \.mark).map(\.mark) == [2, 3, 5])
  }

  /// Makes a store, whose Realm is closed afterwards.
  private static func fill(_ configuration: Realm.Configuration) throws {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      LifecycleStore.insertNeighbours(realm)
      LifecycleStore.insert(realm)
    }
  }
}
