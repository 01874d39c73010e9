public import Cadastre
import CadastreModel
public import Foundation
import Testing
import TestingSupport

/// The samples of the pages on type projection, with a coordinate type instead of Core
/// Location's.
struct Coordinate: Equatable {
  var latitude: Double
  var longitude: Double
}

public class MappedLocation: EmbeddedObject {
  @Persisted var latitude: Double
  @Persisted var longitude: Double
}

extension Coordinate: CustomPersistable {
  typealias PersistedType = MappedLocation

  init(persistedValue: MappedLocation) {
    self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
  }

  var persistableValue: MappedLocation { MappedLocation(value: [latitude, longitude]) }
}

extension URL: FailableCustomPersistable {
  public typealias PersistedType = String

  public init?(persistedValue: String) { self.init(string: persistedValue) }

  public var persistableValue: String { absoluteString }
}

enum Size: Int, PersistableEnum {
  case small = 1
  case large = 5
}

class Club: Object {
  @Persisted var id: ObjectId
  @Persisted var name: String
  @Persisted var url: URL?
  @Persisted var location: Coordinate
  @Persisted var former: Coordinate?
  @Persisted var size: Size
  @Persisted(indexed: true) var rank: Size?
}

@Suite struct ProjectionTests {
  let realm: Realm
  let clubs: Results<Club>

  init() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Club.self, MappedLocation.self]))
    self.realm = realm
    try realm.write {
      realm.add(Club(value: ["name": "American Kennel Club", "url": "https://akc.org"]))
      let club = Club()
      club.name = "Continental Kennel Club"
      club.url = URL(string: "https://ckcusa.com/")
      club.location = Coordinate(latitude: 40.7509, longitude: 73.9777)
      club.former = Coordinate(latitude: 1, longitude: 2)
      club.size = .large
      club.rank = .small
      realm.add(club)
    }
    clubs = realm.objects(Club.self)
  }

  @Test func `mapped values come back, and a missing embedded object as the mapping of a new one`()
    throws
  {
    let first = try #require(clubs.first)
    let second = try #require(clubs.last)
    #expect(first.url == URL(string: "https://akc.org"))
    #expect(first.location == Coordinate(latitude: 0, longitude: 0) && first.former == nil)
    #expect(second.location == Coordinate(latitude: 40.7509, longitude: 73.9777))
    #expect(first.size == .small && second.size == .large && second.rank == .small)
    try realm.write {
      second.location = Coordinate(latitude: 3, longitude: 4)
      second.former = nil
      second.rank = nil
    }
    #expect(second.location.longitude == 4 && second.former == nil && second.rank == nil)
  }

  @Test func `the schema shows persisted types`() {
    let schema = realm.schema["Club"]
    #expect(schema?["url"]?.summary == "url: string, optional")
    #expect(schema?["location"]?.summary == "location: MappedLocation, optional")
    #expect(schema?["size"]?.summary == "size: int")
    #expect(schema?["rank"]?.summary == "rank: int, optional, indexed")
    #expect(clubs.first?["url"] as? String == "https://akc.org")
  }

  @Test func `queries take mapped and persisted values`() {
    let akc = URL(string: "https://akc.org")
    #expect(clubs.where { $0.name == "American Kennel Club" }.first?.url == akc)
    #expect(clubs.filter("url == 'https://akc.org'").first?.name == "American Kennel Club")
    #expect(clubs.filter("url == %@", akc).count == 1)
    #expect(clubs.where { $0.url == akc }.count == 1)
    #expect(clubs.where { $0.url.persistableValue.contains("ckc") }.count == 1)
    #expect(clubs.where { $0.size == .large }.count == 1)
    #expect(clubs.where { $0.size > .small }.count == 1)
    #expect(clubs.where { $0.rank.rawValue == 1 && $0.size.rawValue == 5 }.count == 1)
    #expect(clubs.where { $0.rank.in([.small, .large]) }.count == 1)
    #expect(clubs.filter("size == %@", Size.large).count == 1)
    #expect(clubs.sorted(byKeyPath: "size", ascending: false).first?.size == .large)
  }

  @Test func `embedded objects compare member by member with mapped values`() {
    let place = Coordinate(latitude: 40.7509, longitude: 73.9777)
    #expect(clubs.where { $0.location == place }.count == 1)
    #expect(clubs.where { $0.location != place }.count == 1)
    #expect(clubs.filter("location == %@", place).count == 1)
    #expect(clubs.where { $0.former == Coordinate(latitude: 1, longitude: 2) }.count == 1)
    #expect(clubs.where { $0.former == nil }.count == 1)
    #expect(clubs.where { $0.location.persistableValue.latitude > 40 }.count == 1)
  }

  @Test func `a stored value that cannot be mapped is nil, or a read error`() throws {
    try realm.write {
      clubs.first?["url"] = ""
      clubs.first?["size"] = 3
    }
    #expect(clubs.first?.url == nil && realm.readError == nil)
    let club = try #require(clubs.first)
    #expect(throws: Realm.Error.self) { try realm.throwingReadErrors { club.size } }
    #expect(club.size == .small && realm.readError?.code == .invalidDatabase)
    #expect(throws: Realm.Error.self) { try realm.write { club.size = club.size } }
    #expect(club["size"] as? Int == 3)
  }
}
