import Cadastre
import Foundation
import Testing

/// Every type of property in every kind of property, with every strategy of the coders, compared with
/// plain structures and the same encoder.
@Suite struct EncodedTypeTests {
  /// A type with some of its values, and what an encoder must write for each.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (Coders) throws -> Void
    let checkRoundTrip: @Sendable () throws -> Void
    let checkPropertyList: @Sendable () throws -> Void

    init<
      Value: RealmCollectionValue & OptionalPersistable & Codable & SendableMetatype,
      Plain: Encodable & SendableMetatype
    >(
      _ values: @escaping @Sendable () -> [(Value, Plain)]
    ) {
      testDescription = "\(Value.self)"
      check = { try TypeCheck(values()).check($0) }
      checkRoundTrip = { try TypeCheck(values()).checkRoundTrip() }
      checkPropertyList = { try TypeCheck(values()).checkPropertyList() }
    }
  }

  private static func same<Value: Encodable>(_ values: [Value]) -> [(Value, Value)] {
    values.map { ($0, $0) }
  }

  static let rows: [Row] = [
    Row { same([true, false]) },
    Row { same([0, Int.min, Int.max]) },
    Row { same([Int8.min, 3, Int8.max]) },
    Row { same([Int16.min, 3, Int16.max]) },
    Row { same([Int32.min, 3, Int32.max]) },
    Row { same([Int64.min, 3, Int64.max]) },
    Row { same([Float(0.1), -2.5, 1e30]) },
    Row { same([0.1, -2.5, 1e300]) },
    Row { same(["", "a\"/\u{1F600}\n", "é"]) },
    Row { same([Data([0, 255]), Data(), Data([1, 2, 3])]) },
    Row { same([0.0, 1_700_000_000, -86_400].map { Date(timeIntervalSince1970: $0) }) },
    Row { same([UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7)), UUID()]) },
    Row {
      ["0123456789abcdef01234567", "ffffffffffffffffffffffff"].map { text in
        ((try? ObjectId(string: text)) ?? ObjectId(), text)
      }
    },
    Row { [("1.5" as Decimal128, "1.5"), ("-3", "-3"), ("0.1", "0.1")] },
    Row { EncodedGrade.allCases.map { ($0, $0 == .low ? "low" : "high") } },
    Row { [(Celsius(20.5), 20.5), (Celsius(-3), -3)] },
  ]

  @Test(arguments: rows)
  func `values are encoded and decoded as those of a plain structure`(row: Row) throws {
    for coders in Coders.all { try row.check(coders) }
  }

  @Test(arguments: rows)
  func `JSON of an object is read into it again`(row: Row) throws { try row.checkRoundTrip() }

  @Test(arguments: rows)
  func `property lists are those of a plain structure`(row: Row) throws {
    try row.checkPropertyList()
  }

  @Test(
    arguments: [
      ("2026-11-22T19:18:06Z", 1_795_375_086), ("2026-11-22T19:18:06.250Z", 1_795_375_086.25),
      ("2026-11-22T20:18:06+01:00", 1_795_375_086), ("1969-12-31T23:59:59Z", -1),
    ] as [(String, Double)])
  func `a date is read from ISO 8601`(text: String, seconds: Double) throws {
    let realm = try TypeCheck(Self.dates).realm()
    let box = try realm.write {
      try realm.create(
        checking: Box<Date>.self, value: ["firstValue": text, "valueMap": ["a": text]])
    }
    #expect(box.firstValue == Date(timeIntervalSince1970: seconds))
    #expect(box.valueMap["a"] == box.firstValue)
  }

  @Test(arguments: [
    "", "yesterday", "2026-11-22", "2026-13-01T00:00:00Z", "2026-11-22T19:18:06Zx", "1795375086",
    "2026-11-22T25:00:00Z", "2026-02-30T00:00:00Z", "2026-11-22T19:61:06Z",
    "99999999999-01-01T00:00:00Z", "2026-11-22T19:18:06",
  ])
  func `another text is no date`(text: String) throws {
    let realm = try TypeCheck(Self.dates).realm()
    for value in [["firstValue": text], ["valueList": [text]], ["optionalMap": ["a": text]]]
      as [[String: Any]]
    {
      #expect(throws: InvalidValueError.self) {
        try realm.write { try realm.create(checking: Box<Date>.self, value: value) }
      }
    }
    #expect(realm.objects(Box<Date>.self).isEmpty)
  }

  private static let dates = same([0.0, 1].map { Date(timeIntervalSince1970: $0) })

  @Test func `numbers that JSON does not have follow the strategy`() throws {
    let check = TypeCheck([(1.5, 1.5), (Double.infinity, .infinity), (-.infinity, -.infinity)])
    #expect(throws: EncodingError.self) { try check.check(Coders.all[0]) }
    let last = try #require(Coders.all.last)
    try check.check(last)
    try TypeCheck([(Float(1), Float(1)), (.infinity, .infinity)]).check(last)
  }
}

/// The check of one type.
private struct TypeCheck<
  Value: RealmCollectionValue & OptionalPersistable & Codable, Plain: Encodable
> {
  let values: [(stored: Value, plain: Plain)]

  init(_ values: [(Value, Plain)]) { self.values = values.map { ($0, $1) } }

  private func box() -> Box<Value> {
    let box = Box<Value>()
    box.id = 7
    box.firstValue = values[0].stored
    box.optionalValue = values[1].stored
    for (index, value) in values.enumerated() {
      box.valueList.append(value.stored)
      box.optionalList.append(objectsIn: [value.stored, nil])
      box.valueSet.insert(value.stored)
      box.valueMap["keyNumber\(index)"] = value.stored
      box.optionalMap["keyNumber\(index)"] = value.stored
    }
    box.optionalMap.updateValue(nil, forKey: "nothing")
    return box
  }

  /// The oracle; only the order of the set is that of the object.
  private func plain(for box: Box<Value>) throws -> PlainBox<Plain> {
    func key(_ index: Int) -> String { "keyNumber\(index)" }
    let entries = values.enumerated().map { (key($0), $1.plain) }
    var optionalMap: [String: Plain?] = Dictionary(entries.map { ($0, $1) }) { $1 }
    optionalMap.updateValue(nil, forKey: "nothing")
    return PlainBox(
      id: 7, first: values[0].plain, optional: values[1].plain, list: values.map(\.plain),
      optionalList: values.flatMap { value -> [Plain?] in [value.plain, nil] },
      set: try box.valueSet.map { element in
        try #require(values.first { $0.stored == element }).plain
      },
      map: Dictionary(entries) { $1 }, optionalMap: optionalMap)
  }

  func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Box<Value>.self]))
  }

  private func text(_ value: some Encodable, _ encoder: JSONEncoder) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  func check(_ coders: Coders) throws {
    let unmanaged = box()
    let encoder = coders.encoder()
    let expected = try text(plain(for: unmanaged), encoder)
    #expect(try text(unmanaged.encoded(), encoder) == expected)
    #expect(try text([unmanaged].encoded(depth: 0), encoder) == "[\(expected)]")
    let realm = try realm()
    let managed = box()
    try realm.write { realm.add(managed) }
    let stored = try text(plain(for: managed), encoder)
    #expect(try text(managed.encoded(), encoder) == stored)
    let results = realm.objects(Box<Value>.self)
    #expect(try text(results.encoded(), encoder) == "[\(stored)]")
    #expect(try text(results.freeze().encoded(), encoder) == "[\(stored)]")
    #expect(try text(managed, encoder) == stored)

    let decoded = try coders.decoder().decode(Box<Value>.self, from: Data(stored.utf8))
    try realm.write {
      realm.delete(managed)
      try realm.add(checking: decoded, update: .modified)
    }
    #expect(try text(results.encoded(), encoder) == "[\(stored)]")
  }

  func checkRoundTrip() throws {
    let source = try realm()
    try source.write { source.add(box()) }
    let objects = source.objects(Box<Value>.self)
    let json = try Coders.iso8601.encoder().encode(objects.encoded())
    let values = try #require(try JSONSerialization.jsonObject(with: json) as? [Any])
    let target = try realm()
    // The second time is an update.
    for _ in 0..<2 {
      try target.write {
        for value in values {
          try target.create(checking: Box<Value>.self, value: value, update: .modified)
        }
      }
      #expect(try target.objects(Box<Value>.self).encoded() == objects.encoded())
    }
    let name = "optionalList"
    let element = try #require(values.first as? [String: Any])
    try target.write {
      let box = try #require(target.objects(Box<Value>.self).first)
      for (key, value) in element where key != "id" && !(value is NSNull) {
        try box.setValue(checking: value, forKey: key)
      }
      #expect(box.optionalList.count == (element[name] as? [Any])?.count)
    }
    #expect(try target.objects(Box<Value>.self).encoded() == objects.encoded())
  }

  func checkPropertyList() throws {
    let encoder = PropertyListEncoder()
    let box = box()
    let expected = try plain(for: box)
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      encoder.outputFormat = format
      let found = try propertyList(encoder.encode(box.encoded()))
      #expect(try found == propertyList(encoder.encode(expected)))
    }
  }

  private func propertyList(_ data: Data) throws -> NSDictionary {
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    return try #require(list as? NSDictionary)
  }
}
