import Cadastre
import Foundation
import Testing
import TestingSupport

/// Collections used wrongly stop with their sentences.
@Suite struct CollectionErrorTests {
  @Test func `indexes out of bounds`() async {
    let over = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Every(value: ["ints": [1, 2, 3]]).ints[3]
    }
    expectStop(over, says: "Index 3 is out of bounds (must be less than 3).")
    let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Every(value: ["ints": [1, 2, 3]]).ints.move(from: 0, to: -1)
    }
    expectStop(negative, says: "Cannot pass a negative value for 'to'")
    let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Every(value: ["intSet": [1]]).intSet[1]
    }
    expectStop(set, says: "Index 1 is out of bounds (must be less than 1).")
    let many = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Every(value: ["ints": [1, 2, 3]]).ints.removeLast(4)
    }
    expectStop(
      many,
      says:
        "It is not possible to remove more objects (4) from a list than it already contains (3).")
    let places = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Every(value: ["ints": [1, 2, 3]]).ints.objects(at: [1, 5])
    }
    expectStop(places, says: "Indexes for collection are out of bounds")
  }

  @Test func `keys that a map cannot have`() async {
    let dollar = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Every(value: ["intMap": ["$a": 1]])
    }
    expectStop(dollar, says: "must not start with '$'")
    let stop = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Every().any = .fromDictionary(["a.\u{301}b": .int(1)])
    }
    expectStop(stop, says: "must not contain '.'")
  }

  @Test func `values of any type that hold themselves, too many levels, or a set of lists`() async {
    let cycle = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let list = List<AnyRealmValue>()
      list.append(.list(list))
      let every = Every()
      every.any = .list(list)
      let realm = try everyRealm()
      try realm.write { realm.add(every) }
    }
    expectStop(cycle, says: "maximum nesting level exceeded")
    let levels = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let every = Every()
      for _ in 0..<101 { every.any = .fromArray([every.any]) }
      let realm = try everyRealm()
      try realm.write { realm.add(every) }
    }
    expectStop(levels, says: "maximum nesting level exceeded")
    let inner = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let every = Every()
      for _ in 0..<100 { every.any = .fromArray([every.any]) }
      let realm = try everyRealm()
      try realm.write {
        realm.add(every)
        var last = try #require(every.any.listValue)
        while let next = last[0].listValue { last = next }
        last[0] = .fromArray([])
      }
    }
    expectStop(inner, says: "maximum nesting level exceeded")
    let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      try realm.write { realm.create(Every.self, value: ["anySet": [[1]]]) }
    }
    expectStop(set, says: "A MutableSet cannot hold lists or maps")
    let embedded = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let every = Every()
      every["any"] = Knot("k")
    }
    expectStop(embedded, says: "for 'mixed' property 'Every.any'")
  }

  @Test func `embedded objects that have an owner, and those on their own`() async {
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every(value: ["knots": [["text": "a"]]])
      try realm.write {
        realm.add(every)
        every.knots.append(every.knots[0])
      }
    }
    expectStop(list, says: "Cannot add an existing managed embedded object to a List.")
    let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every()
      let knot = Knot("k")
      every.knots.append(objectsIn: [knot, knot])
      try realm.write { realm.add(every) }
    }
    expectStop(twice, says: "Cannot add an existing managed embedded object to a List.")
    let map = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every(value: ["knots": [["text": "a"]]])
      try realm.write {
        realm.add(every)
        every.knotMap["k"] = every.knots[0]
      }
    }
    expectStop(map, says: "Cannot add an existing managed embedded object to a Dictionary.")
    let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every(value: ["knots": [["text": "a"]]])
      try realm.write {
        realm.add(every)
        every.knot = every.knots[0]
      }
    }
    expectStop(link, says: "Can't set link to existing managed embedded object")
    let alone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      try realm.write { realm.dynamicCreate("Knot") }
    }
    expectStop(alone, says: "Embedded objects cannot be created directly")
  }

  @Test func `objects of another Realm or of another class`() async {
    let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, second) = (try everyRealm(), try everyRealm())
      let foreign = Other("f")
      try second.write { second.add(foreign) }
      let every = Every()
      try realm.write {
        realm.add(every)
        every.links.append(foreign)
      }
    }
    expectStop(other, says: "already managed by another Realm")
    let any = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, second) = (try everyRealm(), try everyRealm())
      let foreign = Other("f")
      try second.write { second.add(foreign) }
      let every = Every()
      try realm.write {
        realm.add(every)
        every.any = .fromArray([.object(foreign)])
      }
    }
    expectStop(any, says: "already managed by another Realm")
    let subclass = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every()
      every.links.append(Special("s"))
      try realm.write { realm.add(every) }
    }
    expectStop(subclass, says: "Object of type 'Special' cannot be the value of 'Every.links'")
    let deleted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let (every, gone) = (Every(), Other("f"))
      try realm.write {
        realm.add([every])
        realm.add(gone)
        realm.delete(gone)
        every.links.append(gone)
      }
    }
    expectStop(deleted, says: "deleted or invalidated")
  }

  @Test func `values that do not fit`() async {
    let element = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Every(value: ["ints": [1, "x"] as [Any]])
    }
    expectStop(element, says: "for 'list of int' property 'Every.ints'")
    let null = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Every(value: ["ints": [1, NSNull()] as [Any]])
    }
    expectStop(null, says: "for 'list of int' property 'Every.ints'")
    let map = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Every(value: ["intMap": [1, 2]])
    }
    expectStop(map, says: "for 'map of int' property 'Every.intMap'")
    let long = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every()
      try realm.write {
        realm.add(every)
        every.strings.append(String(repeating: "x", count: 16 << 20 + 1))
      }
    }
    expectStop(long, says: "Value of 'Every.strings' has 16777217 bytes")
    let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every()
      every.any = .fromArray([.data(Data(count: 16 << 20 + 1))])
      try realm.write { realm.add(every) }
    }
    expectStop(nested, says: "a property holds at most")
    let values = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every(value: ["ints": [1]])
      try realm.write {
        realm.add(every)
        realm.delete(every.ints.filter("self > 0"))
      }
    }
    expectStop(values, says: "Querying is currently only implemented for arrays of Realm Objects")
  }

  /// One for each verb that changes something, even where it would change nothing.
  private static let verbs: [@Sendable (Every) -> Void] = [
    { $0.ints.append(1) }, { $0.ints.append(objectsIn: []) }, { $0.ints.insert(1, at: 0) },
    { $0.ints.remove(at: 0) }, { $0.ints.removeFirst() }, { $0.ints.removeAll() },
    { $0.ints.move(from: 0, to: 0) }, { $0.ints.swapAt(0, 0) }, { $0.ints[0] = 2 },
    { $0.ints.remove(atOffsets: []) }, { $0.ints.move(fromOffsets: [], toOffset: 0) },
    { $0.ints.replaceSubrange(0..<0, with: []) }, { $0.ints = List() }, { $0.intSet.insert(1) },
    { $0.intSet.insert(objectsIn: []) }, { $0.intSet.remove(9) }, { $0.intSet.removeAll() },
    { $0.intSet.formUnion($0.intSet) }, { $0.intSet.subtract($0.intSet) },
    { $0.intSet.formIntersection($0.intSet) }, { $0.intMap["k"] = 1 }, { $0.intMap["k"] = nil },
    { $0.intMap.removeAll() }, { $0.intMap.merge(Map()) { $1 } }, { $0.any = .none },
    { $0.anys[0] = .none }, { $0.anys[0].listValue?.append(.int(1)) }, { $0.spot = nil },
    { $0.knot = nil }, { $0.knots.removeAll() }, { $0["intMap"] = ["a": 1] },
  ]

  @Test(arguments: verbs.indices)
  func `every verb needs a write transaction`(index: Int) async {
    do {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [index = index as Int] in
        let realm = try everyRealm()
        let every = Every(value: ["ints": [1], "anys": [[1]], "intSet": [1]])
        try realm.write { realm.add(every) }
        Self.verbs[index](every)
      }
      expectStop(result, says: "outside of a write transaction")
    }
  }

  @Test func `collections of deleted objects`() async {
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every(value: ["ints": [1]])
      try realm.write { realm.add(every) }
      let ints = every.ints
      try realm.write { realm.delete(every) }
      guard ints.isInvalidated else { exit(0) }
      _ = ints.count
    }
    expectStop(list, says: "Access to invalidated List object")
    let property = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every(value: ["ints": [1]])
      try realm.write { realm.add(every) }
      try realm.write { realm.delete(every) }
      _ = every.intMap.count
    }
    expectStop(property, says: "Access to invalidated Map object")
  }

  @Test func `everything that is wrong with a schema, at once`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "wrong", objectTypes: [Wrong.self, WrongKnot.self, Bare.self]))
    }
    for sentence in [
      "Schema validation failed due to the following errors",
      "Object property 'Wrong.required' must be marked as optional",
      "a set cannot hold embedded objects",
      "the values of a map of objects must be optional",
      "Class 'Wrong' has more than one primary key",
      "'Wrong.flag' of type 'bool' cannot be a primary key",
      "Embedded class 'WrongKnot' cannot have the primary key 'key'",
      "No properties are defined for 'Bare'",
      "declared as origin of 'Wrong.missing' does not exist",
      "declared as origin of 'Wrong.value' is not a link",
      "declared as origin of 'Wrong.elsewhere' links to type 'WrongKnot'",
    ] {
      expectStop(result, says: sentence)
    }
  }
}

class Special: Other {
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Wrong: Object {
  @Persisted(primaryKey: true) var key: Int
  @Persisted(primaryKey: true) var flag: Bool
  @Persisted var required: Wrong
  @Persisted var knotSet: MutableSet<WrongKnot>
  @Persisted var map: Map<String, Wrong>
  @Persisted var knot: WrongKnot?
  @Persisted(originProperty: "nothing") var missing: LinkingObjects<Wrong>
  @Persisted(originProperty: "key") var value: LinkingObjects<Wrong>
  @Persisted(originProperty: "knot") var elsewhere: LinkingObjects<Wrong>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class WrongKnot: EmbeddedObject {
  @Persisted(primaryKey: true) var key: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Bare: Object {
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
