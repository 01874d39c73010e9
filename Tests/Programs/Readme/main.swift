// swift-format-ignore-file
import Cadastre

class Location: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>  // longitude, latitude: a GeoJSON point

  convenience init(longitude: Double, latitude: Double) {
    self.init()
    coordinates.append(objectsIn: [longitude, latitude])
  }
}

class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted var name = ""
  @Persisted(indexed: true) var country = ""
  @Persisted var elevation: Double?
  @Persisted var location: Location?
}

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
let paris = GeoCircle(center: GeoPoint(latitude: 48.8566, longitude: 2.3522)!, radius: .kilometers(100)!)
let near = realm.objects(Airport.self).where { $0.location.geoWithin(paris) && $0.elevation > 300 }
print(near.count, near.first?.name ?? "none")
print(near.explain())

let token = near.observe { change in
  if case .update(let airports, let deletions, let insertions, let modifications) = change {
    print(airports.count, deletions, insertions, modifications)
  }
}
