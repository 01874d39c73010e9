import Cadastre
import Foundation
import Testing
import TestingSupport

/// The samples in the documentation comments of types that programs construct.
@Suite struct DocumentationCommentTests {
  class Location: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Airport: Object {
    @Persisted(primaryKey: true) var icao: String
    @Persisted(indexed: true) var country = ""
    @Persisted var name = ""
    @Persisted var elevation: Double?
    @Persisted var location: Location?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Address: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var address: Address?
    @Persisted var friends: List<Person>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Route: Object {
    @Persisted var stops: List<String>
    @Persisted var airports: List<Airport>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Boat: Object {
    @Persisted(fullText: true) var log = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Timetable: Object {
    @Persisted var gates: Map<String, String>
    @Persisted var airports: Map<String, Airport?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Traveller: Object {
    @Persisted var citiesVisited: MutableSet<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Sign: Object {
    @Persisted var content: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class PersonRow: Projection<Person> {
    @Projected(\Person.name) var title
    @Projected(\Person.address?.city) var homeCity
    @Projected(\Person.friends.projectTo.name) var friendsNames
  }

  final class Delivery: @unchecked Sendable {
    @ThreadSafe var airport: Airport?
  }

  private let realm: Realm

  init() throws {
    realm = try openRealm(
      Airport.self, Location.self, Person.self, Address.self, Route.self, Timetable.self,
      Traveller.self, Sign.self)
  }

  @Test func `collections and values of any type`() throws {
    realm.beginWrite()
    let airport = realm.create(Airport.self, value: ["icao": "LFPG"])
    let (route, timetable) = (realm.create(Route.self), realm.create(Timetable.self))
    let (traveller, sign) = (realm.create(Traveller.self), realm.create(Sign.self))
    try realm.commitWrite()
    try realm.write {
      route.stops.append(objectsIn: ["Gate", "Runway"])
      route.airports.insert(airport, at: 0)
    }
    try realm.write {
      timetable.gates["AF 1"] = "B12"
      timetable.airports["home"] = airport
      timetable.gates["AF 2"] = nil  // removes the key
    }
    try realm.write {
      traveller.citiesVisited.insert("Paris")
      traveller.citiesVisited.remove("Lyon")
    }
    try realm.write {
      sign.content = .string("Closed")
      sign.content = .fromDictionary(["text": .string("Open"), "lines": .int(2)])
    }
    #expect(Array(route.stops) == ["Gate", "Runway"] && route.airports.first == airport)
    #expect(timetable.gates.keys == ["AF 1"] && timetable.airports["home"] == .some(airport))
    #expect(Array(traveller.citiesVisited) == ["Paris"])
    #expect(sign.content.dictionaryValue?["lines"] == .int(2))
  }

  @Test func `objects, embedded objects and projections`() throws {
    let person = Person(value: ["id": 1, "name": "Ada"])
    try realm.write { realm.add(person) }
    try realm.write { person.address = Address(value: ["street": "Rue A", "city": "Orly"]) }
    for row in realm.objects(PersonRow.self).sorted(by: \.title) {
      print(row.title, row.homeCity ?? "nowhere", row.friendsNames.count)
    }
    #expect(realm.objects(PersonRow.self).map(\.homeCity) == ["Orly"])
  }

  @Test func `configurations and results`() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).cadastre")
    defer { _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: url)) }
    try open(url)
  }

  private func open(_ url: URL) throws {
    var configuration = Realm.Configuration(
      fileURL: url, objectTypes: [Airport.self, Location.self])
    configuration.writeTimeout = 5
    let realm = try Realm(configuration: configuration)
    #expect(realm.configuration.writeTimeout == 5)
    try fill(realm)
  }

  private func fill(_ realm: Realm) throws {
    try realm.write {
      realm.add(Airport(value: ["icao": "LFPG", "country": "FR"]))
    }
    let airports = realm.objects(Airport.self).where { $0.country == "FR" }
    print(airports.count, airports.first?.name ?? "none")
    let byCountry = airports.sorted(by: [
      SortDescriptor(keyPath: \Airport.country),
      SortDescriptor(keyPath: "elevation", ascending: false, nulls: .last),
      SortDescriptor(keyPath: "name", collation: [.caseInsensitive, .numeric]),
    ])
    #expect(byCountry.count == 1)
  }

  // In a process of its own, because `Realm()` opens the default configuration of the process.
  @Test func `references and frozen values`() async {
    await #expect(processExitsWith: .success) {
      Realm.Configuration.defaultConfiguration = Realm.Configuration(
        inMemoryIdentifier: "comments",
        objectTypes: [Person.self, Address.self, Airport.self, Location.self])
      try await Self.hand()
    }
  }

  @MainActor private static func hand() async throws {
    let realm = try Realm()
    try realm.write {
      realm.add(Airport(value: ["icao": "LFPG", "country": "FR"]))
    }
    let french = realm.objects(Airport.self).where { $0.country == "FR" }
    precondition(french.count == 1)
    let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
    let reference = ThreadSafeReference(to: person)
    let writing = Task.detached {
      let realm = try Realm()
      guard let person = realm.resolve(reference) else { return }  // it was deleted meanwhile
      try realm.write { person.name = "Ada" }
    }
    try await writing.value
    realm.refresh()
    precondition(person.name == "Ada")
    let found = Frozen(realm.objects(Airport.self).where { $0.country == "FR" })
    let counting = Task.detached { print(found.value.count) }
    await counting.value
    let delivery = Delivery()
    delivery.airport = found.thaw()?.first
    precondition(delivery.airport?.icao == "LFPG")
  }

  @Test func `predicate arguments`() throws {
    let circle = try #require(GeoCircle(center: (48.8566, 2.3522), radiusInRadians: 0.1))
    let arguments: [PredicateArgument] = [
      .value(.double(300)), .list([.string("FR"), .string("BE")]), .shape(.circle(circle)),
    ]
    let predicate = try QueryPredicate(
      parsing: "elevation > %@ AND country IN %@ AND location GEOWITHIN %@",
      arguments: arguments)
    #expect(try realm.objects(Airport.self).filter(predicate).isEmpty)
  }

  @Test func `geometry`() throws {
    let paris = GeoPoint(latitude: 48.8566, longitude: 2.3522)  // GeoPoint?
    // 100 km around Paris; latitude first.
    let circle = Distance.kilometers(100).flatMap {
      GeoCircle(center: (48.8566, 2.3522), radius: $0)
    }
    // From Fiji to Samoa, across the antimeridian; latitude first.
    let box = GeoBox(bottomLeft: (-20, 176), topRight: (-12, -171))
    // A triangle over central Europe; latitude first.
    let polygon = GeoPolygon(outerRing: [(47, 5), (46, 16), (54, 6), (47, 5)])
    let region = try GeoShape(wkt: "POLYGON ((5 47, 16 46, 6 54, 5 47))")
    #expect(paris == circle?.center && box != nil && polygon.map { .polygon($0) } == region)
    if let center = GeoPoint(latitude: 48.8566, longitude: 2.3522),
      let radius = Distance.kilometers(100)
    {
      print(GeoCircle(center: center, radius: radius))
    }
  }

  @Test func `plans and full text`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Airport.self, Location.self, Boat.self]))
    let near = realm.objects(Airport.self).where { $0.elevation > 300 }
    print(near.explain([.estimates, .measured]))
    let boats = realm.objects(Boat.self)
    let calm = boats.search("north* wind -calm", in: \.log)
    #expect(near.isEmpty && calm.isEmpty)
  }

  @Test func `decimals and identifiers`() throws {
    let price: Decimal128 = "19.99"
    let total = price * 3  // 59.97
    #expect(total == "59.97")
    let id = ObjectId.generate()
    let same = try ObjectId(string: id.stringValue)
    #expect(id == same)
  }

  @Test(arguments: [
    "Cadastre/Realm/Realm.swift", "Cadastre/Realm/Configuration.swift",
    "Cadastre/Results/Results.swift", "Cadastre/Results/SortDescriptor.swift",
    "Cadastre/Collections/List.swift", "Cadastre/Collections/Map.swift",
    "Cadastre/Collections/MutableSet.swift", "Cadastre/Properties/AnyRealmValue.swift",
    "Cadastre/Object/Object.swift", "Cadastre/Object/Projection.swift",
    "Cadastre/Realm/ThreadSafeReference.swift",
    "CadastrePredicate/Tree/PredicateArgument.swift",
    "CadastreGeometry/Values/GeoPoint.swift", "CadastreGeometry/Values/GeoCircle.swift",
    "CadastreGeometry/Values/GeoBox.swift", "CadastreGeometry/Values/GeoPolygon.swift",
    "CadastreGeometry/Values/GeoShape.swift", "CadastreGeometry/Values/Distance.swift",
    "CadastreModel/Decimal128/Decimal128.swift", "CadastreModel/ObjectId.swift",
  ])
  func `the comments show this code`(file: String) throws {
    try Article(file, in: "Sources").expectDocumentationIsCompiled()
  }
}
