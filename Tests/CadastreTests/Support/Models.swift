import Cadastre
import Foundation

/// A GeoJSON point, as Realm's documentation suggests it.
class Location: EmbeddedObject {
  @Persisted var type: String = "Point"
  @Persisted var coordinates: List<Double>

  convenience init(longitude: Double, latitude: Double) {
    self.init()
    coordinates.append(objectsIn: [longitude, latitude])
  }

  var longitude: Double { coordinates[0] }
  var latitude: Double { coordinates[1] }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Address: EmbeddedObject {
  @Persisted var street = ""
  @Persisted var city: String?
  @Persisted var number: Int?
}

class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted var name = ""
  @Persisted(indexed: true) var country = ""
  @Persisted var elevation: Double?
  @Persisted var runways = 1
  @Persisted var isOpen = true
  @Persisted var opened: Date?
  @Persisted var location: Location?
  @Persisted var address: Address?
  @Persisted var alternate: Airport?

  convenience init(
    _ icao: String, _ name: String, _ country: String, elevation: Double?, longitude: Double,
    latitude: Double
  ) {
    self.init()
    self.icao = icao
    self.name = name
    self.country = country
    self.elevation = elevation
    location = Location(longitude: longitude, latitude: latitude)
  }
}

class EveryScalar: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var flag = false
  @Persisted var int = 1
  @Persisted var int8: Int8 = 2
  @Persisted var int16: Int16 = 3
  @Persisted var int32: Int32 = 4
  @Persisted var int64: Int64 = 5
  @Persisted var float: Float = 6.5
  @Persisted var double = 7.25
  @Persisted var string = "eight"
  @Persisted var data = Data([9])
  @Persisted var date = Date(timeIntervalSince1970: 10)
  @Persisted var uuid: UUID
  @Persisted var optionalFlag: Bool?
  @Persisted var optionalInt: Int?
  @Persisted var optionalInt8: Int8?
  @Persisted var optionalFloat: Float?
  @Persisted var optionalDouble: Double?
  @Persisted var optionalString: String?
  @Persisted var optionalData: Data?
  @Persisted var optionalDate: Date?
  @Persisted var optionalUUID: UUID?
  @Persisted var optionalId: ObjectId?
}

/// A Realm in memory that no other test shares.
func makeRealm() throws -> Realm {
  try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString,
      objectTypes: [Airport.self, Location.self, Address.self, EveryScalar.self]))
}

/// Five airports, four of them in Europe.
func fiveAirports() -> [Airport] {
  [
    Airport(
      "LFPG", "Paris Charles de Gaulle", "FR", elevation: 392, longitude: 2.55, latitude: 49.0128),
    Airport("LFPO", "Paris Orly", "FR", elevation: 291, longitude: 2.3595, latitude: 48.7253),
    Airport(
      "EHAM", "Amsterdam Schiphol", "NL", elevation: -11, longitude: 4.7639, latitude: 52.3086),
    Airport("EBBR", "Brussels", "BE", elevation: nil, longitude: 4.4844, latitude: 50.9014),
    Airport("NFFN", "Nadi", "FJ", elevation: 59, longitude: 177.4434, latitude: -17.7554),
  ]
}
