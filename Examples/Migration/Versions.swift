import Cadastre

/// The classes of the first release.
enum FirstRelease {
  class Contact: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var firstName = ""
    @Persisted var lastName = ""
    @Persisted var longitude = 0.0
    @Persisted var latitude = 0.0
  }
}

/// The classes of the second release: one name, and a location with a spatial index.
enum SecondRelease {
  class Location: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
  }

  class Contact: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var location: Location?
  }
}
