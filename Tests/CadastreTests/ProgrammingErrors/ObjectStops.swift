import Cadastre
import Foundation

extension StopCase {
  static let objects = [
    StopCase(
      "Objects of class '…' can only be read: add the class to objectTypes of Realm.Configuration."
    ) {
      try ConformanceTests.withUnlisted { realm, holder in
        try realm.write { holder.value.dynamicObject?.name = "Eve" }
      }
    },
    StopCase(
      "Object has been deleted or invalidated: '…' with key … is no longer in the Realm. Check "
        + "isInvalidated before using it."
    ) {
      try deleted {
        $0
      } then: {
        _ = $0.id
      }
    },
    StopCase(
      "Cannot modify managed objects outside of a write transaction: set '…' inside realm.write { "
        + "… }."
    ) {
      try add(Every()).grade = .high
    },
    StopCase("'….…' can be read without its Swift class only once a Realm manages the object.") {
      _ = Every().dynamicList("links")
    },
    StopCase("Object has been deleted or invalidated: the embedded '…' is no longer in its owner.")
    {
      try changed { every in
        every.spot = Spot()
        let spot = every.spot
        every.spot = nil
        _ = spot?.name
      }
    },
    StopCase("Primary key can't be changed after an object is inserted: '…'.") {
      try changed { $0.id = 5 }
    },
    StopCase(
      "Can't set link to existing managed embedded object of type '…': it has an owner already. "
        + "Make a copy with init(value:)."
    ) {
      try changed { every in
        every.knots.append(Knot("a"))
        every.knot = every.knots[0]
      }
    },
    StopCase(
      "Object of type '…' cannot be the value of '…', which takes '…' only: a subclass is stored "
        + "apart from its superclass."
    ) {
      try changed { $0.link = Special("s") }
    },
    StopCase("Value of '…' has … bytes; a property holds at most …. Keep larger data in files.") {
      try changed { $0.blobs.append(Data(count: 16 << 20 + 1)) }
    },
    StopCase("Cannot add an existing managed embedded object to a") {
      try changed { every in
        every.knot = Knot("a")
        if let knot = every.knot { every.knots.append(knot) }
      }
    },
    StopCase("Dictionary.") {
      try changed { every in
        every.knot = Knot("a")
        every.knotMap["a"] = every.knot
      }
    },
    StopCase("List. It has one owner: make a copy with init(value:).") {
      try changed { every in
        every.knots.append(Knot("a"))
        every.knots.append(every.knots[0])
      }
    },
    StopCase("A MutableSet cannot hold lists or maps: use a List of AnyRealmValue.") {
      try changed { $0.anySet.insert(.fromArray([])) }
    },
    StopCase(
      "Object is already managed by another Realm. Use create instead to copy it into this one."
    ) {
      let other = try add(Other("a"))
      try changed { $0.link = other }
    },
    StopCase("Object has been deleted or invalidated and cannot be added.") {
      try deleted {
        $0
      } then: { every in
        every.realm?.add(every)
      }
    },
    StopCase("'…' does not have a primary key and can not be updated.") {
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "keyless", objectTypes: [Club.self, MappedLocation.self]))
      try realm.write { realm.add(Club(), update: .modified) }
    },
    StopCase("Primary key property '…' does not exist on object '…'.") {
      _ = NamesNothing(value: ["x"])
    },
    StopCase("Indexed property '…' does not exist on object '…': see indexedProperties().") {
      class Indexes: Object {
        @Persisted var name = ""

        override class func indexedProperties() -> [String] { ["nothing"] }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      _ = Indexes(value: ["x"])
    },
  ]
}
