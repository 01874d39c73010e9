import Foundation
import RealmSwift
import Testing

/// The example of the README, as code written for Realm would import it.
@Suite struct ReadmeTests {
  class Location: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>  // longitude, latitude: a GeoJSON point

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Airport: Object {
    @Persisted(primaryKey: true) var icao: String
    @Persisted var name = ""
    @Persisted(indexed: true) var country = ""
    @Persisted var elevation: Double?
    @Persisted var location: Location?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `the example says what the README shows`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Airport.self, Location.self]))
    try realm.write {
      realm.create(
        Airport.self,
        value: [
          "icao": "LFPG", "name": "Paris Charles de Gaulle", "country": "FR", "elevation": 392,
          "location": ["coordinates": [2.55, 49.0128]],
        ], update: .modified)
    }
    let center = try #require(GeoPoint(latitude: 48.8566, longitude: 2.3522))
    let paris = GeoCircle(center: center, radius: try #require(.kilometers(100)))
    let near = realm.objects(Airport.self).where {
      $0.location.geoWithin(paris) && $0.elevation > 300
    }
    #expect(near.count == 1 && near.first?.name == "Paris Charles de Gaulle")
    let same = realm.objects(Airport.self)
      .filter("location GEOWITHIN %@ AND elevation > 300", paris)
    #expect(same.map(\.icao) == ["LFPG"])
  }

  class Person: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<Dog>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Dog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Boat: Object {
    @Persisted(fullText: true) var log = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `conditions reach as far as the README says`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self, Boat.self]))
    try realm.write {
      realm.create(
        Person.self,
        value: [
          "name": "Ada", "dogs": [["name": "Fido", "age": 12], ["name": "Rex", "age": 3]],
        ] as [String: Any])
      realm.create(
        Person.self, value: ["name": "Bo", "dogs": [["name": "Fido", "age": 2]]] as [String: Any])
      for log in ["A northern wind", "Calm wind", "wind wind from the north"] {
        realm.create(Boat.self, value: ["log": log])
      }
    }
    let people = realm.objects(Person.self)
    #expect(people.where { $0.dogs.age > 10 && $0.dogs.count >= 2 }.map(\.name) == ["Ada"])
    #expect(
      people.where { ($0.dogs.age > 10 && $0.dogs.name == "Fido").count > 0 }.map(\.name)
        == ["Ada"])
    #expect(
      try people.filter(#Predicate<Person> { $0.dogs.contains { $0.age > 10 } }).map(\.name)
        == ["Ada"])
    #expect(
      try realm.objects(Dog.self)
        .query(parsing: "ANY owners.name BEGINSWITH 'A' SORT(age DESC) LIMIT(3)").map(\.age)
        == [12, 3])
    #expect(
      Set(realm.objects(Boat.self).search("north* wind -calm", in: \.log).map(\.log))
        == ["wind wind from the north", "A northern wind"])
  }
}
