import Cadastre
import Foundation
import Testing
import TestingSupport

class Contact: Object {
  @Persisted var name = ""
  @Persisted var team: String?
  @Persisted var age = 0
  @Persisted var chief: Contact?
  @Persisted var marks: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Results in sections.
@Suite struct SectionTests {
  static func makeRealm() throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Contact.self]))
    try realm.write {
      for (name, team, age) in [
        ("Lisa", "red", 30), ("Mo", nil, 20), ("Larry", "blue", 20), ("Liam", "red", 20),
      ] as [(String, String?, Int)] {
        realm.create(Contact.self, value: ["name": name, "team": team as Any, "age": age])
      }
      realm.objects(Contact.self).first?.marks.append(objectsIn: [5, 2, 8, 3])
    }
    return realm
  }

  private let realm: Realm
  private let contacts: Results<Contact>

  init() throws {
    realm = try Self.makeRealm()
    contacts = realm.objects(Contact.self)
  }

  private func shape<Key>(_ sections: SectionedResults<Key, Contact>) -> [[String]] {
    sections.map { ["\($0.key)"] + $0.map(\.name) }
  }

  @Test func `sections by the first letter of a name`() {
    let sections = contacts.sectioned(
      by: { String($0.name.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "name")])
    #expect(shape(sections) == [["L", "Larry", "Liam", "Lisa"], ["M", "Mo"]])
    #expect(sections.allKeys == ["L", "M"] && sections.count == 2)
    #expect(sections[0].key == "L" && sections[0].id == "L" && sections[0].count == 3)
    #expect(sections[0][2].name == "Lisa" && sections[IndexPath(indexes: [1, 0])].name == "Mo")
  }

  @Test func `sections by a property`() {
    #expect(
      shape(contacts.sectioned(by: \.age)) == [["20", "Mo", "Larry", "Liam"], ["30", "Lisa"]])
    #expect(contacts.sectioned(by: \.age, ascending: false).allKeys == [30, 20])
    #expect(contacts.sectioned(by: \.team).allKeys == [nil, "blue", "red"])
    let sections = contacts.sectioned(
      by: \.age, sortDescriptors: [SortDescriptor(keyPath: \Contact.age, ascending: false), "name"])
    #expect(shape(sections) == [["30", "Lisa"], ["20", "Larry", "Liam", "Mo"]])
  }

  @Test func `a section gathers elements that are apart`() {
    let sections = contacts.sectioned(by: { $0.age }, sortDescriptors: ["name"])
    #expect(shape(sections) == [["20", "Larry", "Liam", "Mo"], ["30", "Lisa"]])
  }

  @Test func `values in sections`() throws {
    let marks = try #require(contacts.first).marks
    let sections = marks.sectioned(by: { $0.isMultiple(of: 2) }, ascending: false)
    #expect(sections.allKeys == [true, false])
    #expect(Array(sections[0]) == [8, 2] && Array(sections[1]) == [5, 3])
  }

  @Test func `sections follow the Realm`() throws {
    let sections = contacts.sectioned(by: \.team)
    let blue = sections[1]
    let closure = contacts.sectioned(by: { $0.team ?? "none" }, sortDescriptors: ["name"])
    #expect(blue.key == "blue" && blue.count == 1 && !blue.isInvalidated)
    #expect(closure.allKeys == ["blue", "red", "none"])
    try realm.write {
      contacts.where { $0.name == "Larry" }.first?.team = "red"
      #expect(sections.allKeys == [nil, "red"])
      #expect(closure.allKeys == ["red", "none"])
      realm.create(Contact.self, value: ["name": "Zoe", "team": "white"])
      #expect(sections.allKeys == [nil, "red", "white"] && blue.isEmpty && blue.isInvalidated)
    }
    try realm.write { contacts.last?.team = "blue" }
    #expect(blue.map(\.name) == ["Zoe"] && !blue.isInvalidated)
    for section in sections {
      try realm.write { realm.delete(Array(section)) }
    }
    #expect(sections.isEmpty && contacts.isEmpty)
  }

  @Test func `sections are equal when they divide the same`() throws {
    #expect(contacts.sectioned(by: \.age) == contacts.sectioned(by: \.age))
    #expect(contacts.sectioned(by: \.age) != contacts.sectioned(by: \.age, ascending: false))
    #expect(contacts.sectioned(by: \.age)[0] == contacts.sectioned(by: \.age)[0])
    #expect(contacts.sectioned(by: \.age)[0] != contacts.sectioned(by: \.age)[1])
    #expect(contacts.filter("age > 1").sectioned(by: \.age) != contacts.sectioned(by: \.age))
    #expect(contacts.sectioned(by: \.age).realm == realm)
    #expect(contacts.sorted(by: \.age) == contacts.sorted(by: \.age))
    #expect(contacts.sorted(by: \.age) != contacts.sorted(by: \.name))
  }

  @Test func `sections of a list end with its object`() throws {
    let first = try #require(contacts.first)
    let sections = first.marks.sectioned(by: { $0 > 4 })
    #expect(sections.count == 2 && sections.description.contains("true"))
    let section = sections[0]
    try realm.write { realm.delete(first) }
    #expect(sections.isInvalidated && section.isInvalidated && section.isEmpty)
  }

  @Test func `sections without an order`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.makeRealm().objects(Contact.self).sectioned(by: \.age, sortDescriptors: [])
    }
    expectStop(
      result, says: "There must be at least one SortDescriptor when using SectionedResults")
    let closure = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.makeRealm().objects(Contact.self).sectioned(by: { $0.name })
    }
    expectStop(
      closure, says: "There must be at least one SortDescriptor when using SectionedResults")
  }

  @Test func `sections by another property than the order`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.makeRealm().objects(Contact.self).sectioned(by: \.age, sortDescriptors: ["name"])
    }
    expectStop(result, says: "The section key path must match the primary sort descriptor")
  }

  @Test func `sections by links`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.makeRealm().objects(Contact.self).sectioned(by: \.chief)
    }
    expectStop(result, says: "Links are not supported as section keys")
  }

  @Test func `indexes out of bounds`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.makeRealm().objects(Contact.self).sectioned(by: \.age)[2]
    }
    expectStop(result, says: "Index 2 is out of bounds (must be less than 2)")
    let element = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.makeRealm().objects(Contact.self).sectioned(by: \.age)[0][3]
    }
    expectStop(element, says: "Index 3 is out of bounds (must be less than 3)")
  }
}
