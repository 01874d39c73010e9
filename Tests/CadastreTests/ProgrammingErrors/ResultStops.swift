import Cadastre
import Foundation

extension StopCase {
  static let results = [
    StopCase("Object must be from the Realm being queried: '…' is not.") {
      let other = try add(Other("a"))
      _ = try everyRealm().objects(Every.self).where { $0.link == other }
    },
    StopCase("Links are not supported as section keys.") {
      _ = try makeRealm().objects(Airport.self).sectioned(by: \.alternate)
    },
    StopCase("'…' has … geographic properties: name one, as in ….") {
      let point = GeoPoint(latitude: 1, longitude: 1)
      if let point { _ = try everyRealm().objects(Every.self).nearest(1, to: point) }
    },
    StopCase(
      "Results of two Realms cannot be joined: take both from the same Realm, or freeze it and take "
        + "both from the frozen one."
    ) {
      let airports = try makeRealm().objects(Airport.self)
      _ = airports.joined(to: try makeRealm().objects(Airport.self)) {
        $0.location.geoIntersects($1.location)
      }
    },
    StopCase(
      "The geometries of any object in a relation are those of a class and its conditions: take them "
        + "from results without a limit, an order, distinct values, and not from a collection."
    ) {
      let airports = try makeRealm().objects(Airport.self)
      _ = airports.where {
        $0.location.geoWithin(airports.sorted(by: \.name).any(of: \.location))
      }
    },
    StopCase("Index … is out of bounds (must be less than …).") {
      _ = try makeRealm().objects(Airport.self)[0]
    },
    StopCase("An index path into sections has two indexes, found …: the section and the element.") {
      _ = try makeRealm().objects(Airport.self).sectioned(by: \.name)[IndexPath(index: 0)]
    },
  ]

  static let classes = [
    StopCase(
      "Two model classes are called '…': … and …. Rename one, or list the classes of each Realm "
        + "in Realm.Configuration.objectTypes."
    ) {
      DuplicateNames.areIncluded.withLock { $0 = true }
      _ = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "all"))
    }
  ]
}

/// Two classes with one name, which the default schema has in the process of one test only.
enum DuplicateNames {
  static let areIncluded = Guarded(false)

  class First: Object {
    @Persisted var number: Int

    override class func className() -> String { "Duplicate" }
    override class func shouldIncludeInDefaultSchema() -> Bool {
      areIncluded.withLock { $0 }
    }
  }

  class Second: Object {
    @Persisted var number: Int

    override class func className() -> String { "Duplicate" }
    override class func shouldIncludeInDefaultSchema() -> Bool {
      areIncluded.withLock { $0 }
    }
  }
}
