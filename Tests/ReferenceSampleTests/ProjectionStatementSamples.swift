import Foundation
import RealmSwift
import Testing

/// A structure that is mapped to a primitive type.
struct Boxed<PersistedType>: CustomPersistable
where PersistedType: Persistable & OptionalPersistable & Hashable {
  var content: PersistedType
  init(persistedValue: PersistedType) { content = persistedValue }
  var persistableValue: PersistedType { content }
}

enum Weather: String, PersistableEnum { case sun, rain }

/// Type projection: statements without a sample of their own.
@Suite struct ProjectionStatementSamples {
  class Boxes: Object {
    @Persisted var bool: Boxed<Bool>
    @Persisted var int8: Boxed<Int8>
    @Persisted var int16: Boxed<Int16>
    @Persisted var int32: Boxed<Int32>
    @Persisted var int64: Boxed<Int64>
    @Persisted var float: Boxed<Float>
    @Persisted var data: Boxed<Data>
    @Persisted var date: Boxed<Date>
    @Persisted var decimal: Boxed<Decimal128>
    @Persisted var uuid: Boxed<UUID>
    @Persisted var objectId: Boxed<ObjectId>
    @Persisted var weather: Boxed<Weather>
    @Persisted var optionalDate: Boxed<Date>?
    @Persisted var floats: List<Boxed<Float>>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `the persisted type is any primitive type`() throws {
    let realm = try openRealm(Boxes.self)
    let (id, uuid) = (ObjectId.generate(), UUID())
    let date = Date(timeIntervalSince1970: 5)
    let boxes = Boxes(
      value: [
        "bool": true, "int8": -8 as Int8, "int16": 16 as Int16, "int32": 32 as Int32,
        "int64": 64 as Int64, "float": 1.5 as Float, "data": Data([1]), "date": date,
        "decimal": 2.5 as Decimal128, "uuid": uuid, "objectId": id, "weather": "rain",
        "optionalDate": date, "floats": [0.5 as Float],
      ] as [String: Any])
    try realm.write { realm.add(boxes) }
    let read = try #require(realm.objects(Boxes.self).first)
    #expect(read.bool.content && read.int8.content == -8 && read.int16.content == 16)
    #expect(read.int32.content == 32 && read.int64.content == 64 && read.float.content == 1.5)
    #expect(read.data.content == Data([1]) && read.date.content == date)
    #expect(read.decimal.content == 2.5 && read.uuid.content == uuid && read.objectId.content == id)
    #expect(read.weather.content == .rain && read.optionalDate?.content == date)
    #expect(read.floats.map(\.content) == [0.5])
    let all = realm.objects(Boxes.self)
    #expect(
      all.where { $0.int8 == Boxed(persistedValue: -8) && $0.bool.persistableValue }.count == 1)
    #expect(all.where { $0.uuid == Boxed(persistedValue: uuid) }.count == 1)
    #expect(all.where { $0.decimal == Boxed(persistedValue: 2.5) }.count == 1)
    #expect(all.where { $0.date == Boxed(persistedValue: Date(timeIntervalSince1970: 6)) }.isEmpty)
    #expect(all.where { $0.weather == Boxed(persistedValue: .rain) }.count == 1)
    #expect(all.filter("objectId == %@", id).count == 1)
  }

  @Test func `the persisted type is neither optional nor a collection`() {
    // The constraints of `PersistedType`.
    let types: [Any.Type] = [
      String.self, String?.self, List<Int>.self, MutableSet<Int>.self, Map<String, Int>.self,
    ]
    #expect(
      types.map { $0 is any (Persistable & OptionalPersistable).Type }
        == [true, false, false, false, false])
  }

  @Test func `mapped types need the declaration with Persisted`() {
    let types: [Any.Type] = [Int?.self, URL?.self]
    #expect(types.map { $0 is any RealmPropertyType.Type } == [true, false])
  }

  @Test func `mapped and persisted values as arguments may find different objects`() throws {
    let realm = try openRealm(Club.self, Location.self)
    let place = CLLocationCoordinate2D(latitude: 1, longitude: 2)
    try realm.write {
      for name in ["a", "b"] {
        let club = Club(value: ["name": name])
        club.location = place
        realm.add(club)
      }
    }
    let clubs = realm.objects(Club.self)
    #expect(clubs.where { $0.location == place }.count == 2)
    let stored = try #require(realm.dynamicObjects("Club").first?["location"] as? Location)
    // A managed object is compared by identity.
    #expect(clubs.where { $0.location.persistableValue == stored }.map(\.name) == ["a"])
  }

  @Test func `an object with equal members is another object`() throws {
    class Fan: Object {
      @Persisted var club: Club?
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    let realm = try openRealm(Fan.self, Club.self, Location.self)
    try realm.write { _ = realm.create(Fan.self, value: ["club": ["name": "a"]]) }
    let equal = Club(value: ["name": "a"])
    #expect(realm.objects(Fan.self).where { $0.club == equal }.isEmpty)
  }

  @Test func `a migration sets mapped values and reads persisted ones`() throws {
    let url = URL(fileURLWithPath: NSTemporaryDirectory() + "clubs-\(UUID().uuidString).cadastre")
    var configuration = Realm.Configuration(
      fileURL: url, schemaVersion: 1, objectTypes: [Club.self, Location.self])
    defer { _ = try? Realm.deleteFiles(for: configuration) }
    try {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.add(Club(value: ["name": "a", "url": "https://akc.org"])) }
    }()
    nonisolated(unsafe) var read: [Any?] = []
    configuration.schemaVersion = 2
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Club") { _, new in
        new?["location"] = CLLocationCoordinate2D(latitude: 5, longitude: 6)
        new?["url"] = URL(string: "https://b.org")
        read = [new?["url"], (new?["location"] as? MigrationObject)?["latitude"]]
      }
    }
    let club = try #require(try Realm(configuration: configuration).objects(Club.self).first)
    #expect(read[0] as? String == "https://b.org" && read[1] as? Double == 5)
    #expect(club.url?.host() == "b.org" && club.location.longitude == 6)
  }

  class Measures: EmbeddedObject {
    @Persisted var bool = true
    @Persisted var int = 1
    @Persisted var small: Int8 = 2
    @Persisted var float: Float = 3.5
    @Persisted var double = 4.5
    @Persisted var text = "five"
    @Persisted var data = Data([6])
    @Persisted var date = Date(timeIntervalSince1970: 7)
    @Persisted var decimal: Decimal128 = 8
    @Persisted var uuid = UUID(uuidString: "00000000-0000-0000-0000-000000000009") ?? UUID()
    @Persisted var objectId = ObjectId("00000000000000000000000a")
    @Persisted var maybe: Int?
    @Persisted var maybeText: String?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// A structure over all members, of which one differs.
  struct Measured: CustomPersistable {
    var changed: [String: AnyHashable] = [:]
    init(changed: [String: AnyHashable] = [:]) { self.changed = changed }
    init(persistedValue: Measures) {}
    var persistableValue: Measures { Measures(value: changed as [String: Any]) }
  }

  class Station: Object {
    @Persisted var measured: Measured?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `all primitive members are compared`() throws {
    let realm = try openRealm(Station.self, Measures.self)
    try realm.write {
      let station = Station()
      station.measured = Measured()
      realm.add(station)
    }
    let stations = realm.objects(Station.self)
    #expect(stations.where { $0.measured == Measured() }.count == 1)
    let others: [String: AnyHashable] = [
      "bool": false, "int": 2, "small": 3 as Int8, "float": 4.5 as Float, "double": 5.5,
      "text": "six", "data": Data([7]), "date": Date(timeIntervalSince1970: 8),
      "decimal": 9 as Decimal128, "uuid": UUID(), "objectId": ObjectId.generate(), "maybe": 1,
      "maybeText": "x",
    ]
    #expect(others.count == Measures().objectSchema.properties.count)
    for (name, value) in others {
      let other = Measured(changed: [name: value])
      #expect(stations.where { $0.measured == other }.isEmpty, "\(name)")
      #expect(stations.where { $0.measured != other }.count == 1, "\(name)")
    }
  }

  @Test func `members that are links are compared, unlike in Realm`() throws {
    let objects = try TypeProjectionSamples.unequal()
    let stored = try #require(objects.first?.link)
    // A link member is equal to the same object only, and the mapped value makes a new one.
    #expect(objects.where { $0.link == stored }.isEmpty)
  }
}
