import Cadastre
import Foundation

extension StopCase {
  static let results = [
    StopCase("Object must be from the Realm being queried: '…' is not.") {
      let other = try add(Other("a"))
      _ = try everyRealm().objects(Every.self).where { $0.link == other }
    },
    StopCase("Values can be sorted and made distinct by 'self' only, found '…'") {
      _ = try add(Every()).ints.sorted(byKeyPath: "name").count
    },
    StopCase(
      "The section key path must match the primary sort descriptor: sections by '…' need a sort "
        + "by '…' first."
    ) {
      _ = try makeRealm().objects(Airport.self).sectioned(by: \.name, sortDescriptors: ["icao"])
    },
    StopCase("Links are not supported as section keys.") {
      _ = try makeRealm().objects(Airport.self).sectioned(by: \.alternate)
    },
    StopCase(
      "There must be at least one SortDescriptor when using SectionedResults: sections come in "
        + "the order of their elements."
    ) {
      _ = try makeRealm().objects(Airport.self).sectioned(by: \.name, sortDescriptors: [])
    },
    StopCase("'…' has … geographic properties: name one, as in ….") {
      let point = GeoPoint(latitude: 1, longitude: 1)
      if let point { _ = try everyRealm().objects(Every.self).nearest(1, to: point) }
    },
    StopCase("limit(_:offset:) takes no negative numbers, found … and ….") {
      _ = try makeRealm().objects(Airport.self).limit(-1)
    },
    StopCase("limit(_:) takes no negative number, found ….") {
      let airports = try makeRealm().objects(Airport.self)
      _ = airports.joined(to: airports) { $0.location.geoIntersects($1.location) }.limit(-1)
    },
    StopCase("A join takes no negative number of objects, found ….") {
      let airports = try makeRealm().objects(Airport.self)
      _ = airports.joined(toNearest: -1, of: airports) { $0.location.geoDistance(to: $1.location) }
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
