import Cadastre
import Foundation
import Testing
import TestingSupport

@Suite struct RealmTests {
  @Test func `added objects are found by primary key and keep their values`() throws {
    let realm = try makeRealm()
    try realm.write { realm.add(fiveAirports()) }

    let paris = try #require(realm.object(ofType: Airport.self, forPrimaryKey: "LFPG"))
    #expect(paris.name == "Paris Charles de Gaulle")
    #expect(paris.elevation == 392)
    #expect(paris.location?.longitude == 2.55)
    #expect(Array(paris.location?.coordinates ?? List()) == [2.55, 49.0128])
    #expect(paris.location?.type == "Point")
    #expect(paris.address == nil)
    #expect(realm.object(ofType: Airport.self, forPrimaryKey: "XXXX") == nil)
    #expect(realm.object(ofType: Airport.self, forPrimaryKey: "EBBR")?.elevation == nil)
  }

  @Test func `every scalar type and its optional come back as they went in`() throws {
    let realm = try makeRealm()
    let empty = EveryScalar()
    let full = EveryScalar()
    full.flag = true
    full.int = .min
    full.int8 = -128
    full.int16 = .max
    full.int32 = .min
    full.int64 = .max
    full.float = .nan
    full.double = -0.0
    full.string = "a\0b é 🗺"
    full.data = Data([0, 255])
    full.date = Date(timeIntervalSince1970: -1.5)
    full.optionalFlag = false
    full.optionalInt = 0
    full.optionalInt8 = 127
    full.optionalFloat = .infinity
    full.optionalDouble = .nan
    full.optionalString = ""
    full.optionalData = Data()
    full.optionalDate = .distantFuture
    full.optionalUUID = UUID()
    full.optionalId = ObjectId.generate()
    let uuid = full.uuid
    let optionalUUID = full.optionalUUID
    let optionalId = full.optionalId
    try realm.write { realm.add([empty, full]) }

    let read = try #require(realm.object(ofType: EveryScalar.self, forPrimaryKey: full.id))
    #expect(read.flag && read.int == .min && read.int8 == -128 && read.int16 == .max)
    #expect(read.int32 == .min && read.int64 == .max)
    #expect(read.float.isNaN && read.double == 0 && read.double.sign == .minus)
    #expect(read.string == "a\0b é 🗺" && read.data == Data([0, 255]))
    #expect(read.date == Date(timeIntervalSince1970: -1.5) && read.uuid == uuid)
    #expect(read.optionalFlag == false && read.optionalInt == 0 && read.optionalInt8 == 127)
    #expect(read.optionalFloat == .infinity && read.optionalDouble?.isNaN == true)
    #expect(read.optionalString == "" && read.optionalData == Data())
    #expect(read.optionalDate == .distantFuture)
    #expect(read.optionalUUID == optionalUUID && read.optionalId == optionalId)

    let plain = try #require(realm.object(ofType: EveryScalar.self, forPrimaryKey: empty.id))
    #expect(plain.float == 6.5 && plain.string == "eight" && plain.data == Data([9]))
    #expect(plain.optionalInt == nil && plain.optionalDate == nil && plain.optionalId == nil)
  }

  @Test func `managed objects are live within and after a transaction`() throws {
    let realm = try makeRealm()
    let paris = fiveAirports()[0]
    try realm.write { realm.add(paris) }
    let other = try #require(realm.object(ofType: Airport.self, forPrimaryKey: "LFPG"))

    try realm.write {
      paris.runways = 4
      #expect(other.runways == 4)
      other.location?.coordinates[0] = 3.5
      #expect(paris.location?.longitude == 3.5)
      #expect(realm.objects(Airport.self).where { $0.runways == 4 }.count == 1)
    }
    #expect(other.runways == 4)
    #expect(paris == other)
  }

  @Test func `a block that throws changes nothing`() throws {
    struct Stop: Error {}
    let realm = try makeRealm()
    let paris = fiveAirports()[0]
    try realm.write { realm.add(paris) }

    #expect(throws: Stop.self) {
      try realm.write {
        paris.name = "gone"
        realm.add(fiveAirports()[1])
        throw Stop()
      }
    }
    #expect(paris.name == "Paris Charles de Gaulle")
    #expect(realm.objects(Airport.self).count == 1)
  }

  @Test func `links are followed, added with their owner and nulled by a deletion`() throws {
    let realm = try makeRealm()
    let airports = fiveAirports()
    airports[0].alternate = airports[1]
    airports[1].alternate = airports[0]
    try realm.write { realm.add(airports[0]) }
    #expect(realm.objects(Airport.self).count == 2)
    #expect(airports[0].alternate?.icao == "LFPO")
    #expect(airports[0].alternate?.alternate?.icao == "LFPG")
    #expect(realm.objects(Airport.self).where { $0.alternate == airports[1] }.first?.icao == "LFPG")

    try realm.write { realm.delete(airports[1]) }
    #expect(airports[1].isInvalidated)
    #expect(airports[0].alternate == nil)
  }

  @Test func `an embedded object is deleted when another replaces it`() throws {
    let realm = try makeRealm()
    let paris = fiveAirports()[0]
    try realm.write {
      realm.add(paris)
      paris.address = Address(value: ["street": "Rue A", "city": "Roissy", "number": 3])
    }
    let first = try #require(paris.address)
    #expect(first.city == "Roissy" && first.number == 3)

    try realm.write { paris.address = Address(value: ["street": "Rue B"]) }
    #expect(first.isInvalidated)
    #expect(paris.address?.street == "Rue B" && paris.address?.city == nil)
    try realm.write { paris.address = nil }
    #expect(paris.address == nil)
  }

  @Test func `points that GeoJSON would not allow come back unchanged and match nothing`() throws {
    let realm = try makeRealm()
    let odd = [
      ("point", [1.0, 2, 3, 4]), ("Polygon", [1.0, 2]), ("Point", [1.0]), ("Point", [200.0, 2]),
      ("Point", []), ("Point", [.nan, 1]), ("Point", [-0.0, 0, -5]),
    ]
    for (index, (type, coordinates)) in odd.enumerated() {
      let airport = Airport(value: ["icao": "\(index)"])
      airport.location = Location(value: ["type": type, "coordinates": coordinates])
      try realm.write { realm.add(airport) }
      let read = try #require(realm.object(ofType: Airport.self, forPrimaryKey: "\(index)"))
      let bits = Array(read.location?.coordinates ?? List()).map(\.bitPattern)
      #expect(bits == coordinates.map(\.bitPattern) && read.location?.type == type)
    }
    let everywhere = try #require(GeoCircle(center: (0, 0), radiusInRadians: 4))
    let found = realm.objects(Airport.self).where { $0.location.geoWithin(everywhere) }
    #expect(found.map(\.icao) == ["0", "6"])
  }

  @Test func `create takes dictionaries, arrays and objects, and updates by policy`() throws {
    let realm = try makeRealm()
    try realm.write {
      realm.create(
        Airport.self,
        value: ["icao": "A", "elevation": 5, "location": ["coordinates": [1.0, 2.0]]])
      realm.create(Airport.self, value: ["B", "Bee", "BE"])
      realm.create(Airport.self, value: ["icao": "A", "name": "new"], update: .modified)
    }
    let a = try #require(realm.object(ofType: Airport.self, forPrimaryKey: "A"))
    #expect(a.name == "new" && a.elevation == 5 && a.location?.latitude == 2)
    #expect(realm.object(ofType: Airport.self, forPrimaryKey: "B")?.country == "BE")

    try realm.write { realm.create(Airport.self, value: ["icao": "A"], update: .all) }
    #expect(a.name == "" && a.elevation == nil && a.location == nil)
    let copy = Airport(value: a)
    #expect(copy.icao == "A" && copy.realm == nil)
  }

  @Test func `classes are found without being listed`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    let names = realm.schema.objectSchema.map(\.className)
    #expect(Set(names).isSuperset(of: ["Airport", "Location", "Address", "EveryScalar"]))
    #expect(realm.schema["Location"]?.isEmbedded == true)
    #expect(realm.schema["Airport"]?.primaryKeyProperty?.name == "icao")
  }

  @Test func `opening again on a thread gives an equal Realm that sees the same transaction`()
    throws
  {
    let realm = try makeRealm()
    let again = try Realm(configuration: realm.configuration)
    try realm.write {
      realm.add(fiveAirports())
      if realm == again { #expect(again.objects(Airport.self).count == 5) }
    }
    again.refresh()
    #expect(again.objects(Airport.self).count == 5)
  }

  @Test func `a store is not opened twice on a thread with different classes`() throws {
    let name = UUID().uuidString
    nonisolated(unsafe) var outcome: (any Error)?
    try onNewThread {
      let types: [ObjectBase.Type] = [Airport.self, Location.self, Address.self]
      let first = try? Realm(configuration: .init(inMemoryIdentifier: name, objectTypes: types))
      do {
        _ = try Realm(
          configuration: .init(inMemoryIdentifier: name, objectTypes: [EveryScalar.self]))
      } catch {
        outcome = error
      }
      _ = first?.isEmpty
    }
    guard case Realm.Error.fail? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(
      Realm.Configuration(inMemoryIdentifier: name)
        == Realm.Configuration(inMemoryIdentifier: name, objectTypes: [Airport.self]))
  }

  @Test func `data survives closing and reopening a file`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = Realm.Configuration(
      fileURL: folder.appendingPathComponent("a.cadastre"),
      objectTypes: [Airport.self, Location.self, Address.self])
    func count() throws -> Int {
      try Realm(configuration: configuration).objects(Airport.self).where { $0.country == "FR" }
        .count
    }
    func fill() throws {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.add(fiveAirports()) }
    }
    try fill()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.sorted() == ["a.cadastre", "a.cadastre-lock"])
    #expect(try count() == 2)
  }

  @Test func `a Realm on another thread sees a commit after it refreshes`() throws {
    let realm = try makeRealm()
    #expect(realm.objects(Airport.self).isEmpty)
    let configuration = realm.configuration
    try onNewThread {
      let realm = try? Realm(configuration: configuration)
      try? realm?.write { realm?.add(fiveAirports()) }
    }
    #expect(realm.objects(Airport.self).isEmpty)
    #expect(realm.refresh())
    #expect(realm.objects(Airport.self).count == 5)
  }
}
