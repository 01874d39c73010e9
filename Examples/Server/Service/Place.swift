import Cadastre
import Foundation

/// A point in the shape of GeoJSON.
class Point: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

/// The kind of a place.
enum Kind: String, PersistableEnum {
  case station, harbour, airport
}

/// A company that runs places.
class Company: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var website: String?
}

/// A place on Earth.
class Place: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name = ""
  @Persisted var kind: Kind
  @Persisted var level = 0.0
  @Persisted var location: Point?
  @Persisted var updated: Date?
  @Persisted var tags: List<String>
  @Persisted var company: Company?
  @Persisted var details: Map<String, AnyRealmValue>

  static let all: [ObjectBase.Type] = [Place.self, Company.self, Point.self]
}
