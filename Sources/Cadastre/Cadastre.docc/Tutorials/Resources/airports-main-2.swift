import Cadastre
import Foundation

let store = URL(fileURLWithPath: "airports.cadastre")
let realm = try Realm(
  configuration: Realm.Configuration(
    fileURL: store, objectTypes: [Airport.self, Location.self]))
print(realm.objects(Airport.self).count, "airports")

guard let center = GeoPoint(latitude: 48.8566, longitude: 2.3522),
  let radius = Distance.kilometers(100)
else { fatalError("the center or the radius is out of range") }
let paris = GeoCircle(center: center, radius: radius)
let high = realm.objects(Airport.self).where {
  $0.location.geoWithin(paris) && $0.elevation > 300
}
for airport in high.sorted(by: \.name) {
  print(airport.icao, airport.name, airport.elevation)
}
