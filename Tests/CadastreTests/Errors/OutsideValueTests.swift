import Cadastre
import Foundation
import Testing
import TestingSupport

/// Names, numbers and texts from outside the program: one form throws, the other stops the process with the
/// same message.
@Suite struct OutsideValueTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let message: String
    let stops: @Sendable () throws -> Void
    let throwing: @Sendable () throws -> Void
    var testDescription: String { message }

    init(
      _ message: String, _ stops: @escaping @Sendable () throws -> Void,
      throwing: @escaping @Sendable () throws -> Void
    ) {
      self.message = message
      self.stops = stops
      self.throwing = throwing
    }
  }

  private static func airports() throws -> Results<Airport> {
    let realm = try makeRealm()
    try realm.write { realm.add(fiveAirports()) }
    return realm.objects(Airport.self)
  }

  private static func every() throws -> Every {
    let realm = try everyRealm()
    return try realm.write { realm.create(Every.self, value: ["ints": [1], "links": [["a"]]]) }
  }

  private static func keepers() throws -> Corner {
    let corner = try Corner(Shelter.configuration())
    try corner.write { $0.create(Keeper.self, value: ["id": 1]) }
    return corner
  }

  private static func point() throws -> GeoPoint {
    try #require(GeoPoint(latitude: 48, longitude: 16))
  }

  private static let cases = [
    Case("A limit takes no negative numbers, found -1 and offset 0") {
      _ = try airports().limit(-1)
    } throwing: {
      _ = try airports().limit(checking: -1)
    },
    Case("A limit takes no negative numbers, found 3 and offset -2") {
      _ = try airports().limit(3, offset: -2)
    } throwing: {
      _ = try airports().limit(checking: 3, offset: -2)
    },
    Case("A limit takes no negative numbers, found -7 and offset 0") {
      _ = try airports().nearest(-7, to: point())
    } throwing: {
      _ = try airports().nearest(checking: -7, to: point(), of: \.location)
    },
    Case("A limit takes no negative number, found -1") {
      let all = try airports()
      _ = all.joined(to: all) { $0.location.geoIntersects($1.location) }.limit(-1)
    } throwing: {
      let all = try airports()
      _ = try all.joined(to: all) { $0.location.geoIntersects($1.location) }
        .limit(checking: -1)
    },
    Case("A join takes no negative number of objects, found -1") {
      let all = try airports()
      _ = all.joined(toNearest: -1, of: all) { $0.location.geoDistance(to: $1.location) }
    } throwing: {
      let all = try airports()
      _ = try all.joined(checkingNearest: -1, of: all) {
        $0.location.geoDistance(to: $1.location)
      }
    },
    Case("'nothing'") {
      _ = try airports().sorted(byKeyPath: "nothing")
    } throwing: {
      _ = try airports().sorted(checking: "nothing")
    },
    Case("'nothing'") {
      _ = try airports().sorted(by: ["name", "alternate.nothing"])
    } throwing: {
      _ = try airports().sorted(checking: ["name", "alternate.nothing"])
    },
    Case("'nothing'") {
      _ = try airports().distinct(by: ["nothing"])
    } throwing: {
      _ = try airports().distinct(checking: ["nothing"])
    },
    Case("Values can be sorted and made distinct by 'self' only, found 'name'") {
      _ = try every().ints.sorted(byKeyPath: "name")
    } throwing: {
      _ = try every().ints.sorted(checking: "name")
    },
    Case("sections by 'name' need a sort by 'name' first") {
      _ = try airports().sectioned(by: \.name, sortDescriptors: ["icao"])
    } throwing: {
      _ = try airports().sectioned(by: \.name, checking: ["icao"])
    },
    Case("There must be at least one SortDescriptor when using SectionedResults") {
      _ = try airports().sectioned(by: { $0.name }, sortDescriptors: [])
    } throwing: {
      _ = try airports().sectioned(by: { $0.name }, checking: [])
    },
    Case("Operation 'min' on values has the property 'self' only") {
      let _: Int? = try every().ints.min(ofProperty: "id")
    } throwing: {
      let _: Int? = try every().ints.min(checking: "id")
    },
    Case("Invalid property name 'nothing' for class 'Other'") {
      let _: Int? = try every().links.max(ofProperty: "nothing")
    } throwing: {
      let _: Int? = try every().links.max(checking: "nothing")
    },
    Case("Operation 'sum' not supported for string property 'Other.name'") {
      let _: Int = try every().links.sum(ofProperty: "name")
    } throwing: {
      let _: Int = try every().links.sum(checking: "name")
    },
    Case("Operation 'average' not supported for string property 'Other.name'") {
      let _: Double? = try every().linkMap.average(ofProperty: "name")
    } throwing: {
      let _: Double? = try every().linkMap.average(checking: "name")
    },
    Case("'@median' is no aggregate of a collection") {
      _ = try every().ints.value(forKeyPath: "@median.self")
    } throwing: {
      _ = try every().ints.value(checking: "@median.self")
    },
    Case("Invalid property name 'nothing' for class 'Other': it has 'name', 'rank'") {
      _ = try every().value(forKeyPath: "links.nothing")
    } throwing: {
      _ = try every().value(checking: "links.nothing")
    },
    Case("Invalid property name 'nothing' for class 'Every': it has 'id'") {
      _ = try every()["nothing"]
    } throwing: {
      _ = try every().value(checking: "nothing")
    },
    Case("'Every' has no list of objects called 'ints'") {
      _ = try every().dynamicList("ints")
    } throwing: {
      _ = try every().dynamicList(checking: "ints")
    },
    Case("'Every' has no set of objects called 'links'") {
      _ = try every().dynamicMutableSet("links")
    } throwing: {
      _ = try every().dynamicMutableSet(checking: "links")
    },
    Case("'Every' has no map of objects called 'nothing'") {
      let _: Map<String, DynamicObject?> = try every().dynamicMap("nothing")
    } throwing: {
      let _: Map<String, DynamicObject?> = try every().dynamicMap(checking: "nothing")
    },
    Case("Cannot pass a negative value for 'index': -1") {
      _ = try #require(every().realm).objects(Every.self).where { $0.ints[-1] == 1 }
    } throwing: {
      _ = try #require(every().realm).objects(Every.self).where(checking: { $0.any[-1] == .int(1) })
    },
    Case("nmae == 'x'") {
      _ = try airports().index(matching: "nmae == 'x'")
    } throwing: {
      _ = try airports().index(parsing: "nmae == 'x'")
    },
    Case("Object type 'Nothing' is not managed by the Realm") {
      _ = try makeRealm().dynamicObjects("Nothing")
    } throwing: {
      _ = try makeRealm().dynamicObjects(checking: "Nothing")
    },
    Case("Property 'colour' in KeyPath 'dogs.colour' is not a valid property in Greyhound") {
      let corner = try keepers()
      corner.enter { _ = $0.objects(Keeper.self).observe(keyPaths: ["dogs.colour"]) { _ in } }
    } throwing: {
      let corner = try keepers()
      try corner.enter { try $0.objects(Keeper.self).check(keyPaths: ["age", "dogs.colour"]) }
    },
    Case("Property 'age' in KeyPath 'age.colour' is not a collection of objects or an object") {
      let corner = try keepers()
      corner.enter { _ = $0.objects(Keeper.self).observe(keyPaths: ["age.colour"]) { _ in } }
    } throwing: {
      let corner = try keepers()
      try corner.enter { try $0.objects(Keeper.self)[0].check(keyPaths: ["age.colour"]) }
    },
  ]

  @Test(arguments: cases) func `one form throws`(outside: Case) {
    let error = #expect(throws: QueryPredicateError.self) { try outside.throwing() }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(outside.message), "\(text)")
  }

  @Test(arguments: cases.indices) func `the other form stops the process`(index: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [index = index as Int] in
      try Self.cases[index].stops()
    }
    expectStop(result, says: Self.cases[index].message)
  }

  @Test func `what fits gives the same as the other form`() throws {
    let airports = try Self.airports()
    #expect(try airports.sorted(checking: "name") == airports.sorted(byKeyPath: "name"))
    #expect(
      try airports.sorted(checking: "elevation", ascending: false).map(\.icao)
        == airports.sorted(by: \.elevation, ascending: false).map(\.icao))
    #expect(try airports.distinct(checking: ["country"]) == airports.distinct(by: ["country"]))
    #expect(try airports.limit(checking: 2, offset: 1).map(\.icao) == airports[1...2].map(\.icao))
    #expect(try airports.limit(checking: .max, offset: .max).isEmpty)
    #expect(try airports.limit(checking: 1, offset: .max).limit(checking: 1, offset: .max).isEmpty)
    let point = try Self.point()
    #expect(
      try airports.nearest(checking: 2, to: point).map(\.icao)
        == airports.nearest(2, to: point).map(\.icao))
    #expect(try airports.max(checking: "runways") as Int? == airports.max(of: \.runways))
    #expect(try airports.sum(checking: "runways") as Int == airports.sum(of: \.runways))
    #expect(try airports.index(parsing: "icao == %@", arguments: ["EHAM"]) == 2)
    #expect(try airports.index(checking: { $0.icao == "EHAM" }) == 2)
    #expect(try airports.value(checking: "@max.runways") as? Int == airports.max(of: \.runways))
    #expect(try airports[0].value(checking: "location.type") as? String == "Point")
    try airports.check(keyPaths: ["name", "location", "alternate.name"])
    try airports[0].check(keyPaths: ["name", "alternate.name"])
    let sections = try airports.sectioned(by: \.country, checking: ["country", "name"])
    #expect(sections.allKeys == airports.sectioned(by: \.country).allKeys)
  }

  @Test func `a sum that does not fit is an error, not zero`() throws {
    let every = try Self.every()
    try every.realm?.write { every.ints.append(objectsIn: [100, 100]) }
    #expect(throws: QueryPredicateError.self) {
      let _: Int8 = try every.ints.sum(checking: "self")
    }
    #expect(throws: QueryPredicateError.self) {
      let _: Int8 = try Every(value: ["ints": [100, 100]]).ints.sum(checking: "self")
    }
    #expect(try every.ints.sum(checking: "self") as Int == 201)
  }

  @Test func `primary keys and names of classes are checked`() throws {
    let realm = try everyRealm()
    try realm.write { realm.create(Every.self, value: ["id": 7]) }
    #expect(try realm.object(checking: Every.self, forPrimaryKey: 7)?.id == 7)
    #expect(try realm.object(checking: Every.self, forPrimaryKey: 8) == nil)
    for key in ["7", 7.5, [7], NSNull()] as [Any] {
      let error = #expect(throws: InvalidValueError.self) {
        try realm.object(checking: Every.self, forPrimaryKey: key)
      }
      #expect(error?.description.contains("'Every.id'") == true)
    }
    #expect(try realm.dynamicObjects(checking: "Every").count == 1)
    #expect(try realm.dynamicObject(checking: "Every", forPrimaryKey: 7)?["id"] as? Int == 7)
    #expect(throws: InvalidValueError.self) {
      try realm.dynamicObject(checking: "Every", forPrimaryKey: "7")
    }
    try realm.write {
      let made = try realm.dynamicCreate(checking: "Every", value: ["id": 9, "ints": [1]])
      #expect(made["id"] as? Int == 9)
      #expect(throws: InvalidValueError.self) {
        try realm.dynamicCreate(checking: "Every", value: ["id": "x"])
      }
      #expect(throws: QueryPredicateError.self) {
        try realm.dynamicCreate(checking: "Spot", value: ["name": "x"])
      }
      #expect(throws: QueryPredicateError.self) { try realm.dynamicCreate(checking: "Nothing") }
      #expect(throws: InvalidValueError.self) {
        try realm.add(checking: [Every(value: ["id": 10]), Every(value: ["id": 7])])
      }
    }
  }

  @Test func `keys of maps are checked`() throws {
    let every = Every()
    for key in ["a.b", "$a"] {
      #expect(throws: InvalidValueError.self) { try every.intMap.updateValue(1, checking: key) }
      #expect(throws: InvalidValueError.self) {
        try AnyRealmValue.fromDictionary(checking: [key: .int(1)])
      }
    }
    try every.intMap.updateValue(1, checking: "a")
    #expect(every.intMap["a"] == 1 && every.intMap.count == 1)
    #expect(
      try AnyRealmValue.fromDictionary(checking: ["a": .int(1)]).dictionaryValue?["a"] == .int(1))
  }

  @Test func `values are set in all objects with a check`() throws {
    let airports = try Self.airports()
    let realm = try #require(airports.realm)
    try realm.write {
      try airports.setValue(checking: 3, forKey: "runways")
      #expect(throws: InvalidValueError.self) {
        try airports.setValue(checking: "many", forKey: "runways")
      }
      #expect(throws: InvalidValueError.self) {
        try airports.setValue(checking: 1, forKey: "lanes")
      }
    }
    #expect(airports.allSatisfy { $0.runways == 3 })
  }
}
