import Cadastre
import Foundation
import Testing

@Suite struct FilterTests {
  let realm: Realm
  let airports: Results<Airport>

  init() throws {
    let realm = try makeRealm()
    self.realm = realm
    let all = fiveAirports()
    all[0].alternate = all[1]
    all[1].address = Address(value: ["street": "Rue A", "city": "Orly", "number": 7])
    all[2].address = Address(value: ["street": "Rue A", "city": "Orly"])
    try realm.write { realm.add(all) }
    airports = realm.objects(Airport.self)
  }

  private func codes(_ condition: (Query<Airport>) -> Query<Bool>) -> [String] {
    airports.where(condition).map(\.icao)
  }

  private func codes(_ text: String, _ arguments: Any?...) throws -> [String] {
    try airports.filter(parsing: text, arguments: arguments).map(\.icao)
  }

  private func error(of text: String) -> QueryPredicateError? {
    do throws(QueryPredicateError) {
      _ = try airports.filter(parsing: text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the builder and the text say the same`() throws {
    let circle = try #require(GeoCircle(center: (48.8566, 2.3522), radiusInRadians: 0.02))
    #expect(codes { $0.country == "FR" } == ["LFPG", "LFPO"])
    #expect(try codes("country == 'FR'") == ["LFPG", "LFPO"])
    #expect(codes { $0.country != "FR" && $0.elevation > 0 } == ["NFFN"])
    #expect(try codes("country != 'FR' AND elevation > 0") == ["NFFN"])
    #expect(codes { $0.elevation == nil } == ["EBBR"])
    #expect(codes { !($0.elevation > 100) || $0.icao.in(["LFPG"]) }.count == 4)
    #expect(codes { $0.name.starts(with: "paris", options: .caseInsensitive) }.count == 2)
    #expect(try codes("name BEGINSWITH[c] 'paris'").count == 2)
    #expect(codes { $0.name.like("*us?els") } == ["EBBR"])
    #expect(codes { $0.elevation.contains(0...300) } == ["LFPO", "NFFN"])
    #expect(try codes("elevation BETWEEN {0, 300}") == ["LFPO", "NFFN"])
    #expect(codes { $0.alternate.name.contains("Orly") } == ["LFPG"])
    #expect(try codes("alternate.name CONTAINS 'Orly'") == ["LFPG"])
    #expect(codes { $0.alternate == nil }.count == 4)
    #expect(codes { $0.isOpen }.count == 5)
    #expect(codes { !$0.isOpen }.isEmpty)
    #expect(
      codes { $0.location.geoWithin(circle) } == ["LFPG", "LFPO", "EBBR"].filter { $0 != "EBBR" })
    #expect(try codes("location GEOWITHIN geoCircle([2.3522, 48.8566], 0.02)").count == 2)
    #expect(try codes("location IN %@", circle).count == 2)
    #expect(codes { $0.alternate.location.geoWithin(circle) } == ["LFPG"])
    #expect(codes { !$0.location.geoWithin(circle) }.count == 3)
  }

  @Test func `an embedded object can be compared member by member`() throws {
    let address = Address(value: ["street": "Rue A", "city": "Orly"])
    #expect(codes { $0.address.equalsMemberwise(address) } == ["EHAM"])
    #expect(codes { !$0.address.equalsMemberwise(address) }.count == 4)
    #expect(try codes("address == %@", PredicateArgument.memberwise(address)) == ["EHAM"])
    #expect(
      try codes("address == {'street': 'Rue A', 'city': 'Orly', 'number': null}") == ["EHAM"])
    address.number = 7
    #expect(codes { $0.address.equalsMemberwise(address) && $0.country == "FR" } == ["LFPO"])
    #expect(codes { $0.address.equalsMemberwise(Address()) }.isEmpty)
    let brussels = Location(longitude: 4.4844, latitude: 50.9014)
    #expect(codes { $0.location.equalsMemberwise(brussels) } == ["EBBR"])
    #expect(codes { $0.location == nil }.isEmpty)
  }

  @Test func `sorting and cutting`() {
    #expect(
      airports.sorted(byKeyPath: "elevation").map(\.icao) == [
        "EBBR", "EHAM", "NFFN", "LFPO", "LFPG",
      ])
    #expect(airports.sorted(by: \.name, ascending: false).first?.icao == "LFPO")
    #expect(
      airports.sorted(by: [SortDescriptor(keyPath: "country"), "icao"]).limit(2, offset: 1)
        .map(\.icao) == ["NFFN", "LFPG"])
    #expect(airports.sorted(byKeyPath: "alternate.name").first?.icao == "LFPG")
    #expect(airports.limit(0).isEmpty)
    #expect(airports.limit(10, offset: 4).map(\.icao) == ["NFFN"])
  }

  @Test func `the nearest come first`() throws {
    let paris = try #require(GeoPoint(latitude: 48.8566, longitude: 2.3522))
    #expect(airports.nearest(3, to: paris).map(\.icao) == ["LFPO", "LFPG", "EBBR"])
    #expect(airports.sorted(byDistanceFrom: paris, of: \.location).last?.icao == "NFFN")
    let dutch = airports.where { $0.country != "FR" }
    #expect(dutch.nearest(1, to: paris).first?.icao == "EBBR")
    let samoa = try #require(GeoPoint(latitude: -13.8, longitude: -172))
    #expect(airports.nearest(1, to: samoa).first?.icao == "NFFN")
  }

  @Test func `explain names the access path`() throws {
    let circle = try #require(GeoCircle(center: (48.8566, 2.3522), radiusInRadians: 0.02))
    #expect(airports.where { $0.icao == "LFPG" }.explain() == "KeyLookup Airport.icao == 'LFPG'")
    #expect(airports.where { $0.runways > 1 }.explain() == "Filter runways > 1\n└─ Scan Airport")
    let spatial = airports.where { $0.location.geoWithin(circle) && $0.runways > 0 }
    #expect(
      spatial.explain().contains("Scan Airport") || spatial.explain().contains("SpatialSearch"))
  }

  @Test(arguments: [
    (
      "nmae == 'x'", "Property 'nmae' not found in object of type 'Airport'; did you mean 'name'?",
      0
    ),
    ("country == 'FR", "expected a closing ', found the end of the text", 11),
    ("elevation >", "expected a property or a value, found the end of the text", 11),
    ("alternate.nam == 'x'", "did you mean 'name'?", 10),
    (
      "country == 3",
      "Cannot compare value '3' of type 'int' to property 'country' of type 'string'", 0
    ),
    (
      "location GEOWITHIN geoPolygon({[0,0],[1,0],[1,1]})", "ring", 19
    ),
    ("name GEOWITHIN geoCircle([1,1], 1)", "needs a geometry or an embedded object", 0),
  ])
  func `errors say where and what`(_ text: String, _ message: String, _ offset: Int) throws {
    let error = error(of: text)
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(error?.span?.offset == offset)
    #expect(error?.text == text)
  }

  @Test func `results follow the Realm and iteration does not`() throws {
    let french = airports.where { $0.country == "FR" }
    #expect(french.count == 2)
    try realm.write {
      for airport in french { airport.country = "XX" }
      #expect(french.isEmpty)
      realm.delete(airports.where { $0.country == "XX" })
    }
    #expect(airports.count == 3)
  }

  @Test func `results change with what their query reads, and with nothing else`() throws {
    let french = airports.where { $0.country == "FR" }
    let orly = airports.where { $0.alternate.address.city == "Orly" }
    let byName = airports.sorted(byKeyPath: "name")
    #expect(french.count == 2 && orly.map(\.icao) == ["LFPG"] && byName.first?.icao == "EHAM")
    try realm.write {
      for index in 0..<airports.count { airports[index].runways = index }
      #expect(airports.map(\.runways) == [0, 1, 2, 3, 4])
      airports[2].country = "FR"
      #expect(french.map(\.icao) == ["LFPG", "LFPO", "EHAM"])
      airports[1].address?.city = "Paris"
      #expect(orly.isEmpty)
      airports[1].address = Address(value: ["city": "Orly"])
      #expect(orly.count == 1)
      airports[0].alternate = airports[3]
      #expect(orly.isEmpty)
      airports[4].name = "A"
      #expect(byName.first?.icao == "NFFN")
      realm.create(Airport.self, value: ["icao": "X", "country": "FR"])
      #expect(french.count == 4 && airports.count == 6 && byName.first?.icao == "X")
      realm.delete(airports[0])
      #expect(french.map(\.icao) == ["LFPO", "EHAM", "X"])
    }
    #expect(french.count == 3)
  }

  @Test func `a list of arguments is not taken for several`() throws {
    #expect(try codes("icao IN %@", ["LFPG", "NFFN"]) == ["LFPG", "NFFN"])
    #expect(try codes("icao IN %@", [String]()).isEmpty)
    let paris = airports.where { $0.icao.starts(with: "LFP") }
    #expect(try codes("alternate IN %@", paris) == ["LFPG"])
    #expect(try codes("NOT alternate IN %@", Array(paris)).count == 4)
    #expect(try codes("alternate IN %@", [fiveAirports()[1]]).isEmpty)
    #expect(try codes("%K == %@", "country", "NL") == ["EHAM"])
    #expect(try codes("runways == $0 AND country == $1", 1, "NL") == ["EHAM"])
  }
}
