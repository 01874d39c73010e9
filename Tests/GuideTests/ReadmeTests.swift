import Cadastre
import Foundation
import Testing
import TestingSupport

/// The samples of the README.
@Suite struct ReadmeTests {
  class Location: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>  // longitude, latitude: a GeoJSON point

    convenience init(longitude: Double, latitude: Double) {
      self.init()
      coordinates.append(objectsIn: [longitude, latitude])
    }

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

  // In a process of its own, because `Realm()` opens the default configuration of the process.
  @Test func `the example prints what the README says`() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      Realm.Configuration.defaultConfiguration = Realm.Configuration(
        inMemoryIdentifier: "readme", objectTypes: [Airport.self, Location.self])
      try await Self.example()
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(
      output.hasPrefix("1 Paris Charles de Gaulle\nFilter elevation > 300.0"), "\(output)")
    #expect(output.hasSuffix("2 [] [1] []\n"), "\(output)")
  }

  @MainActor private static func example() async throws {
    let realm = try Realm()
    try realm.write {
      let airport = Airport()
      airport.icao = "LFPG"
      airport.name = "Paris Charles de Gaulle"
      airport.country = "FR"
      airport.elevation = 392
      airport.location = Location(longitude: 2.55, latitude: 49.0128)
      realm.add(airport, update: .modified)
    }
    // swift-format-ignore: NeverForceUnwrap
    let paris = GeoCircle(
      center: GeoPoint(latitude: 48.8566, longitude: 2.3522)!, radius: .kilometers(100)!)
    let near = realm.objects(Airport.self).where {
      $0.location.geoWithin(paris) && $0.elevation > 300
    }
    print(near.count, near.first?.name ?? "none")
    print(near.explain())

    let same = realm.objects(Airport.self).filter(
      "location GEOWITHIN %@ AND elevation > 300", paris)
    precondition(same.map(\.icao) == ["LFPG"])
    let point = paris.center
    for (airport, distance) in realm.objects(Airport.self).nearest(10, to: point).withDistances(
      from: point)
    {
      print(airport.name, distance?.asMeters() ?? .nan)
    }
    try await observe(near, of: realm)
  }

  @MainActor private static func observe(_ near: Results<Airport>, of realm: Realm) async throws {
    let token = near.observe { change in
      if case .update(let airports, let deletions, let insertions, let modifications) = change {
        print(airports.count, deletions, insertions, modifications)
      }
    }
    // The first notifications, in the order of the observers, have the state before this change.
    var states: [Int] = []
    let counting = near.observe { _ in states.append(near.count) }
    try await waitUntil("a notification") { states == [1] }
    try realm.write {
      let airport = Airport()
      airport.icao = "LFPB"
      airport.elevation = 400
      airport.location = Location(longitude: 2.44, latitude: 48.97)
      realm.add(airport)
    }
    try await waitUntil("a notification") { states.last == 2 }
    withExtendedLifetime((token, counting)) {}
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
    let realm = try openRealm(Person.self, Dog.self, Boat.self)
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
    let several = realm.objects(Person.self).where { $0.dogs.age > 10 && $0.dogs.count >= 2 }
    let oldFido = realm.objects(Person.self).where {
      ($0.dogs.age > 10 && $0.dogs.name == "Fido").count > 0
    }
    let old = try realm.objects(Person.self).filter(
      #Predicate<Person> { $0.dogs.contains { $0.age > 10 } })
    let dogs = try realm.objects(Dog.self).query(
      parsing: "ANY owners.name BEGINSWITH 'A' SORT(age DESC) LIMIT(3)")
    // The property is marked with @Persisted(fullText: true).
    let logs = realm.objects(Boat.self).search("north* wind -calm", in: \.log)
    #expect([several, oldFido, old].allSatisfy { $0.map(\.name) == ["Ada"] })
    #expect(dogs.map(\.age) == [12, 3])
    #expect(Set(logs.map(\.log)) == ["wind wind from the north", "A northern wind"])
  }

  class Country: Object {
    @Persisted var name = ""
    @Persisted var border: Geometry

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `objects are joined as the README says`() throws {
    let realm = try openRealm(Airport.self, Location.self, Country.self)
    try realm.write {
      realm.create(
        Airport.self,
        value: ["icao": "LFPG", "name": "Paris", "location": ["coordinates": [2.55, 49.0128]]]
          as [String: Any])
      let country = Country()
      country.name = "France"
      country.border = try Geometry(wkt: "POLYGON ((-2 43, 6 43, 8 49, 2 51, -2 43))")
      realm.add(country)
    }
    let airports = realm.objects(Airport.self)
    let countries = realm.objects(Country.self)
    var lines: [String] = []
    func print(_ words: String...) { lines.append(words.joined(separator: " ")) }
    for (airport, country) in airports.joined(
      to: countries, where: { $0.location.geoWithin($1.border) })
    {
      print(airport.name, country.name)
    }
    #expect(lines == ["Paris France"])
  }

  @Test func `the README shows this code`() throws {
    let readme = Article("README.md", in: ".")
    try readme.expectSamplesAreCompiled(count: 6) { !$0.hasPrefix(".package") }
    #expect(try readme.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 230)
  }
}
