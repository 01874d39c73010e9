import Cadastre
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// Values and results of objects that are held while others are written and deleted.
@Suite struct ResultValidityTests {
  final class Person: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var score = 0
  }

  final class Box: Object {
    @Persisted var content: AnyRealmValue
    @Persisted var numbers: List<Int>
  }

  private func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Box.self]))
  }

  @Test func `an object in a map of any values is deleted`() throws {
    let realm = try realm()
    let boxes = realm.objects(Box.self).filter("content['k'] == obj('Person', 1)")
    let others = realm.objects(Box.self).filter("content['k'] != obj('Person', 1)")
    try realm.write {
      let person = realm.create(Person.self, value: ["id": 1])
      let box = realm.create(Box.self)
      box.content = .fromDictionary(["k": .object(person)])
    }
    #expect(boxes.count == 1 && others.isEmpty)
    try realm.write { realm.delete(realm.objects(Person.self)) }
    let fresh = realm.objects(Box.self).filter("content['k'] == obj('Person', 1)").count
    #expect(boxes.count == fresh)
    #expect(
      others.count == realm.objects(Box.self).filter("content['k'] != obj('Person', 1)").count)
  }

  @Test func `objects of different rolled-back transactions differ`() throws {
    let realm = try realm()
    var made: [Person] = []
    for _ in 0..<3 {
      realm.beginWrite()
      let person = realm.create(Person.self, value: ["id": 1])
      #expect(person == realm.objects(Person.self).first)
      made.append(person)
      realm.cancelWrite()
    }
    try realm.write { made.append(realm.create(Person.self, value: ["id": 1])) }
    for (index, person) in made.enumerated() {
      #expect(made.map { $0 == person } == made.indices.map { $0 == index })
      #expect(person.isInvalidated == (index < 3))
    }
  }

  @Test(arguments: [1, 16, 256, 300, 1000])
  func `held objects have their own values`(count: Int) throws {
    let realm = try realm()
    try realm.write {
      for id in 0..<count { realm.create(Person.self, value: ["id": id, "name": "\(id)"]) }
    }
    let held = Array(realm.objects(Person.self).sorted(byKeyPath: "id"))
    for _ in 0..<2 { #expect(held.map(\.name) == (0..<count).map(String.init)) }
    try realm.write {
      for (id, person) in held.enumerated().reversed() {
        person.name += "!"
        person.score = id
        #expect(held[(id * 7) % count].id == (id * 7) % count)
      }
      #expect(held.map(\.name) == (0..<count).map { "\($0)!" })
    }
    #expect(held.sorted { $0.name < $1.name }.map(\.name) == (0..<count).map { "\($0)!" }.sorted())
    realm.beginWrite()
    for person in held { person.name = "cancelled" }
    realm.cancelWrite()
    #expect(held.map(\.name) == (0..<count).map { "\($0)!" })
    try realm.write {
      for person in held { person.name = "\(person.score)" }
      #expect(held.map(\.name) == (0..<count).map(String.init))
    }
    #expect(held.map(\.score) == Array(0..<count))
    let frozen = held.map { $0.freeze() }
    try realm.write { realm.delete(Array(held.prefix(count / 2))) }
    #expect(held.map(\.isInvalidated) == (0..<count).map { $0 < count / 2 })
    #expect(frozen.map(\.name) == (0..<count).map(String.init))
  }
}
