import Foundation
import RealmSwift
import Testing
import TestingSupport

// A type that is not the same on all platforms, which the page discourages: it is mapped to one that is.
extension CGFloat: CustomPersistable {
  public init(persistedValue: Double) { self.init(persistedValue) }
  public var persistableValue: Double { Double(self) }
}

/// Supported types: the cheat sheet of properties.
@Suite struct PropertySamples {
  class MyCustomObjectType: Object {
    @Persisted var name = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class MyEmbeddedObjectType: EmbeddedObject {
    @Persisted var name = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  enum MyPersistableEnum: Int, PersistableEnum {
    case first = 3
    case second = 4
  }

  class CheatSheet: Object {
    @Persisted var boolName: Bool
    @Persisted var optBoolName: Bool?
    @Persisted var intName: Int
    @Persisted var optIntName: Int?
    @Persisted var int8Name: Int8
    @Persisted var optInt8Name: Int8?
    @Persisted var int16Name: Int16
    @Persisted var optInt16Name: Int16?
    @Persisted var int32Name: Int32
    @Persisted var optInt32Name: Int32?
    @Persisted var int64Name: Int64
    @Persisted var optInt64Name: Int64?
    @Persisted var floatName: Float
    @Persisted var optFloatName: Float?
    @Persisted var doubleName: Double
    @Persisted var optDoubleName: Double?
    @Persisted var stringName: String
    @Persisted var optStringName: String?
    @Persisted var dataName: Data
    @Persisted var optDataName: Data?
    @Persisted var dateName: Date
    @Persisted var optDateName: Date?
    @Persisted var decimalName: Decimal128
    @Persisted var optDecimalName: Decimal128?
    @Persisted var uuidName: UUID
    @Persisted var optUuidName: UUID?
    @Persisted var objectIdName: ObjectId
    @Persisted var optObjectIdName: ObjectId?
    @Persisted var listName: List<MyCustomObjectType>
    @Persisted var mutableSetName: MutableSet<String>
    @Persisted var mapName: Map<String, String>
    @Persisted var anyRealmValueName: AnyRealmValue
    @Persisted var optObjectPropertyName: MyCustomObjectType?
    @Persisted var optEmbeddedObjectPropertyName: MyEmbeddedObjectType?
    @Persisted var enumName: MyPersistableEnum
    @Persisted var optEnumName: MyPersistableEnum?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private func expectDefaults(of sheet: CheatSheet, since start: Date) {
    #expect(!sheet.boolName && sheet.optBoolName == nil)
    #expect(sheet.intName == 0 && sheet.optIntName == nil)
    #expect(sheet.int8Name == 0 && sheet.optInt8Name == nil)
    #expect(sheet.int16Name == 0 && sheet.optInt16Name == nil)
    #expect(sheet.int32Name == 0 && sheet.optInt32Name == nil)
    #expect(sheet.int64Name == 0 && sheet.optInt64Name == nil)
    #expect(sheet.floatName == 0 && sheet.optFloatName == nil)
    #expect(sheet.doubleName == 0 && sheet.optDoubleName == nil)
    #expect(sheet.stringName == "" && sheet.optStringName == nil)
    #expect(sheet.dataName == Data() && sheet.optDataName == nil)
    let date = sheet.dateName
    #expect(start <= date && date <= Date() && sheet.optDateName == nil)
    #expect(sheet.decimalName == 0 && sheet.optDecimalName == nil)
    #expect(sheet.uuidName != CheatSheet().uuidName && sheet.optUuidName == nil)
    #expect(sheet.objectIdName != CheatSheet().objectIdName && sheet.optObjectIdName == nil)
    #expect(sheet.listName.isEmpty && sheet.mutableSetName.isEmpty && sheet.mapName.count == 0)
    #expect(sheet.anyRealmValueName == .none)
    #expect(sheet.optObjectPropertyName == nil && sheet.optEmbeddedObjectPropertyName == nil)
    #expect(sheet.enumName == .first && sheet.optEnumName == nil)
  }

  @Test func `properties of every type`() throws {
    let realm = try openRealm(
      CheatSheet.self, MyCustomObjectType.self, MyEmbeddedObjectType.self)
    let start = Date()
    expectDefaults(of: CheatSheet(), since: start)
    let untouched = CheatSheet()
    try realm.write { realm.add(untouched) }
    expectDefaults(of: untouched, since: start)

    let (id, uuid, date) = (ObjectId.generate(), UUID(), Date())
    let linked = MyCustomObjectType(value: ["name": "linked"])
    let sheet = CheatSheet(value: [
      "boolName": true, "optBoolName": false, "intName": 1, "optIntName": 2,
      "int8Name": Int8.min, "optInt8Name": Int8.max, "int16Name": Int16.min,
      "optInt16Name": Int16.max, "int32Name": Int32.min, "optInt32Name": Int32.max,
      "int64Name": Int64.min, "optInt64Name": Int64.max, "floatName": Float(1.5),
      "optFloatName": Float(2.5), "doubleName": 3.25, "optDoubleName": 4.125,
      "stringName": "s", "optStringName": "t", "dataName": Data([1]),
      "optDataName": Data([2]), "dateName": date, "optDateName": date,
      "decimalName": Decimal128(5), "optDecimalName": Decimal128(6), "uuidName": uuid,
      "optUuidName": uuid, "objectIdName": id, "optObjectIdName": id, "listName": [linked],
      "mutableSetName": ["a", "b", "a"], "mapName": ["k": "v"], "anyRealmValueName": 7,
      "optObjectPropertyName": linked, "optEmbeddedObjectPropertyName": ["name": "inside"],
      "enumName": MyPersistableEnum.second, "optEnumName": 4,
    ])
    try realm.write { realm.add(sheet) }

    let read = try #require(realm.objects(CheatSheet.self).last)
    #expect(read.boolName && read.optBoolName == false)
    #expect(read.intName == 1 && read.optIntName == 2)
    #expect(read.int8Name == .min && read.optInt8Name == .max)
    #expect(read.int16Name == .min && read.optInt16Name == .max)
    #expect(read.int32Name == .min && read.optInt32Name == .max)
    #expect(read.int64Name == .min && read.optInt64Name == .max)
    #expect(read.floatName == 1.5 && read.optFloatName == 2.5)
    #expect(read.doubleName == 3.25 && read.optDoubleName == 4.125)
    #expect(read.stringName == "s" && read.optStringName == "t")
    #expect(read.dataName == Data([1]) && read.optDataName == Data([2]))
    #expect(abs(read.dateName.timeIntervalSince(date)) < 1e-6)
    #expect(read.optDateName == read.dateName)
    #expect(read.decimalName == 5 && read.optDecimalName == 6)
    #expect(read.uuidName == uuid && read.optUuidName == uuid)
    #expect(read.objectIdName == id && read.optObjectIdName == id)
    #expect(read.listName.map(\.name) == ["linked"])
    #expect(Set(read.mutableSetName) == ["a", "b"] && read.mapName["k"] == "v")
    #expect(read.anyRealmValueName == .int(7))
    #expect(read.optObjectPropertyName?.isSameObject(as: read.listName[0]) == true)
    #expect(read.optEmbeddedObjectPropertyName?.name == "inside")
    #expect(read.enumName == .second && read.optEnumName == .second)
  }

  class Box: Object {
    @Persisted var width: CGFloat
    @Persisted var height: CGFloat?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `a CGFloat, which is mapped`() throws {
    let realm = try openRealm(Box.self)
    let box = Box()
    box.width = 1.5
    try realm.write { realm.add(box) }
    try realm.write { box.height = box.width * 2 }
    let read = try #require(realm.objects(Box.self).first)
    #expect(read.width == 1.5 && read.height == 3 && read["height"] as? Double == 3)
    #expect(realm.schema["Box"]?["width"]?.type == .double)
  }

  @Test func `a collection with and without a default`() throws {
    class Lists: Object {
      @Persisted var listProperty: List<Int>
      @Persisted var other = List<Int>()
      @Persisted var value: MutableSet<String>
      @Persisted var otherValue = MutableSet<String>()
      @Persisted var map: Map<String, String>
      @Persisted var otherMap = Map<String, String>()

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    let realm = try openRealm(Lists.self)
    let lists = Lists()
    lists.listProperty.append(1)
    lists.other.append(1)
    lists.value.insert("a")
    lists.otherValue.insert("a")
    try realm.write { realm.add(lists) }
    try realm.write {
      lists.listProperty.append(2)
      lists.other.append(2)
      lists.map["k"] = "v"
      lists.otherMap["k"] = "v"
    }
    let read = try #require(realm.objects(Lists.self).first)
    #expect(Array(read.listProperty) == [1, 2] && Array(read.other) == [1, 2])
    #expect(Array(read.value) == ["a"] && Array(read.otherValue) == ["a"])
    #expect(read.map["k"] == "v" && read.otherMap["k"] == "v")
  }

  @Test func `properties as they were declared before`() throws {
    class Old: Object {
      let boolValue = RealmProperty<Bool?>()
      let intValue = RealmProperty<Int?>()
      let floatValue = RealmProperty<Float?>()
      let doubleValue = RealmProperty<Double?>()
      let listValue = List<MyCustomObjectType>()
      let setValue = MutableSet<String>()
      let mapValue = Map<String, String>()
      let anyValue = RealmProperty<AnyRealmValue>()

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    let realm = try openRealm(Old.self, MyCustomObjectType.self)
    let old = Old()
    #expect(old.boolValue.value == nil && old.intValue.value == nil)
    #expect(old.floatValue.value == nil && old.doubleValue.value == nil)
    #expect(old.anyValue.value == .none)
    old.boolValue.value = true
    old.intValue.value = 1
    old.listValue.append(MyCustomObjectType())
    try realm.write { realm.add(old) }
    try realm.write {
      old.floatValue.value = 1.5
      old.doubleValue.value = 2.5
      old.setValue.insert("a")
      old.mapValue["k"] = "v"
      old.anyValue.value = .string("s")
      old.boolValue.value = nil
    }
    let read = try #require(realm.objects(Old.self).first)
    #expect(read.boolValue.value == nil && read.intValue.value == 1)
    #expect(read.floatValue.value == 1.5 && read.doubleValue.value == 2.5)
    #expect(read.listValue.count == 1 && read.setValue.contains("a"))
    #expect(read.mapValue["k"] == "v" && read.anyValue.value == .string("s"))
  }

  class ById: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var other: ObjectId
    @Persisted(indexed: true) var value: UUID

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class ByUUID: Object {
    @Persisted(primaryKey: true) var value = UUID()
    @Persisted var _id = ObjectId()

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `unique identifiers`() throws {
    let realm = try openRealm(ById.self, ByUUID.self)
    let (first, second) = (ById(), ByUUID())
    #expect(first.id != ById().id && first.value != ById().value)
    #expect(second.value != ByUUID().value)
    #expect(second._id.stringValue == "000000000000000000000000")
    try realm.write {
      realm.add(first)
      realm.add(second)
      for _ in 0..<5 { realm.add(ById()) }
    }
    #expect(realm.object(ofType: ById.self, forPrimaryKey: first.id) == first)
    #expect(realm.object(ofType: ByUUID.self, forPrimaryKey: second.value) == second)
    let byOther = realm.objects(ById.self).where { $0.other == first.other }
    let byValue = realm.objects(ById.self).filter("value == %@", first.value)
    #expect(byOther.first == first && byValue.first == first)
  }

  class Blob: Object {
    @Persisted var data: Data
    @Persisted var text: String
    @Persisted var chunks: List<Data>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static let sixteenMegabytes = 16 * 1024 * 1024

  @Test func `up to 16 MB, or chunks of them`() throws {
    let realm = try openRealm(Blob.self)
    let blob = Blob()
    blob.data = Data(repeating: 1, count: 16_000_000)
    blob.chunks.append(objectsIn: [blob.data, blob.data])
    try realm.write { realm.add(blob) }
    #expect(realm.objects(Blob.self).first?.chunks.map(\.count) == [16_000_000, 16_000_000])
  }

  @Test func `more than 16 MB`() async {
    let data = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openRealm(Blob.self)
      let blob = Blob(value: ["data": Data(count: Self.sixteenMegabytes + 1)])
      try realm.write { realm.add(blob) }
    }
    expectStop(data, says: "16")
    let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openRealm(Blob.self)
      let blob = Blob()
      try realm.write {
        realm.add(blob)
        blob.text = String(repeating: "a", count: Self.sixteenMegabytes + 1)
      }
    }
    expectStop(text, says: "16")
    let chunk = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openRealm(Blob.self)
      let blob = Blob()
      try realm.write {
        realm.add(blob)
        blob.chunks.append(Data(count: Self.sixteenMegabytes + 1))
      }
    }
    expectStop(chunk, says: "16")
  }
}
