import Cadastre
import Foundation

let store = URL(fileURLWithPath: "airports.cadastre")
let realm = try Realm(
  configuration: Realm.Configuration(
    fileURL: store, objectTypes: [Airport.self, Location.self]))
print(realm.objects(Airport.self).count, "airports")
