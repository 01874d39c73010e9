import Cadastre
import Foundation
import Testing
import TestingSupport

/// The samples of `Models.md`.
@Suite struct ModelsTests {
  class Trip: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var title = "untitled"
    @Persisted(indexed: true) var status: Status
    @Persisted(fullText: true) var notes: String
    @Persisted var start: Date?
    @Persisted var price: Money?
    @Persisted var guide: Guide?
    @Persisted var stops: List<Stop>
    @Persisted var labels: MutableSet<String>
    @Persisted var costs: Map<String, Double>
    @Persisted var extra: AnyRealmValue
    var isSelected = false

    var isPlanned: Bool { status == .planned }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Guide: Object {
    @Persisted var name: String
    @Persisted(originProperty: "guide") var trips: LinkingObjects<Trip>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Stop: EmbeddedObject {
    @Persisted var name: String
    @Persisted var place: Place?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Place: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  enum Status: String, PersistableEnum { case planned, running, ended }

  struct Money: CustomPersistable {
    var cents: Int

    init(cents: Int) { self.cents = cents }
    init(persistedValue: Int) { cents = persistedValue }
    var persistableValue: Int { cents }
  }

  class Customer: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var familyName: String

    override class func propertiesMapping() -> [String: String] { ["familyName": "family_name"] }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class TripRow: Projection<Trip> {
    @Projected(\Trip.title) var title
    @Projected(\Trip.guide?.name) var guideName
  }

  private let realm: Realm

  init() throws {
    realm = try openRealm(
      Trip.self, Guide.self, Stop.self, Place.self, Customer.self)
    try realm.write {
      realm.create(
        Trip.self,
        value: [
          "title": "Alps", "price": 15_000, "guide": ["name": "Ada"],
          "stops": [["name": "Chur", "place": ["coordinates": [9.53, 46.85]]]],
        ] as [String: Any])
      realm.create(Trip.self, value: ["price": 30_000, "status": "running"] as [String: Any])
    }
  }

  @Test func `properties have the defaults of their types`() {
    let (first, second) = (Trip(), Trip())
    #expect(first.id != second.id && first.title == "untitled" && first.status == .planned)
    #expect(first.notes == "" && first.start == nil && first.price == nil && first.isPlanned)
    #expect(first.stops.isEmpty && first.extra == AnyRealmValue.none && !first.isSelected)
  }

  @Test func `a property without the mark belongs to the instance`() throws {
    let trip = try #require(realm.objects(Trip.self).first)
    trip.isSelected = true
    #expect(realm.objects(Trip.self).first?.isSelected == false)
  }

  @Test func `links lead in both directions and become null`() throws {
    let guide = try #require(realm.objects(Guide.self).first)
    #expect(guide.trips.map(\.title) == ["Alps"])
    try realm.write { realm.delete(guide) }
    #expect(realm.objects(Trip.self).allSatisfy { $0.guide == nil })
  }

  @Test func `queries take values of mapped types`() throws {
    let cheap = realm.objects(Trip.self).where { $0.price < Money(cents: 20_000) }
    let planned = realm.objects(Trip.self).where { $0.status == .planned }
    #expect(cheap.map(\.title) == ["Alps"] && planned.map(\.title) == ["Alps"])
  }

  @Test func `a value of any type holds lists and maps`() throws {
    let trip = try #require(realm.objects(Trip.self).first)
    realm.beginWrite()
    trip.extra = .fromDictionary(["seats": .int(8), "codes": .fromArray([.string("A1"), .none])])
    let large = realm.objects(Trip.self).filter("extra['seats'] > 5")
    #expect(large.count == 1)
    realm.cancelWrite()
    #expect(large.isEmpty)
  }

  @Test func `predicates use the names of properties`() throws {
    try realm.write { realm.create(Customer.self, value: ["id": 1, "familyName": "Mair"]) }
    #expect(realm.objects(Customer.self).filter("familyName == 'Mair'").count == 1)
  }

  @Test func `a projection shows properties under other names`() {
    for row in realm.objects(TripRow.self).sorted(by: \.title) {
      print(row.title, row.guideName ?? "no guide")
    }
    let rows = realm.objects(TripRow.self).sorted(by: \.title)
    #expect(rows.map(\.title) == ["Alps", "untitled"] && rows.map(\.guideName) == ["Ada", nil])
  }

  @Test func `classes are known by name`() {
    for trip in realm.dynamicObjects("Trip") {
      print(trip["title"] as? String ?? "", trip.status as? String ?? "")
    }
    #expect(realm.dynamicObjects("Trip").map { $0.status as? String } == ["planned", "running"])
  }

  @Test func `the article shows this code`() throws {
    try Article("Models.md").expectSamplesAreCompiled(count: 10)
  }
}
