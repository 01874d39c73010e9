import Cadastre
import Foundation

/// A class of every type of property, alone and in collections, with every kind of index.
class Everything: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var flag = false
  @Persisted(indexed: true) var number = 0
  @Persisted var small: Int8?
  @Persisted var ratio: Double?
  @Persisted var float: Float = 0
  @Persisted(indexed: true) var name = ""
  @Persisted(fullText: true) var words = ""
  @Persisted var bytes = Data()
  @Persisted var date = Date(timeIntervalSince1970: 0)
  @Persisted var decimal: Decimal128?
  @Persisted var identifier: ObjectId?
  @Persisted var uuid: UUID?
  @Persisted var any: AnyRealmValue
  @Persisted var border: Geometry?
  @Persisted var site: Site?
  @Persisted var next: Everything?
  @Persisted var numbers: List<Int>
  @Persisted var names: MutableSet<String>
  @Persisted var prices: Map<String, Double>
  @Persisted var links: List<Everything>
  @Persisted var sites: List<Site>
  @Persisted(originProperty: "next") var previous: LinkingObjects<Everything>

  /// The values of an object, as a function of its key and of a version.
  static func value(_ id: Int, _ version: Int = 0) -> [String: Any] {
    let seed = id * 31 + version * 7
    let (longitude, latitude) = (Double(seed % 360) - 179.5, Double(seed % 180) - 89.5)
    return [
      "id": id, "flag": seed % 2 == 0, "number": seed % 100, "small": seed % 100,
      "ratio": Double(seed) / 7, "float": Float(seed) / 3, "name": "name \(seed % 50)",
      "words": "word\(seed % 20) and word\(seed % 30) of \(id)",
      "bytes": Data(repeating: UInt8(seed % 256), count: 20 + seed % 400),
      "date": Date(timeIntervalSince1970: Double(seed) * 1000),
      "decimal": Decimal128(value: Int64(seed)),
      "any": seed % 3 == 0 ? AnyRealmValue.string("text \(seed)") : AnyRealmValue.int(seed),
      "border": border(longitude, latitude),
      "site": ["coordinates": [longitude, latitude]],
      "numbers": [seed, id, version], "names": ["a\(id)", "b\(seed)"],
      "prices": ["x": Double(seed), "y": Double(version)],
      "sites": [["coordinates": [longitude / 2, latitude / 2]]],
    ]
  }

  private static func border(_ longitude: Double, _ latitude: Double) -> Any {
    let (x, y) = (longitude / 2, latitude / 2)
    return (try? Geometry(wkt: "POLYGON((\(x) \(y), \(x + 1) \(y), \(x) \(y + 1), \(x) \(y)))"))
      as Any
  }
}

/// ``Everything`` after a change of the program's classes: other types, names and indexes.
class LaterEverything: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var number: Double?
  @Persisted(indexed: true) var title = ""
  @Persisted(fullText: true) var name = ""
  @Persisted var words = ""
  @Persisted(indexed: true) var added = "new"
  @Persisted var site: Site?
  @Persisted var place: Site?
  @Persisted var next: LaterEverything?
  @Persisted var numbers: List<Int>
  @Persisted var names: MutableSet<String>

  override class func className() -> String { "Everything" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class of few properties, with many objects.
class Gauge: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var level = 0
}
