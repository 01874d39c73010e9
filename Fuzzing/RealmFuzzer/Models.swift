import Cadastre
import Foundation

class Site: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

enum Level: Int, PersistableEnum { case low = 1, high }

/// A class with most types of property, alone and in collections, with each kind of index.
class Item: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: true) var number = 0
  @Persisted var small: Int8?
  @Persisted var ratio: Double?
  @Persisted(indexed: true) var name = ""
  @Persisted(fullText: true) var words = ""
  @Persisted var bytes: Data?
  @Persisted var date: Date?
  @Persisted var decimal: Decimal128?
  @Persisted var identifier: ObjectId?
  @Persisted var uuid: UUID?
  @Persisted var level: Level?
  @Persisted var any: AnyRealmValue
  @Persisted var border: Geometry?
  @Persisted var site: Site?
  @Persisted var next: Item?
  @Persisted var numbers: List<Int>
  @Persisted var names: MutableSet<String>
  @Persisted var prices: Map<String, Double>
  @Persisted var links: List<Item>
  @Persisted(originProperty: "next") var previous: LinkingObjects<Item>

  static func configuration(_ file: URL) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: file, objectTypes: [Item.self, Site.self])
    configuration.readErrorHandler = { _ in }
    return configuration
  }

  /// Adds objects to a Realm, within a write.
  static func addSamples(_ ids: Range<Int>, to realm: Realm) {
    for id in ids {
      let item = realm.create(
        Item.self,
        value: [
          "id": id, "number": id * 7 % 20, "name": "name \(id % 9)",
          "words": "word\(id % 5) of \(id)", "ratio": Double(id) / 3,
          "any": id % 2 == 0 ? AnyRealmValue.int(id) : .string("text"),
          "site": ["coordinates": [Double(id * 5 % 360) - 180, Double(id * 3 % 180) - 90]],
          "numbers": [id, id + 1], "names": ["a", "b\(id)"], "prices": ["x": Double(id)],
        ] as [String: Any])
      item.next = realm.object(ofType: Item.self, forPrimaryKey: id - 1)
    }
  }
}
