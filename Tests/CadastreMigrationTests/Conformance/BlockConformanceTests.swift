import Cadastre
import Foundation
import Testing

/// Migration blocks that throw, that cannot throw, and what they read by name.
@Suite struct BlockConformanceTests {
  private struct Refused: Error {}

  /// Changes before an error.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let migrate: @Sendable (Migration) -> Void
  }

  private static let changes = [
    Change(testDescription: "an object is created") {
      $0.create("Dog", value: ["id": 9, "name": "x"])
    },
    Change(testDescription: "objects are deleted") { migration in
      migration.enumerateObjects(ofType: "Dog") { _, new in
        if let new { migration.delete(new) }
      }
    },
    Change(testDescription: "objects are changed") { migration in
      migration.enumerateObjects(ofType: "Dog") { _, new in new?["name"] = "changed" }
    },
    Change(testDescription: "the data of a class is deleted") { $0.deleteData(forType: "Dog") },
    Change(testDescription: "the data of a removed class is deleted") {
      $0.deleteData(forType: "Log")
    },
    Change(testDescription: "an object of a new class is created") {
      $0.create("Kennel", value: ["name": "K"])
    },
  ]

  @Test(arguments: changes) func `an error of the block leaves the store`(
    _ change: Change
  ) throws {
    let kennels = try Kennels()
    let configuration = kennels.releases.configuration(2, Kennels.Next.types) { migration, _ in
      change.migrate(migration)
      throw Refused()
    }
    #expect(throws: Refused.self) { _ = try Realm(configuration: configuration) }
    try kennels.releases.open(1, Kennels.First.types) { realm in
      #expect(realm.objects(Kennels.First.Dog.self).map(\.name) == ["D1", "D2", "D3", "D4"])
      #expect(realm.objects(Kennels.First.Person.self).map(\.dogs.count) == [4, 3])
      #expect(realm.objects(Kennels.First.Log.self).count == 1)
    }
  }

  @Test func `a block that cannot throw is stored and called without try`() throws {
    let kennels = try Kennels()
    let rename: MigrationBlock = { migration, version in
      #expect(version == 1)
      migration.enumerateObjects(ofType: "Dog") { _, new in new?["name"] = "d" }
    }
    let all: MigrationBlock = { migration, version in
      rename(migration, version)
      migration.create("Kennel", value: ["name": "K"])
    }
    var configuration = kennels.releases.configuration(2, Kennels.Next.types)
    configuration.migrationBlock = all
    try Realm.performMigration(for: configuration)
    let realm = try Realm(configuration: configuration)
    #expect(Set(realm.objects(Kennels.Next.Dog.self).map(\.name)) == ["d"])
    #expect(Kennels.kennels(realm) == ["K [] -"])
  }

  // MARK: Reading by name

  class Typed: ReleaseObject {
    @Persisted var bool = true
    @Persisted var int8: Int8 = 5
    @Persisted var float: Float = 1.5
    @Persisted var double = 2.5
    @Persisted var string = "s"
    @Persisted var data = Data([1])
    @Persisted var date = Date(timeIntervalSince1970: 9)
    @Persisted var id = ObjectId()
    @Persisted var decimal = Decimal128(3)
    @Persisted var uuid = UUID()
    @Persisted var absent: Int?
    @Persisted var link: Typed?
    @Persisted var mixed = AnyRealmValue.string("m")
    @Persisted var mixedList = AnyRealmValue.fromArray([.int(1)])
    @Persisted var ints: List<Int16>
    @Persisted var words: MutableSet<String?>
    @Persisted var dates: Map<String, Date>
    @Persisted var links: List<Typed>
    @Persisted var linksByName: Map<String, Typed?>

    override class func className() -> String { "Typed" }
  }

  /// A property and the type of its value in objects without their Swift class.
  struct Reading: CustomTestStringConvertible, Sendable {
    let property: String
    let type: String
    var testDescription: String { property }
  }

  private static let readings = [
    ("bool", "Bool"), ("int8", "Int"), ("float", "Float"), ("double", "Double"),
    ("string", "String"), ("data", "Data"), ("date", "Date"), ("id", "ObjectId"),
    ("decimal", "Decimal128"), ("uuid", "UUID"), ("absent", "nil"), ("link", "nil"),
    ("mixed", "String"), ("mixedList", "List<AnyRealmValue>"), ("ints", "List<Int>"),
    ("words", "MutableSet<Optional<String>>"), ("dates", "Map<String, Date>"),
    ("links", "List<DynamicObject>"), ("linksByName", "Map<String, Optional<DynamicObject>>"),
  ].map { Reading(property: $0, type: $1) }

  @Test(arguments: readings) func `properties have stored types in old and new objects`(
    _ reading: Reading
  ) throws {
    let releases = try Releases()
    try releases.write(1, [Typed.self]) { $0.add(Typed()) }
    try releases.open(2, [Typed.self]) { migration, _ in
      migration.enumerateObjects(ofType: "Typed") { old, new in
        for object in [old, new] {
          let type = object?[reading.property].map { "\(Swift.type(of: $0))" }
          #expect(type ?? "nil" == reading.type)
        }
      }
    } _: {
      #expect($0.objects(Typed.self).count == 1)
    }
  }
}
