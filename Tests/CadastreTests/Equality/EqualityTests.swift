import Cadastre
import Foundation
import Testing
import TestingSupport

/// All uses of equality agree on which values are equal: the table of the article Equality, as literals.
@Suite struct EqualityTests {
  @Test func `whole numbers`() throws {
    let table = EqualityTable<Int>(
      lists: [[.min], [-1], [0], [1], [1 << 53], [1 << 53 + 1], [.max]])
    try table.check()
    try table.checkIndex(searching: 1)
    let flags = EqualityTable<Bool>(lists: [[false], [true]])
    try flags.check()
    try flags.checkIndex(searching: true)
  }

  @Test func `doubles: both zeros are one value, and all NaN`() throws {
    let table = EqualityTable<Double>(
      lists: [
        [.nan, -.nan, Double(bitPattern: 0x7FF8_0000_0000_0123)], [-.infinity], [-1.5],
        [0.0, -0.0],
        [.leastNonzeroMagnitude], [0.1], [Double(Float(0.1))], [1.5], [.infinity],
      ],
      isConstantEqual: { !$0.isNaN && !$1.isNaN })
    try table.check()
    try table.checkIndex(searching: 1.5)
  }

  @Test func `doubles: -0.0 is the group of zero where it is first`() throws {
    let table = EqualityTable<Double>(lists: [[-0.0, 0.0, 0.0], [0.5]])
    try table.check()
    try table.checkIndex(searching: 0.5)
  }

  @Test func `floats: both zeros are one value, and all NaN`() throws {
    let table = EqualityTable<Float>(
      lists: [
        [.nan, Float(bitPattern: 0xFFC0_0001)], [-.infinity], [-0.0, 0.0], [0.1], [1.5],
        [16_777_216],
      ],
      isConstantEqual: { !$0.isNaN && !$1.isNaN })
    try table.check()
    try table.checkIndex(searching: 1.5)
  }

  @Test func `decimals are equal by value, whatever their exponent`() throws {
    try EqualityTable<Decimal128>(lists: [
      ["NaN", "NaN"], ["-Infinity"], ["-1.50", "-1.5"], ["-0", "0", "0.00", "0E+3"], ["1E-6176"],
      ["0.1", "0.10"], ["1.5", "1.50", "15E-1"], ["1E+3", "1000", "1000.0"],
      ["9999999999999999999999999999999999"], ["Infinity"],
    ]).check()
  }

  @Test func `texts are equal by bytes`() throws {
    let table = EqualityTable<String>(
      lists: [[""], ["A"], ["a"], ["a\0"], ["e\u{301}"], ["\u{e9}"]],
      text: { "\(Array($0.utf8))" })
    try table.check()
    try table.checkIndex(searching: "\u{e9}")
  }

  @Test func `data and identifiers are equal by bytes`() throws {
    try EqualityTable<Data>(
      lists: [[Data()], [Data([0])], [Data([0, 1])]], text: { "\(Array($0))" }, isOrdered: false
    ).check()
    let ids = EqualityTable<ObjectId>(
      lists: ["0000000000000000000000aa", "0123456789abcdef01234567"].map { [ObjectId($0)] })
    try ids.check()
    try ids.checkIndex(searching: ObjectId("0123456789abcdef01234567"))
    let uuids = try ["00000000", "FF234567"].map {
      try #require(UUID(uuidString: "\($0)-89AB-4DEF-8123-456789ABCDEF"))
    }
    let table = EqualityTable<UUID>(lists: uuids.map { [$0] })
    try table.check()
    try table.checkIndex(searching: uuids[1])
  }

  @Test func `dates are equal by timestamp`() throws {
    let table = EqualityTable<Date>(
      lists: [-1, 0, 0.5, 1_000_000_000].map { [Date(timeIntervalSince1970: $0)] },
      text: { "\($0.timeIntervalSince1970)" })
    try table.check()
    try table.checkIndex(searching: Date(timeIntervalSince1970: 0.5))
  }

  @Test func `geometries are equal by their positions`() throws {
    let origin = try #require(GeoPoint(latitude: -0.0, longitude: -0.0))
    let texts = ["POINT (1 2)", "POINT Z (1 2 0)", "POINT EMPTY", "LINESTRING (0 0, 1 1)"]
    try EqualityTable<Geometry>(
      lists: [[Geometry(wkt: "POINT (0 0)"), Geometry(origin)]]
        + texts.map { [try Geometry(wkt: $0)] },
      text: { $0.wkt }, isOrdered: false
    ).check()
  }

  @Test func `values of any type: numbers are equal by value, other types differ`() throws {
    let table = EqualityTable<AnyRealmValue>(
      lists: [
        [.none], [.bool(false)], [.bool(true)],
        [.double(.nan), .float(.nan), .decimal128("NaN"), .decimal128("NaN")],
        [.int(0), .double(-0.0), .float(0), .decimal128("-0"), .decimal128("0.00")],
        [.decimal128("0.1"), .decimal128("0.10")], [.double(0.1)], [.float(0.1)],
        [.int(1), .double(1), .float(1), .decimal128("1"), .decimal128("1.0")],
        [.decimal128("1.5"), .double(1.5), .decimal128("1.50"), .float(1.5)],
        [.int(1 << 53), .double(0x1p53)], [.int(1 << 53 + 1)],
        [.string("1")], [.string("e\u{301}")], [.string("\u{e9}")], [.data(Data("1".utf8))],
        [.date(Date(timeIntervalSince1970: 1))],
        [.objectId(ObjectId("0123456789abcdef01234567"))],
        [.uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))],
      ],
      isConstantEqual: { first, second in
        let numbers = [first, second].map { $0.doubleValue ?? $0.floatValue.map(Double.init) }
        return !numbers.contains { $0?.isNaN == true }
      },
      text: { value in
        value.stringValue.map { "\(Array($0.utf8))" } ?? "\(value)"
      })
    try table.check()
    try table.checkIndex(searching: .string("\u{e9}"))
  }

  // MARK: Single uses

  @Test func `lists and maps of any type are equal by their elements`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Single<AnyRealmValue>.self]))
    let values: [AnyRealmValue] = [
      .fromArray([.int(1), .decimal128("1.5")]), .fromArray([.double(1), .decimal128("1.50")]),
      .fromArray([.decimal128("1.5"), .int(1)]), .fromArray([.int(1)]),
      .fromDictionary(["a": .int(0)]), .fromDictionary(["a": .double(-0.0)]),
      .fromDictionary(["b": .int(0)]),
    ]
    try realm.write {
      for (place, value) in values.enumerated() {
        let object = Single<AnyRealmValue>()
        (object.place, object.value) = (place, value)
        realm.add(object)
      }
    }
    let objects = realm.objects(Single<AnyRealmValue>.self)
    for (place, expected) in [[0, 1], [0, 1], [2], [3], [4, 5], [4, 5], [6]].enumerated() {
      let found = Array(objects.filter("value == %@", values[place]).map(\.place))
      #expect(found == expected, "\(place)")
    }
    #expect(Array(objects.distinct(by: ["value"]).map(\.place)) == [0, 2, 3, 4, 6])
  }

  @Test func `primary keys and keys of maps are equal by bytes`() throws {
    let names = ["\u{e9}", "e\u{301}"]
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Keyed<String>.self, Compared<Int>.self]))
    let unmanaged = Compared<Int>()
    for (number, name) in names.enumerated() { unmanaged.map[name] = number }
    #expect(unmanaged.map.count == 2 && names.map { unmanaged.map[$0] } == [0, 1])
    try realm.write {
      for name in names {
        let keyed = Keyed<String>()
        keyed.value = name
        realm.add(keyed)
      }
      realm.add(unmanaged)
    }
    #expect(realm.objects(Keyed<String>.self).count == 2)
    for name in names {
      let found = realm.object(ofType: Keyed<String>.self, forPrimaryKey: name)
      #expect(found.map { Array($0.value.utf8) } == Array(name.utf8))
    }
    #expect(unmanaged.map.keys.map { Array($0.utf8) } == names.reversed().map { Array($0.utf8) })
    #expect(unmanaged.map.values == [1, 0])
  }

  @Test func `conditions of Foundation agree`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Every.self, Other.self, Spot.self, Knot.self]))
    try realm.write {
      for (id, fee) in (["1.5", "1.50", "-0", "0.00", "NaN"] as [Decimal128]).enumerated() {
        let every = Every()
        (every.id, every.decimal) = (id, fee)
        realm.add(every)
      }
    }
    let objects = realm.objects(Every.self)
    for (fee, expected) in [("1.500", [0, 1]), ("0", [2, 3]), ("NaN", [4])]
      as [(Decimal128, [Int])]
    {
      #expect(try objects.filter(#Predicate { $0.decimal == fee }).map(\.id) == expected)
    }
  }
}
