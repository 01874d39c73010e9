import Cadastre
import Foundation

extension StopCase {
  static let collections = [
    StopCase("The sum of '…' does not fit '…': sum a wider type.") {
      let _: Int8 = Every(value: ["ints": [100, 100]]).ints.sum(ofProperty: "self")
    },
    StopCase(
      "Lists and maps in an AnyRealmValue may nest to … levels: maximum nesting level exceeded."
    ) {
      let every = Every()
      for _ in 0..<101 { every.any = .fromArray([every.any]) }
      try add(every)
    },
    StopCase("Linking objects cannot be set: set the links of the objects themselves.") {
      try changed { every in
        let other = every.realm?.create(Other.self, value: ["name": "a"])
        other?.byLink = Other("b").byLink
      }
    },
    StopCase("Index … is out of bounds (must be less than …).") { _ = Every().ints[0] },
    StopCase("Cannot pass a negative value for '…': ….") { _ = Every().ints[-1] },
    StopCase("Range … is out of bounds (must lie within 0..<…).") {
      Every().ints.replaceSubrange(0..<1, with: [])
    },
    StopCase("Cannot pass a negative value for 'number': ….") { Every().ints.removeLast(-1) },
    StopCase(
      "It is not possible to remove more objects (…) from a list than it already contains (…)."
    ) {
      Every().ints.removeFirst(1)
    },
    StopCase(
      "Right hand side value must be a managed set of the same Realm: add it to the Realm first, "
        + "or use insert(objectsIn:)."
    ) {
      try changed { $0.intSet.formUnion(MutableSet()) }
    },
    StopCase("Cannot pass a negative value for 'index': ….") { _ = Every().intSet[-1] },
    StopCase("The elements are no objects and have no property '…'.") {
      Every(value: ["ints": [1]]).ints.setValue(1, forKey: "id")
    },
    StopCase(
      "This method may only be called on collections retrieved from a Realm: add the object that "
        + "has the collection first."
    ) {
      _ = Every().links.filter("name == 'a'")
    },
    StopCase("Indexes for collection are out of bounds: ….") { _ = Every().ints.objects(at: [1]) },
    StopCase(
      "This method may only be called on maps retrieved from a Realm: add the object that has the "
        + "map first."
    ) {
      _ = Every().linkMap.filter("name == 'a'")
    },
    StopCase("Access to invalidated … object: its object was deleted or invalidated.") {
      try deleted { every in
        every.ints
      } then: {
        _ = $0.count
      }
    },
    StopCase("Could not convert value '…' to type '…'.") {
      class Links: Object {
        @Persisted var all: List<URL>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: UUID().uuidString, objectTypes: [Links.self]))
      let links = try realm.write { realm.create(Links.self) }
      try realm.write { (links["all"] as? List<String>)?.append("") }
      _ = links.all[0]
    },
    StopCase("Access to invalidated List object: the property holds another value now.") {
      try changed { every in
        every.any = .fromArray([.int(1)])
        let list = every.any.listValue
        every.any = .int(1)
        _ = list?.count
      }
    },
    StopCase("Access to invalidated Map object: the property holds another value now.") {
      try changed { every in
        every.any = .fromDictionary(["a": .int(1)])
        let map = every.any.dictionaryValue
        every.any = .int(1)
        _ = map?.count
      }
    },
    StopCase("Access to invalidated collection '…': its object was deleted or invalidated.") {
      try deleted { every in
        every.ints
      } then: {
        $0.append(1)
      }
    },
  ]

  // MARK: Objects of a Realm

  /// Adds an object to a new Realm.
  @discardableResult
  static func add<Added: Object>(_ object: Added) throws -> Added {
    let realm = try everyRealm()
    try realm.write { realm.add(object) }
    return object
  }

  /// Changes an object of a new Realm in a write transaction.
  static func changed(_ change: (Every) throws -> Void) throws {
    let every = try add(Every())
    try every.realm?.write { try change(every) }
  }

  /// Reads something of an object that is deleted then, and uses it in the transaction.
  static func deleted<Part>(_ read: (Every) -> Part, then use: (Part) throws -> Void) throws {
    try changed { every in
      let part = read(every)
      every.realm?.delete(every)
      try use(part)
    }
  }
}
