import Cadastre
import Foundation

class Den: EmbeddedObject {
  @Persisted var city = ""
  @Persisted var guest: Greyhound?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Greyhound: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var stamp = 0
  @Persisted var age = 0
  @Persisted var friend: Greyhound?
  @Persisted(originProperty: "dogs") var owners: LinkingObjects<Keeper>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Keeper: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var stamp = 0
  @Persisted(indexed: true) var age = 0
  @Persisted var best: Greyhound?
  @Persisted var dogs: List<Greyhound>
  @Persisted var tags: MutableSet<String>
  @Persisted var marks: Map<String, Int>
  @Persisted var walks: Map<String, Greyhound?>
  @Persisted var home: Den?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A store of keepers and hounds, in memory, with Realms in several contexts.
enum Shelter {
  static func configuration(_ name: String = UUID().uuidString) -> Realm.Configuration {
    Realm.Configuration(
      inMemoryIdentifier: name, objectTypes: [Keeper.self, Greyhound.self, Den.self])
  }
}

/// A context for a Realm: a serial queue that the test enters.
final class Corner {
  let queue: DispatchQueue
  let realm: Realm

  init(_ configuration: Realm.Configuration) throws {
    let queue = DispatchQueue(label: "corner")
    self.queue = queue
    realm = try queue.sync { try Realm(configuration: configuration, queue: queue) }
  }

  /// Runs a closure where the Realm is.
  @discardableResult
  func enter<Result>(_ body: (Realm) throws -> Result) rethrows -> Result {
    try queue.sync { try body(realm) }
  }

  /// Writes where the Realm is.
  @discardableResult
  func write<Result>(_ body: (Realm) throws -> Result) throws -> Result {
    try enter { realm in try realm.write { try body(realm) } }
  }
}
