import CadastreTestSupport
import Foundation
import Testing

@testable import Cadastre
@testable import CadastreStore

class BatchSpot: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class that others link to.
class BatchOwner: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var age = 0
  @Persisted var lots: List<BatchLot>
  @Persisted var next: BatchOwner?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class that lists refer to.
class BatchLot: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: true) var group = 0
  @Persisted var owner: BatchOwner?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class that nothing depends on.
class BatchLeaf: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: true) var group = 0
  @Persisted var name = ""
  @Persisted var amount = 0.0
  @Persisted var note: AnyRealmValue
  @Persisted var owner: BatchOwner?
  @Persisted var spot: BatchSpot?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Changes of all objects of a result, compared with the same changes object by object.
@Suite struct BatchTests {
  /// Two stores with the same objects.
  private final class Pair {
    let batch: Realm
    let single: Realm
    private var random: SeededGenerator

    init(seed: UInt64, count: Int) throws {
      random = SeededGenerator(seed: seed)
      (batch, single) = (try Self.open(), try Self.open())
      for realm in [batch, single] {
        random = SeededGenerator(seed: seed)
        try realm.write { for id in 0..<count { add(id, to: realm) } }
      }
    }

    private static func open() throws -> Realm {
      try Realm(
        configuration: .init(
          inMemoryIdentifier: UUID().uuidString,
          objectTypes: [BatchOwner.self, BatchLot.self, BatchLeaf.self, BatchSpot.self]))
    }

    private func add(_ id: Int, to realm: Realm) {
      let owner = BatchOwner(value: ["id": id, "age": random.below(9)])
      if id > 0 { owner.next = realm.object(ofType: BatchOwner.self, forPrimaryKey: id - 1) }
      let lot = BatchLot(value: ["id": id, "group": random.below(9)])
      lot.owner = owner
      owner.lots.append(lot)
      let leaf = BatchLeaf(value: [
        "id": id, "group": random.below(9), "name": "n\(random.below(9))",
      ])
      if random.oneIn(2) { leaf.owner = owner }
      if random.oneIn(2) {
        leaf.spot = BatchSpot(value: ["coordinates": [Double(random.below(99)), 1.5]])
      }
      realm.add([lot])
      realm.add(leaf)
    }

    /// Runs both forms of a change, and compares contents and change sets.
    func expectSame(
      _ name: String, _ batchChange: (Realm) -> Void, _ singleChange: (Realm) -> Void
    ) throws {
      let versions = try [batch, single].map { try $0.core.file.snapshot().version }
      // Results that were read before are updated from the change sets.
      let live = [batch, single].map { $0.objects(BatchLeaf.self).where { $0.group < 4 } }
      _ = live.map(\.count)
      try batch.write { batchChange(batch) }
      try single.write { singleChange(single) }
      let files = [batch, single].map(\.core.file)
      let changes = try zip(files, versions).map { file, version in
        try file.changes(after: version, through: file.snapshot().version)?.classes
          ?? ChangesByClass()
      }
      #expect(changes[0] == changes[1], "\(name)")
      #expect(try rows(files[0]) == rows(files[1]), "\(name)")
      #expect(live[0].map(\.id) == live[1].map(\.id), "\(name)")
      #expect(
        live[0].map(\.id) == batch.objects(BatchLeaf.self).where { $0.group < 4 }.map(\.id),
        "\(name)")
      #expect(try StoreCheck(files[0].snapshot()).problems().isEmpty, "\(name)")
    }

    private func rows(_ file: StoreFile) throws -> [String: [Int64: [Value]]] {
      let snapshot = try file.snapshot()
      return try Dictionary(
        uniqueKeysWithValues: ["BatchOwner", "BatchLot", "BatchLeaf"].map { name in
          let layout = try #require(snapshot.catalogue.layout(name))
          return (name, try snapshot.rows(layout, from: ObjectKey(1), limit: 10_000))
        })
    }

    func number(_ bound: Int) -> Int { random.below(bound) }
  }

  @Test(arguments: Seeds.usual(1...5))
  func `a property of many objects is set as object by object`(seed: UInt64) throws {
    let pair = try Pair(seed: seed, count: 150 + Int(seed) * 40)
    let values: [(key: String, value: Any?)] = [
      ("amount", 2.5), ("amount", -0.0), ("name", "x"), ("group", 3), ("group", 8), ("note", 7),
      ("owner", nil), ("spot", nil), ("note", nil), ("name", "e\u{301}"),
    ]
    for (key, value) in values {
      let bound = pair.number(10)
      func results(_ realm: Realm) -> Results<BatchLeaf> {
        realm.objects(BatchLeaf.self).where { $0.group < bound || $0.id == 3 }
      }
      try pair.expectSame("seed \(seed): \(key) of groups below \(bound)") { realm in
        results(realm).setValue(value, forKey: key)
      } _: { realm in
        for leaf in Array(results(realm)) { leaf[key] = value }
      }
    }
  }

  @Test func `a typed value and a link are set as object by object`() throws {
    let pair = try Pair(seed: 9, count: 100)
    try pair.expectSame("amount") { realm in
      realm.objects(BatchLeaf.self).sorted(byKeyPath: "name").setValue(4, for: \.amount)
    } _: { realm in
      for leaf in Array(realm.objects(BatchLeaf.self)) { leaf.amount = 4 }
    }
    try pair.expectSame("link") { realm in
      realm.objects(BatchLeaf.self).setValue(realm.objects(BatchOwner.self).first, for: \.owner)
    } _: { realm in
      let owner = realm.objects(BatchOwner.self).first
      for leaf in Array(realm.objects(BatchLeaf.self)) { leaf.owner = owner }
    }
    try pair.expectSame("objects that the transaction added") { realm in
      realm.create(BatchLeaf.self, value: ["id": 1000])
      realm.objects(BatchLeaf.self).setValue("new", for: \.name)
    } _: { realm in
      realm.create(BatchLeaf.self, value: ["id": 1000])
      for leaf in Array(realm.objects(BatchLeaf.self)) { leaf.name = "new" }
    }
  }

  @Test(arguments: Seeds.usual(1...5))
  func `many objects are deleted as one by one`(seed: UInt64) throws {
    let pair = try Pair(seed: seed, count: 150 + Int(seed) * 40)
    let group = pair.number(9)
    try pair.expectSame("leaves") { realm in
      realm.delete(realm.objects(BatchLeaf.self).where { $0.group == group })
    } _: { realm in
      for leaf in Array(realm.objects(BatchLeaf.self).where { $0.group == group }) {
        realm.delete(leaf)
      }
    }
    try pair.expectSame("owners") { realm in
      realm.delete(realm.objects(BatchOwner.self).where { $0.age == group })
    } _: { realm in
      for owner in Array(realm.objects(BatchOwner.self).where { $0.age == group }) {
        realm.delete(owner)
      }
    }
    try pair.expectSame("all leaves") { realm in
      realm.create(BatchLeaf.self, value: ["id": 1000])
      realm.delete(realm.objects(BatchLeaf.self))
    } _: { realm in
      realm.create(BatchLeaf.self, value: ["id": 1000])
      for leaf in Array(realm.objects(BatchLeaf.self)) { realm.delete(leaf) }
    }
  }

  @Test func `many points are deleted from the spatial index`() throws {
    let realm = try Realm(
      configuration: .init(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [BatchOwner.self, BatchLot.self, BatchLeaf.self, BatchSpot.self]))
    try realm.write {
      for id in 0..<6000 {
        realm.create(
          BatchLeaf.self,
          value: ["id": id, "group": id % 2, "spot": ["coordinates": [Double(id % 90), 1]]])
      }
    }
    let file = realm.core.file
    try realm.write { realm.delete(realm.objects(BatchLeaf.self).where { $0.group == 0 }) }

    #expect(realm.objects(BatchLeaf.self).count == 3000)
    #expect(try StoreCheck(file.snapshot()).problems().isEmpty)
  }

  @Test func `a batch takes few statements, and held objects see it`() throws {
    let pair = try Pair(seed: 3, count: 500)
    let held = try #require(pair.batch.object(ofType: BatchLeaf.self, forPrimaryKey: 77))
    #expect(held.amount == 0)
    try pair.batch.write {
      let connection = try #require(pair.batch.core.transaction).flush(.rows).connection
      let before = connection.statementsRun
      pair.batch.objects(BatchLeaf.self).setValue(5, for: \.amount)
      #expect(connection.statementsRun - before < 20)
      #expect(held.amount == 5)
    }
    try pair.batch.write { pair.batch.delete(pair.batch.objects(BatchLeaf.self)) }
    #expect(held.isInvalidated)
  }
}
