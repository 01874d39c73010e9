import Foundation
import RealmSwift
import Testing

// The samples of Sources/Cadastre/Cadastre.docc/Upgrading.md, line by line.

class Place: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct UpgradingSamples {
  class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var born: Date?
    @Persisted var home: Place?
    @Persisted var friends: List<Person>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  struct PersonRecord: Codable {
    var id: Int
    var name: String
    var born: Date?
    var home: [Double]?  // longitude, latitude
    var friends: [Int]  // primary keys

    init(_ person: Person) {
      id = person.id
      name = person.name
      born = person.born
      home = person.home.map { Array($0.coordinates) }
      friends = person.friends.map(\.id)
    }
  }

  func exportPeople(of realm: Realm, to file: URL) throws {
    let records = realm.objects(Person.self).map(PersonRecord.init)
    try JSONEncoder().encode(Array(records)).write(to: file)
  }

  func importPeople(from file: URL, into realm: Realm) throws {
    let records = try JSONDecoder().decode([PersonRecord].self, from: Data(contentsOf: file))
    try realm.write {
      for record in records {
        let person = realm.create(
          Person.self, value: ["id": record.id, "name": record.name], update: .modified)
        person.born = record.born
        person.home = record.home.map { Place(value: ["coordinates": $0]) }
      }
      for record in records {
        let person = realm.object(ofType: Person.self, forPrimaryKey: record.id)
        for id in record.friends {
          guard let friend = realm.object(ofType: Person.self, forPrimaryKey: id) else { continue }
          person?.friends.append(friend)
        }
      }
    }
  }

  @Test func `people come over as JSON`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = try openRealm(Person.self, Place.self)
    try source.write {
      let ada = Person(value: ["id": 1, "name": "Ada", "born": Date(timeIntervalSince1970: 0.25)])
      let ben = Person(value: ["id": 2, "name": "Ben", "home": ["coordinates": [4.9, 52.37]]])
      ada.friends.append(ben)
      ben.friends.append(ada)
      source.add([ada, ben])
    }
    let file = folder.appendingPathComponent("people.json")

    try exportPeople(of: source, to: file)
    let realm = try openRealm(Person.self, Place.self)
    try importPeople(from: file, into: realm)

    let people = realm.objects(Person.self)
    #expect(people.map(\.name) == ["Ada", "Ben"])
    #expect(people.map { $0.friends.map(\.id) } == [[2], [1]])
    #expect(people[0].born == Date(timeIntervalSince1970: 0.25) && people[0].home == nil)
    #expect(people[1].home.map { Array($0.coordinates) } == [4.9, 52.37])
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
    #expect(samples.count == 4)
    for sample in samples {
      #expect(source.contains(lines(sample).joined(separator: "\n")), "not compiled:\n\(sample)")
    }
  }

  private func lines(_ text: String) -> [String] {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}
