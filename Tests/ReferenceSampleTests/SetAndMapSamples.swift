import Foundation
import RealmSwift
import Testing
import TestingSupport

/// Supported types: sets.
@Suite struct MutableSetSamples {
  class Dog: Object {
    @Persisted var name = ""
    @Persisted var currentCity = ""
    @Persisted var citiesVisited: MutableSet<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// A set of every type that the page names.
  class Sets: Object {
    @Persisted var bools: MutableSet<Bool>
    @Persisted var optBools: MutableSet<Bool?>
    @Persisted var datas: MutableSet<Data>
    @Persisted var optDatas: MutableSet<Data?>
    @Persisted var dates: MutableSet<Date>
    @Persisted var optDates: MutableSet<Date?>
    @Persisted var decimals: MutableSet<Decimal128>
    @Persisted var optDecimals: MutableSet<Decimal128?>
    @Persisted var doubles: MutableSet<Double>
    @Persisted var optDoubles: MutableSet<Double?>
    @Persisted var floats: MutableSet<Float>
    @Persisted var optFloats: MutableSet<Float?>
    @Persisted var ints: MutableSet<Int>
    @Persisted var optInts: MutableSet<Int?>
    @Persisted var int8s: MutableSet<Int8>
    @Persisted var optInt8s: MutableSet<Int8?>
    @Persisted var int16s: MutableSet<Int16>
    @Persisted var optInt16s: MutableSet<Int16?>
    @Persisted var int32s: MutableSet<Int32>
    @Persisted var optInt32s: MutableSet<Int32?>
    @Persisted var int64s: MutableSet<Int64>
    @Persisted var optInt64s: MutableSet<Int64?>
    @Persisted var objects: MutableSet<Dog>
    @Persisted var objectIds: MutableSet<ObjectId>
    @Persisted var optObjectIds: MutableSet<ObjectId?>
    @Persisted var strings: MutableSet<String>
    @Persisted var optStrings: MutableSet<String?>
    @Persisted var uuids: MutableSet<UUID>
    @Persisted var optUuids: MutableSet<UUID?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `distinct values`() throws {
    let realm = try openRealm(Dog.self)
    let dog = Dog(value: ["name": "Maui", "currentCity": "New York"])
    let cities = dog.citiesVisited
    dog.citiesVisited.insert("Boston")
    dog.citiesVisited.insert("Boston")
    // A set is a reference type.
    #expect(cities.count == 1)
    try realm.write { realm.add(dog) }
    try realm.write {
      dog.citiesVisited.insert(dog.currentCity)
      dog.citiesVisited.insert("New York")
    }
    let read = try #require(realm.objects(Dog.self).first)
    #expect(read.citiesVisited.count == 2 && read.citiesVisited.contains("New York"))
    #expect(cities.contains("New York"))
  }

  @Test func `sets of every type`() throws {
    let realm = try openRealm(Sets.self, Dog.self)
    let sets = Sets()
    try realm.write { realm.add(sets) }
    func fill<Element: RealmCollectionValue>(
      _ set: MutableSet<Element>, _ values: Element..., count: Int
    ) throws {
      try realm.write { set.insert(objectsIn: values + values) }
      #expect(set.count == count && values.allSatisfy(set.contains))
      try realm.write { set.remove(values[0]) }
      #expect(set.count == count - 1 && !set.contains(values[0]))
    }
    let (date, id, uuid) = (Date(timeIntervalSince1970: 1), ObjectId.generate(), UUID())
    try fill(sets.bools, true, false, count: 2)
    try fill(sets.optBools, true, nil, count: 2)
    try fill(sets.datas, Data([1]), Data(), count: 2)
    try fill(sets.optDatas, Data([1]), nil, count: 2)
    try fill(sets.dates, date, date + 1, count: 2)
    try fill(sets.optDates, date, nil, count: 2)
    try fill(sets.decimals, 1, 2, count: 2)
    try fill(sets.optDecimals, 1, nil, count: 2)
    try fill(sets.doubles, 1.5, 2, count: 2)
    try fill(sets.optDoubles, 1.5, nil, count: 2)
    try fill(sets.floats, 1.5, 2, count: 2)
    try fill(sets.optFloats, 1.5, nil, count: 2)
    try fill(sets.ints, 1, 2, count: 2)
    try fill(sets.optInts, 1, nil, count: 2)
    try fill(sets.int8s, 1, 2, count: 2)
    try fill(sets.optInt8s, 1, nil, count: 2)
    try fill(sets.int16s, 1, 2, count: 2)
    try fill(sets.optInt16s, 1, nil, count: 2)
    try fill(sets.int32s, 1, 2, count: 2)
    try fill(sets.optInt32s, 1, nil, count: 2)
    try fill(sets.int64s, 1, 2, count: 2)
    try fill(sets.optInt64s, 1, nil, count: 2)
    try fill(sets.objectIds, id, ObjectId(), count: 2)
    try fill(sets.optObjectIds, id, nil, count: 2)
    try fill(sets.strings, "a", "A", count: 2)
    try fill(sets.optStrings, "", nil, count: 2)
    try fill(sets.uuids, uuid, UUID(), count: 2)
    try fill(sets.optUuids, uuid, nil, count: 2)
    let dog = Dog()
    try realm.write { realm.add(dog) }
    try fill(sets.objects, dog, count: 1)
  }

  @Test func `filtered and sorted as results are`() throws {
    let realm = try openRealm(Sets.self, Dog.self)
    let sets = Sets()
    try realm.write {
      realm.add(sets)
      for name in ["Maui", "Lita", "Lassie"] { sets.objects.insert(Dog(value: ["name": name])) }
      realm.create(Dog.self, value: ["name": "Laika"])
      sets.ints.insert(objectsIn: [3, 1, 2])
    }
    #expect(sets.objects.filter("name BEGINSWITH 'L'").count == 2)
    #expect(sets.objects.where { $0.name != "Lita" }.count == 2)
    #expect(sets.objects.sorted(byKeyPath: "name").map(\.name) == ["Lassie", "Lita", "Maui"])
    #expect(Array(sets.ints.sorted(ascending: false)) == [3, 2, 1])
  }

  @Test func `changed in a write transaction only`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openRealm(Dog.self)
      let dog = Dog()
      try realm.write { realm.add(dog) }
      dog.citiesVisited.insert("Boston")
    }
    expectStop(result, says: "outside of a write transaction")
  }
}

/// Supported types: maps.
@Suite struct MapSamples {
  class Dog: Object {
    @Persisted var name = ""
    @Persisted var currentCity = ""

    // Map of city name -> favorite park in that city
    @Persisted var favoriteParksByCity: Map<String, String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `values under unique keys`() throws {
    let realm = try openRealm(Dog.self)
    let dog = Dog(value: ["name": "Maui", "currentCity": "New York"])
    let parks = dog.favoriteParksByCity
    dog.favoriteParksByCity["New York"] = "Washington Square Park"
    dog.favoriteParksByCity["New York"] = "Central Park"
    // A map is a reference type.
    #expect(parks.count == 1 && parks["New York"] == "Central Park")
    try realm.write { realm.add(dog) }
    try realm.write { dog.favoriteParksByCity["Boston"] = "Boston Common" }
    let read = try #require(realm.objects(Dog.self).first)
    #expect(read.favoriteParksByCity.keys == ["Boston", "New York"])
    #expect(read.favoriteParksByCity["Boston"] == "Boston Common" && parks.count == 2)
    #expect(read.favoriteParksByCity["Lisbon"] == nil)
  }

  @Test func `percent encoding for keys that are not allowed`() throws {
    // Percent encode . or $ characters to use them in map keys
    let mapKey = "New York.Brooklyn"
    let encodedMapKey = "New York%2EBrooklyn"

    let realm = try openRealm(Dog.self)
    let dog = Dog()
    try realm.write {
      realm.add(dog)
      dog.favoriteParksByCity[encodedMapKey] = "Prospect Park"
      dog.favoriteParksByCity["%24"] = "Any"
    }
    #expect(dog.favoriteParksByCity.keys.compactMap(\.removingPercentEncoding) == ["$", mapKey])
    #expect(dog.favoriteParksByCity[encodedMapKey] == "Prospect Park")
  }

  @Test func `a full stop or a dollar sign in a key`() async {
    let fullStop = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openRealm(Dog.self)
      let dog = Dog()
      try realm.write {
        realm.add(dog)
        dog.favoriteParksByCity["New York.Brooklyn"] = "Prospect Park"
      }
    }
    expectStop(fullStop, says: "must not contain '.'")
    let dollar = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openRealm(Dog.self)
      let dog = Dog()
      try realm.write {
        realm.add(dog)
        dog.favoriteParksByCity["$York"] = "Prospect Park"
      }
    }
    expectStop(dollar, says: "must not start with '$'")
  }
}
