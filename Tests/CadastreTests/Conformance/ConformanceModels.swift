import Cadastre
import Foundation

/// Models of programs written for Realm.
enum Conforming {
  class Dog: Object, Codable {
    @Persisted var name = "Rex"
    @Persisted var age: Int
    @Persisted var born: Date?
    @Persisted var photo = Data()
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>

    enum CodingKeys: String, CodingKey { case name, age, born, photo }

    // A property is assigned before `super.init()`.
    required init() { super.init() }

    init(named name: String) {
      self._name = Persisted(wrappedValue: name)
      super.init()
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Address: EmbeddedObject, Codable {
    @Persisted var street = ""
    @Persisted var city: String?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Person: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var small: Int8
    @Persisted var level: Level
    @Persisted var tag: Tag?
    @Persisted var address: Address?
    @Persisted var home: Address?
    @Persisted var dogs: List<Dog>
    @Persisted var numbers: List<Int>
    @Persisted var levels: List<Level>
    @Persisted var weights: List<Weight>
    @Persisted var tags: MutableSet<Tag>
    @Persisted var scores: Map<String, Int>
    @Persisted var pets: Map<String, Dog?>
    @Persisted var best: Dog?
    @Persisted var friend: Person?
    @Persisted var place: Place?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Place: EmbeddedObject, Codable {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Leg: EmbeddedObject {
    @Persisted var receiver: Person?
    @Persisted var rest: List<Leg>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Courier: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var stops: List<Address>
    @Persisted var legs: List<Leg>
    @Persisted var byName: Map<String, Leg?>
    @Persisted var next: Leg?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Holder: Object {
    @Persisted var value: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// A class with linking objects only.
  class Registry: Object {
    @Persisted(originProperty: "registry") var entries: LinkingObjects<Entry>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Entry: Object {
    @Persisted var registry: Registry?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  enum Level: Int, PersistableEnum, Codable { case low = 1, middle, high }

  enum Tag: String, PersistableEnum, Codable { case red, green, blue }

  /// Hashable by the conformance to `CustomPersistable`.
  struct Weight: CustomPersistable, Codable {
    var grams: Double
    init(grams: Double) { self.grams = grams }
    init(persistedValue: Double) { grams = persistedValue }
    var persistableValue: Double { grams }
  }

  static let types: [ObjectBase.Type] = [
    Dog.self, Address.self, Place.self, Person.self, Registry.self, Entry.self, Courier.self,
    Leg.self,
  ]

  /// A Realm in memory that no other test uses.
  static func realm() throws -> Realm {
    var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    configuration.objectTypes = types
    return try Realm(configuration: configuration)
  }
}
