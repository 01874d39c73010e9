import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import Cadastre

/// I/O errors in write transactions: the process goes on, and `write` throws.
@Suite struct FailedTransactionTests {
  private let folder: URL
  private let url: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "faults.cadastre")
  }

  final class Part: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var sizes: List<Int>
  }

  final class Thing: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var name = ""
    @Persisted var weight: Double?
    @Persisted var blob = Data()
    @Persisted var tags: List<String>
    @Persisted var codes: MutableSet<Int>
    @Persisted var notes: Map<String, String>
    @Persisted var next: Thing?
    @Persisted var part: Part?
    @Persisted var parts: List<Part>
    @Persisted var anything: AnyRealmValue
    @Persisted(originProperty: "next") var previous: LinkingObjects<Thing>
  }

  private func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(fileURL: url, objectTypes: [Thing.self, Part.self]))
  }

  private static func thing(_ id: Int) -> Thing {
    let thing = Thing()
    thing.id = id
    thing.name = "thing \(id)"
    thing.tags.append(objectsIn: ["a", "b"])
    thing.part = Part(value: ["name": "part", "sizes": [1, 2]])
    thing.parts.append(Part(value: ["name": "first"]))
    return thing
  }

  /// Lets the file of a transaction grow no further, as a full disk does.
  private static func fillDisk(_ realm: Realm) throws {
    let connection = try #require(realm.core.transaction).flush(.rows).connection
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    try connection.run("PRAGMA cache_size = 4")
    try connection.run("PRAGMA max_page_count = \(pages)")
  }

  private static func freeDisk(_ realm: Realm) throws {
    try realm.core.file.beginWrite().flush(.rows).connection.run(
      "PRAGMA max_page_count = 1073741823")
  }

  /// The operations of a program after the disk is full, by name; each must neither stop nor throw.
  private static let operations: [(String, @Sendable (Realm, Thing) -> Void)] = [
    ("add", { realm, _ in realm.add(thing(1000)) }),
    ("add many", { realm, _ in realm.add((2000..<2100).map(thing)) }),
    (
      "create and set",
      { realm, _ in
        let made = realm.create(Thing.self, value: ["id": 3000, "tags": ["x"]])
        made.name = "later"
        made.tags.append("more")
        made.part = Part(value: ["name": "new"])
        _ = (made.name, made.tags.count, made.part?.name, made.previous.count)
      }
    ),
    ("upsert", { realm, _ in realm.create(Thing.self, value: ["id": 1], update: .modified) }),
    ("set a value", { _, thing in thing.name = String(repeating: "n", count: 20_000) }),
    ("set data", { _, thing in thing.blob = Data(count: 200_000) }),
    (
      "set a link",
      { realm, thing in thing.next = realm.object(ofType: Thing.self, forPrimaryKey: 2) }
    ),
    ("set an embedded object", { _, thing in thing.part = Part(value: ["name": "other"]) }),
    ("set a member", { _, thing in thing.part?.name = "renamed" }),
    (
      "append to a list",
      { _, thing in thing.tags.append(objectsIn: (0..<500).map { "tag \($0)" }) }
    ),
    ("replace in a list", { _, thing in thing.tags[0] = "z" }),
    ("remove from a list", { _, thing in thing.tags.removeAll() }),
    (
      "embedded list", { _, thing in thing.parts.append(Part(value: ["name": "p", "sizes": [1]])) }
    ),
    ("set", { _, thing in thing.codes.insert(objectsIn: Array(0..<500)) }),
    ("map", { _, thing in for key in 0..<200 { thing.notes["k\(key)"] = "v" } }),
    ("mixed", { _, thing in thing.anything = .string(String(repeating: "m", count: 20_000)) }),
    ("delete", { realm, thing in realm.delete(thing) }),
    ("delete results", { realm, _ in realm.delete(realm.objects(Thing.self)) }),
    ("delete all", { realm, _ in realm.deleteAll() }),
    (
      "read",
      { realm, thing in
        let things = realm.objects(Thing.self).where { $0.name.starts(with: "thing") }
        _ = (things.count, things.first?.name, things.sum(of: \.id), thing.tags.joined())
        for thing in things.sorted(byKeyPath: "name") { _ = thing.parts.first?.sizes.first }
      }
    ),
  ]

  private static func contents(_ realm: Realm) -> [String] {
    realm.objects(Thing.self).sorted(byKeyPath: "id").map { thing in
      "\(thing.id) \(thing.name) \(Array(thing.tags)) \(thing.part?.name ?? "-") \(thing.parts.count) "
        + "\(thing.codes.count) \(thing.notes.count)"
    }
  }

  @Test(arguments: operations.indices)
  func `on a full disk every operation is survived, and the write throws`(index: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (name, operation) = Self.operations[index]
    let realm = try realm()
    try realm.write { realm.add((0..<50).map(Self.thing)) }
    let before = Self.contents(realm)
    let first = try #require(realm.object(ofType: Thing.self, forPrimaryKey: 1))
    let error = #expect(throws: Realm.Error.self, "\(name)") {
      try realm.write {
        try Self.fillDisk(realm)
        // What surely fails, then the operation in the failed transaction.
        realm.add(
          (10_000..<10_200).map { id in
            let thing = Self.thing(id)
            thing.blob = Data(count: 5000)
            return thing
          })
        operation(realm, first)
      }
    }
    #expect(error?.code == .outOfDiskSpace, "\(name): \(error as Any)")
    #expect(!realm.isInWriteTransaction)
    try Self.freeDisk(realm)
    #expect(Self.contents(realm) == before, "\(name)")
    #expect(!first.isInvalidated || name.hasPrefix("delete"), "\(name)")
    // The Realm goes on.
    try realm.write { realm.add(Self.thing(777)) }
    #expect(realm.object(ofType: Thing.self, forPrimaryKey: 777)?.part?.name == "part")
    #expect(realm.readError == nil)
    let problems = try StoreCheck(realm.core.file.snapshot()).problems()
    #expect(problems.isEmpty, "\(name): \(problems)")
  }

  @Test func `a transaction that fails can be cancelled`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let realm = try realm()
    realm.beginWrite()
    try Self.fillDisk(realm)
    realm.add((0..<500).map(Self.thing))
    realm.cancelWrite()
    try Self.freeDisk(realm)
    try realm.write { realm.add(Self.thing(1)) }
    #expect(realm.objects(Thing.self).count == 1)
  }

  @Test func `a transaction that cannot begin ignores changes, and its commit throws`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Realm.Configuration(
      fileURL: url, objectTypes: [Thing.self, Part.self])
    configuration.writeTimeout = 0.05
    let realm = try Realm(configuration: configuration)
    let other = try realm.core.file.beginWrite()
    realm.beginWrite()
    #expect(realm.isInWriteTransaction)
    realm.add(Self.thing(1))
    let made = realm.create(Thing.self, value: ["id": 2])
    made.name = "ignored"
    #expect(throws: Realm.Error.self) { try realm.commitWrite() }
    #expect(!realm.isInWriteTransaction && realm.isEmpty)
    other.rollback()
    try realm.write { realm.add(Self.thing(3)) }
    #expect(realm.objects(Thing.self).count == 1)
  }

  @Test func `objects of a transaction that cannot begin have their own values until it ends`()
    throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Realm.Configuration(
      fileURL: url, objectTypes: [Thing.self, Part.self])
    configuration.writeTimeout = 0.05
    let realm = try Realm(configuration: configuration)
    let stored = Thing(value: ["id": 9, "name": "stored"])
    try realm.write { realm.add(stored) }
    let other = try realm.core.file.beginWrite()
    realm.beginWrite()
    let first = realm.create(Thing.self, value: ["id": 1, "name": "one", "part": ["name": "x"]])
    let second = realm.create(Thing.self, value: ["id": 2, "name": "two"])
    second.weight = 7
    while (first.weight ?? 0) < 3 { first.weight = (first.weight ?? 0) + 1 }
    // Reads of other objects change nothing.
    #expect(stored.name == "stored" && realm.objects(Thing.self).count == 1)
    while (first.weight ?? 0) < 5 { first.weight = (first.weight ?? 0) + 1 }
    #expect(first.id == 1 && first.name == "one" && first.weight == 5)
    #expect(second.id == 2 && second.name == "two" && second.weight == 7)
    #expect(first.part?.name == "x" && second.part == nil)
    #expect(!first.isInvalidated)
    realm.cancelWrite()
    other.rollback()
    #expect(first.isInvalidated && second.isInvalidated)
    try realm.write { realm.create(Thing.self, value: ["id": 3, "name": "three"]) }
    #expect(first.isInvalidated && realm.readError == nil)
    #expect(realm.objects(Thing.self).sorted(byKeyPath: "id").map(\.name) == ["three", "stored"])
  }

  @Test func `a transaction that cannot begin is open until it ends`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Realm.Configuration(
      fileURL: url, objectTypes: [Thing.self, Part.self])
    configuration.writeTimeout = 0.05
    let realm = try Realm(configuration: configuration)
    #expect(realm.isEmpty)
    let other = try realm.core.file.beginWrite()
    realm.beginWrite()
    other.rollback()
    let queue = DispatchQueue(label: "writer")
    try queue.sync {
      let writer = try Realm(configuration: configuration, queue: queue)
      try writer.write { writer.add(Self.thing(1)) }
    }
    // A Realm does not move in a write.
    let version = realm.core.version
    #expect(!realm.refresh())
    #expect(realm.core.version == version)
    realm.invalidate()
    #expect(!realm.isInWriteTransaction)
    try realm.write { realm.add(Self.thing(3)) }
    #expect(realm.objects(Thing.self).count == 2)
  }
}
