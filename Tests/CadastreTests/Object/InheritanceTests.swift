import Cadastre
import Foundation
import Testing

class Heliport: Airport {
  @Persisted var pads = 1
}

@Suite struct InheritanceTests {
  @Test func `a subclass has the properties of its superclass, and a table of its own`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Airport.self, Heliport.self, Location.self, Address.self]))
    try realm.write {
      let heliport = realm.create(
        Heliport.self, value: ["icao": "LFPI", "name": "Issy", "pads": 3])
      heliport.location = Location(longitude: 2.27, latitude: 48.83)
      realm.add(fiveAirports())
    }
    #expect(realm.objects(Airport.self).count == 5)
    let found = realm.objects(Heliport.self).where { $0.pads == 3 && $0.name == "Issy" }
    #expect(found.first?.location?.latitude == 48.83)
  }
}
