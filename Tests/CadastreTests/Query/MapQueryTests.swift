import Cadastre
import Foundation
import Testing
import TestingSupport

class Chest: Object {
  @Persisted var weights: Map<String, Double>
  @Persisted var counts: Map<String, Int?>
  @Persisted var toys: Map<String, Toy?>
  @Persisted var numbers: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Toy: Object {
  @Persisted var name = ""
  @Persisted var price = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Queries on the values of maps, and on slices of lists.
@Suite struct MapQueryTests {
  private let realm: Realm
  private let chest: Chest

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Chest.self, Toy.self]))
    chest = Chest(value: [
      "weights": ["a": 2.5, "b": 1, "c": 4],
      "counts": ["a": 3, "b": nil, "c": 3] as [String: Any?],
      "toys": ["a": ["name": "top", "price": 5], "b": nil, "c": ["name": "bear", "price": 9]]
        as [String: Any?], "numbers": [1, 2, 3, 4],
    ])
    let (realm, chest) = (realm, chest)
    try realm.write { realm.add(chest) }
  }

  private func operateOn<C: RealmKeyedCollection>(_ collection: C) -> Results<C.Value>
  where C.Key == String {
    collection.sorted()
  }

  private func size<C: RealmCollectionBase>(of collection: C) -> Int where C.Element == Int {
    collection.count
  }

  @Test func `values are sorted and summed up`() {
    #expect(Array(chest.weights.sorted()) == [1, 2.5, 4])
    #expect(Array(chest.weights.sorted(ascending: false)) == [4, 2.5, 1])
    #expect(Array(chest.counts.sorted()) == [nil, 3, 3])
    #expect(Array(operateOn(chest.weights)) == [1, 2.5, 4])
    #expect(chest.weights.min() == 1 && chest.weights.max() == 4 && chest.weights.sum() == 7.5)
    #expect(chest.weights.average() == 2.5 && chest.counts.sum() == 6)
    #expect(chest.counts.min() == 3 && chest.counts.average() == 3.0)
  }

  @Test func `objects are filtered, sorted and summed up`() {
    let toys = chest.toys
    #expect(toys.filter("price > 5").map { $0?.name } == ["bear"])
    #expect(toys.where { $0.price < 9 }.map { $0?.name } == ["top"])
    #expect(toys.sorted(byKeyPath: "name").map { $0?.name } == ["bear", "top"])
    #expect(toys.sorted(by: ["price"]).map { $0?.price } == [5, 9])
    #expect(toys.sum(ofProperty: "price") == 14 && toys.max(ofProperty: "price") == 9)
    #expect(toys.min(ofProperty: "price") == 5 && toys.average(ofProperty: "price") == 7.0)
    #expect(throws: QueryPredicateError.self) { try toys.filter(parsing: "prise > 5") }
    // With a closure a map is the sequence of its entries.
    #expect(toys.filter { $0.value == nil }.map(\.key) == ["b"])
  }

  @Test func `results follow the map`() throws {
    let toys = chest.toys
    let dear = toys.where { $0.price > 5 }
    let weights = chest.weights.sorted()
    #expect(dear.count == 1 && weights.first == 1)
    try realm.write {
      toys["d"] = Toy(value: ["name": "kite", "price": 8])
      chest.weights["d"] = 0.5
      #expect(dear.map { $0?.name } == ["bear", "kite"] && weights.first == 0.5)
      toys["c"]??.price = 1
      chest.weights["d"] = nil
    }
    #expect(dear.map { $0?.name } == ["kite"] && weights.first == 1)
  }

  @Test func `a map that no Realm manages`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Chest().toys.filter("price > 5")
    }
    expectStop(result, says: "may only be called on maps retrieved from a Realm")
  }

  @Test func `a slice of a list is read and replaced`() throws {
    let (managed, new) = (chest.numbers, List<Int>())
    new.append(objectsIn: [1, 2, 3, 4])
    try realm.write {
      for list in [managed, new] {
        #expect(Array(list[1..<3]) == [2, 3] && list[1..<3].first == 2)
        list[0..<2] = list[2..<4]
        #expect(Array(list) == [3, 4, 3, 4] && size(of: list) == 4)
        list[1..<4].sort()
        #expect(Array(list) == [3, 3, 4, 4])
      }
    }
  }

  @Test func `a schema names its class`() {
    let schema = realm.schema["Chest"]
    #expect(schema?.objectClass == Chest.self && Toy().objectSchema.objectClass == Toy.self)
  }
}
