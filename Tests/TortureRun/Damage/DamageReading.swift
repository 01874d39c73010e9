import Cadastre
import CadastreSQLite
import CadastreStore
import Foundation

/// The results of reading and writing a damaged store in every way.
final class DamageReading {
  /// What the check of the store finds; nil where it throws.
  private(set) var problems: [String]?
  /// The results of queries by their names; missing where a query throws.
  private(set) var results: [String: [String]] = [:]
  /// The number of operations that threw an error.
  private(set) var errors = 0
  /// Errors of other types than those of the library.
  private(set) var strangeErrors: [String] = []

  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: [Everything.self, Site.self])
  }

  /// Reads a store, then writes to it.
  init(_ path: String) {
    attempt { self.problems = try StoreContent.problems(of: path) }
    attempt {
      var configuration = Self.configuration(path)
      configuration.readErrorHandler = { _ in }
      let realm = try Realm(configuration: configuration)
      for (name, query) in Self.queries {
        attempt { results[name] = try realm.throwingReadErrors { query(realm) } }
      }
    }
  }

  /// Repairs, changes, compacts, copies and migrates the store.
  func write(_ path: String) {
    attempt { _ = try StoreRepair.run(OpenStores.store(at: path)) }
    attempt {
      var configuration = Self.configuration(path)
      configuration.readErrorHandler = { _ in }
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for id in [3, 30, 300] {
          realm.create(Everything.self, value: Everything.value(id, 5), update: .modified)
        }
        realm.delete(realm.objects(Everything.self).where { $0.id == 7 })
      }
      try realm.writeCopy(toFile: URL(fileURLWithPath: path + "-copied"))
    }
    attempt { try Realm.compact(for: Self.configuration(path)) }
    attempt {
      var later = Self.configuration(path)
      later.objectTypes = [LaterEverything.self, Site.self]
      later.schemaVersion = 1
      later.readErrorHandler = { _ in }
      let realm = try Realm(configuration: later)
      _ = try realm.throwingReadErrors { realm.objects(LaterEverything.self).map(\.title).count }
    }
    attempt { self.problems = try StoreContent.problems(of: path) }
  }

  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch {
      errors += 1
      if !(error is Realm.Error || error is StoreError) {
        strangeErrors.append("\(type(of: error)): \(error)")
      }
    }
  }

  private typealias Query = @Sendable (Realm) -> [String]

  private static let queries: [(name: String, query: Query)] = [
    ("count", { ["\($0.objects(Everything.self).count)"] }),
    ("all", { realm in realm.objects(Everything.self).map { "\($0.id)" }.sorted() }),
    (
      "number",
      { realm in
        realm.objects(Everything.self).where { $0.number > 40 }.map { "\($0.id)" }.sorted()
      }
    ),
    (
      "name",
      { realm in
        realm.objects(Everything.self).where { $0.name == "name 31" || $0.name == "name 12" }
          .map { "\($0.id)" }.sorted()
      }
    ),
    (
      "flag",
      { realm in
        realm.objects(Everything.self).where { $0.flag == true }.map { "\($0.id)" }.sorted()
      }
    ),
    ("sum", { ["\($0.objects(Everything.self).sum(of: \.number) as Int)"] }),
    ("greatest", { ["\(String(describing: $0.objects(Everything.self).max(of: \.ratio)))"] }),
    (
      "sorted",
      { realm in realm.objects(Everything.self).sorted(by: \.name).map(\.name) }
    ),
    (
      "words",
      { realm in
        realm.objects(Everything.self).search("word7", in: \.words).map { "\($0.id)" }.sorted()
      }
    ),
    (
      "north",
      { realm in
        realm.objects(Everything.self).where {
          $0.site.geoWithin(north)
        }.map { "\($0.id)" }.sorted()
      }
    ),
    (
      "lists",
      { realm in
        realm.objects(Everything.self).map { object in
          "\(object.id): \(Array(object.numbers)) \(object.names.count) \(object.prices.count)"
        }.sorted()
      }
    ),
    (
      "values",
      { realm in
        realm.objects(Everything.self).map { object in
          "\(object)\(object.next?.id ?? 0)\(object.links.map(\.id))\(object.previous.count)"
            + "\(object.sites.map(\.coordinates.count))\(object.any)"
        }
      }
    ),
  ]

  /// The points north of 45 degrees.
  private static let north: GeoCircle = {
    guard let pole = GeoPoint(latitude: 90, longitude: 0), let radius = Distance.degrees(45) else {
      preconditionFailure("the pole is a point")
    }
    return GeoCircle(center: pole, radius: radius)
  }()
}
