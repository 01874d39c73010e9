import Foundation
import RealmSwift
import Testing

// The samples of Sources/Cadastre/Cadastre.docc/Upgrading.md, line by line.

/// The classes of a file that was made by a program with Realm; `nickname` is new.
enum Imported {
  class Person: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted(indexed: true) var name: String
    @Persisted var nickname: String
    @Persisted var born: Date?
    @Persisted var score: Double?
    @Persisted var tags: MutableSet<String>
    @Persisted var pets: List<Pet>
    @Persisted var home: Address?
    @Persisted var others: List<Address>
    @Persisted var byYear: Map<String, Int?>
    @Persisted var any: AnyRealmValue
    @Persisted(fullText: true) var bio: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Pet: Object {
    @Persisted var name: String?
    @Persisted var age: Int
    @Persisted var price: Decimal128
    @Persisted(originProperty: "pets") var owners: LinkingObjects<Person>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted var geo: Point?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Point: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func _realmObjectName() -> String? { "GeoPoint" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct UpgradingSamples {
  private typealias Person = Imported.Person
  private typealias Pet = Imported.Pet
  private typealias Address = Imported.Address
  private typealias Point = Imported.Point

  /// Calls a closure with the file of a program with Realm, and the path of a new store.
  private func withFiles(_ body: (_ realmFile: URL, _ store: URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("CadastreRealmFileTests/Fixtures/objectstore.realm")
    try body(fixture, folder.appendingPathComponent("app.cadastre"))
  }

  @Test func `the data of a program with Realm come over at the first start`() throws {
    try withFiles { realmFileURL, storeURL in
      let configuration = Realm.Configuration(
        fileURL: storeURL, schemaVersion: 6,
        migrationBlock: { migration, oldVersion in
          if oldVersion < 6 {
            migration.enumerateObjects(ofType: "Person") { old, new in
              new?["nickname"] = String((old?["name"] as? String ?? "").prefix(3))
            }
          }
        }, objectTypes: [Person.self, Pet.self, Address.self, Point.self],
        seedFilePath: realmFileURL)
      let realm = try Realm(configuration: configuration)

      let id = try ObjectId(string: "650000000000000000000001")
      let person = try #require(realm.object(ofType: Person.self, forPrimaryKey: id))
      #expect(person.name == "Person 1" && person.nickname == "Per" && person.score == 1.0 / 3)
      #expect(person.born == Date(timeIntervalSince1970: 100_000_000.5))
      #expect(Array(person.tags) == ["tag1"] && person.byYear["2020"] == 0)
      #expect(person.pets.map(\.price) == ["19.92"])
      #expect(person.pets[0].owners.map(\._id) == [id])
      #expect(person.home?.geo.map { Array($0.coordinates) } == [11.2, 56.15])
    }
  }

  @Test func `an import reports what was left out`() throws {
    try withFiles { realmFileURL, storeURL in
      let key: Data? = nil
      let result = try Realm.importRealmFile(
        at: realmFileURL, into: Realm.Configuration(fileURL: storeURL), encryptionKey: key)
      for note in result.notes { print(note) }

      #expect(result.objectCounts == ["Address": 5, "GeoPoint": 5, "Person": 7, "Pet": 12])
      #expect(result.schemaVersion == 5 && result.notes.isEmpty)
    }
  }

  enum First {
    class Contact: Object {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var firstName: String
      @Persisted var lastName: String
      @Persisted var mail: String?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Draft: Object {
      @Persisted var text: String

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  class Contact: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var fullName: String
    @Persisted var email: String?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `a block serves every earlier release`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("contacts.cadastre")
    try {
      let old = try Realm(
        configuration: Realm.Configuration(
          fileURL: url, schemaVersion: 1, objectTypes: [First.Contact.self, First.Draft.self]))
      try old.write {
        old.create(First.Contact.self, value: [7, "Ada", "Lovelace", "ada@example.org"])
        old.create(First.Draft.self, value: ["text"])
      }
    }()

    let configuration = Realm.Configuration(
      fileURL: url, schemaVersion: 3,
      migrationBlock: { migration, oldVersion in
        if oldVersion < 2 {
          migration.renameProperty(onType: "Contact", from: "mail", to: "email")
          migration.enumerateObjects(ofType: "Contact") { old, new in
            let first = old?["firstName"] as? String ?? ""
            let last = old?["lastName"] as? String ?? ""
            new?["fullName"] = "\(first) \(last)"
          }
        }
        if oldVersion < 3 {
          migration.enumerateObjects(ofType: "Contact") { old, new in
            new?["id"] = "\(old?["id"] as? Int ?? 0)"
          }
          migration.deleteData(forType: "Draft")
        }
      }, objectTypes: [Contact.self])
    let realm = try Realm(configuration: configuration)

    let ada = try #require(realm.object(ofType: Contact.self, forPrimaryKey: "7"))
    #expect(ada.fullName == "Ada Lovelace" && ada.email == "ada@example.org")
  }

  // MARK: The page

  @Test func `the page shows what is compiled here`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = root.appendingPathComponent("Sources/Cadastre/Cadastre.docc/Upgrading.md")
    let page = try String(contentsOf: article, encoding: .utf8)
    let source = try lines(String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8))
      .joined(separator: "\n")
    let samples = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(samples.count == 3)
    for sample in samples {
      #expect(source.contains(lines(sample).joined(separator: "\n")), "not compiled:\n\(sample)")
    }
  }

  private func lines(_ text: String) -> [String] {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}
