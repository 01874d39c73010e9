import Cadastre
import CadastreModel
import Foundation
import Testing

/// Classes that become embedded or top-level, or whose objects are stored differently.
@Suite struct EmbeddedMigrationTests {
  enum Old {
    class City: ReleaseObject {
      @Persisted var name: String
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>
    }
    class Address: ReleaseObject {
      @Persisted var street: String
      @Persisted var city: City?
    }
    class Person: ReleaseObject {
      @Persisted var name: String
      @Persisted var address: Address?
      @Persisted var others: List<Address>
      @Persisted var byName: Map<String, Address?>
    }
    class Note: ReleaseObject {
      @Persisted var about: AnyRealmValue
    }
    static let types: [ObjectBase.Type] = [City.self, Address.self, Person.self, Note.self]
  }

  enum New {
    class City: ReleaseEmbedded {
      @Persisted var name: String
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>
    }
    class Address: ReleaseEmbedded {
      @Persisted var street: String
      @Persisted var city: City?
    }
    class Person: ReleaseObject {
      @Persisted var name: String
      @Persisted var address: Address?
      @Persisted var others: List<Address>
      @Persisted var byName: Map<String, Address?>
    }
    static let types: [ObjectBase.Type] = [City.self, Address.self, Person.self]
  }

  private let releases: Releases

  init() throws {
    releases = try Releases()
    try releases.write(0, Old.types) { realm in
      for number in 0..<3 {
        let address = { (name: String) -> [String: Any] in
          [
            "street": "\(name) \(number)",
            "city": [
              "name": "C\(number)", "coordinates": [Double(number), 50.0 + Double(number)],
            ],
          ]
        }
        realm.create(
          Old.Person.self,
          value: [
            "name": "P\(number)", "address": address("main"),
            "others": (0..<number).map { address("other \($0)") },
            "byName": ["a": address("map"), "b": nil] as [String: Any?],
          ])
      }
    }
  }

  private func expectRight(_ realm: Realm, _ count: Int = 3) throws {
    let people = realm.objects(New.Person.self)
    #expect(people.count == count)
    for (number, person) in people.enumerated() where number < 3 {
      #expect(person.address?.street == "main \(number)")
      #expect(person.address?.city?.name == "C\(number)")
      #expect(
        person.address?.city.map { Array($0.coordinates) } == [Double(number), 50 + Double(number)])
      #expect(person.others.map(\.street) == (0..<number).map { "other \($0) \(number)" })
      #expect(person.others.allSatisfy { $0.city?.name == "C\(number)" })
      #expect(person.byName["a"]??.street == "map \(number)")
      #expect(person.byName.keys.sorted() == ["a", "b"])
    }
    let box = GeoBox(
      bottomLeft: try #require(GeoPoint(latitude: 50.5, longitude: 0.5)),
      topRight: try #require(GeoPoint(latitude: 52.5, longitude: 2.5)))
    #expect(
      people.where { $0.address.city.geoWithin(box) }.map(\.name)
        == ["P1", "P2"].filter { name in people.contains { $0.name == name } })
  }

  @Test func `objects move into their owners and out again`() throws {
    try releases.open(1, New.types) { realm in try expectRight(realm) }
    try releases.open(2, Old.types) { realm in
      let people = realm.objects(Old.Person.self)
      #expect(people.map { $0.address?.street } == ["main 0", "main 1", "main 2"])
      #expect(people.map { $0.address?.city?.name } == ["C0", "C1", "C2"])
      #expect(people[2].others.map { $0.city?.coordinates[1] } == [52, 52])
      #expect(realm.objects(Old.Address.self).count == 9)
      #expect(realm.objects(Old.City.self).count == 9)
      try realm.write { realm.delete(try #require(people.first?.address)) }
      #expect(people.first?.address == nil)
      try realm.write { realm.delete(realm.objects(Old.City.self).filter("name == 'C0'")) }
      try realm.write { realm.delete(realm.objects(Old.Person.self).filter("name == 'P0'")) }
    }
    // The address in the first person's map has no owner now.
    let error = try releases.refusal(3, New.types)
    #expect(
      error.description.contains(
        "Cannot convert 'Address' to embedded: at least one object has no incoming links and would be "
          + "deleted."))
    try releases.open(3, New.types) { migration, _ in
      migration.enumerateObjects(ofType: "Address") { old, new in
        if old?["street"] as? String == "map 0", let new { migration.delete(new) }
      }
    } _: { realm in
      #expect(realm.objects(New.Person.self).map(\.name) == ["P1", "P2"])
      #expect(realm.objects(New.Person.self).map { $0.address?.city?.name } == ["C1", "C2"])
    }
  }

  @Test func `an object with two owners is refused`() throws {
    try releases.write(0, Old.types) { realm in
      let people = realm.objects(Old.Person.self)
      realm.create(Old.Person.self, value: ["name": "P3", "address": people[0].address as Any])
      let note = Old.Note()
      note.about = people[1].address.map(AnyRealmValue.object) ?? .none
      realm.add(note)
    }
    let error = try releases.refusal(1, New.types)
    #expect(error.code == .fail)
    #expect(
      error.description.contains(
        "Cannot convert 'Address' to embedded: at least one object has more than one incoming link."
      ))
    #expect(error.description.contains("at least one value of any type links to an object."))
    try releases.open(1, New.types) { migration, _ in
      migration.deleteData(forType: "Note")
      migration.enumerateObjects(ofType: "Person") { old, new in
        guard old?["name"] as? String == "P3", let address = new?["address"] as? MigrationObject
        else { return }
        let city = migration.create("City", value: ["name": "copy", "coordinates": [9.0, 9.0]])
        new?["address"] = migration.create(
          "Address", value: ["street": address["street"] ?? ""])
        (new?["address"] as? MigrationObject)?["city"] = city
        new?.dynamicList("others").append(migration.create("Address", value: ["street": "added"]))
      }
    } _: { realm in
      try expectRight(realm, 4)
      let last = try #require(realm.objects(New.Person.self).last)
      #expect(last.address?.street == "main 0" && last.address?.city?.name == "copy")
      #expect(last.others.map(\.street) == ["added"])
    }
  }

  @Test func `embedded objects are visited wherever they are`() throws {
    try releases.open(1, New.types) { _ in }
    try releases.open(2, New.types) { migration, _ in
      var streets: [String] = []
      migration.enumerateObjects(ofType: "Address") { old, new in
        #expect(old?["street"] as? String == new?["street"] as? String)
        streets.append(old?["street"] as? String ?? "")
        new?["street"] = "\(streets.count)"
      }
      #expect(
        streets.sorted() == [
          "main 0", "main 1", "main 2", "map 0", "map 1", "map 2", "other 0 1", "other 0 2",
          "other 1 2",
        ])
      var cities = 0
      migration.enumerateObjects(ofType: "City") { old, new in
        cities += 1
        new?["coordinates"] = [1.0, 1.0]
        #expect(old != nil)
      }
      #expect(cities == 9)
    } _: { realm in
      let circle = GeoCircle(
        center: try #require(GeoPoint(latitude: 1, longitude: 1)),
        radius: try #require(.kilometers(1)))
      #expect(realm.objects(New.Person.self).where { $0.address.city.geoWithin(circle) }.count == 3)
      let streets = realm.objects(New.Person.self).compactMap { $0.address?.street }
      #expect(streets.count == 3 && streets.allSatisfy { Int($0) != nil })
    }
  }

  // MARK: Classes that hold themselves

  enum Flat {
    class Node: ReleaseEmbedded {
      @Persisted var name: String
      @Persisted var marks: List<Int>
    }
    class Tree: ReleaseObject {
      @Persisted var root: Node?
      @Persisted(indexed: true) var name: String
    }
    static let types: [ObjectBase.Type] = [Node.self, Tree.self]
  }

  enum Deep {
    class Node: ReleaseEmbedded {
      @Persisted var name: String
      @Persisted var marks: List<Int>
      @Persisted var child: Node?
    }
    class Tree: ReleaseObject {
      @Persisted var root: Node?
      @Persisted(indexed: true) var name: String
    }
    static let types: [ObjectBase.Type] = [Node.self, Tree.self]
  }

  @Test func `an embedded class comes to hold itself, and ceases to`() throws {
    let releases = try Releases()
    try releases.write(1, Flat.types) { realm in
      for number in 0..<3 {
        realm.create(
          Flat.Tree.self,
          value: [
            "name": "T\(number)",
            "root": number == 1 ? nil : ["name": "N\(number)", "marks": [number, 7]],
          ] as [String: Any?])
      }
    }
    try releases.open(2, Deep.types) { realm in
      let trees = realm.objects(Deep.Tree.self)
      #expect(trees.map { $0.root?.name } == ["N0", nil, "N2"])
      #expect(trees[2].root.map { Array($0.marks) } == [2, 7])
      try realm.write { trees[2].root?.child = Deep.Node(value: ["name": "child"]) }
    }
    try releases.open(3, Flat.types) { realm in
      let trees = realm.objects(Flat.Tree.self)
      #expect(trees.map { $0.root?.name } == ["N0", nil, "N2"])
      #expect(trees[2].root.map { Array($0.marks) } == [2, 7])
    }
  }
}
