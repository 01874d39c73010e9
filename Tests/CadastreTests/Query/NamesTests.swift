import Cadastre
import Foundation
import Testing

class Order: Object {
  @Persisted(primaryKey: true) var key: UUID
  @Persisted var order = 0
  @Persisted(indexed: true) var group = ""
  @Persisted var index = 0
  @Persisted var rowid = 0
  @Persisted var _id = 0
  @Persisted var select = ""
  @Persisted var name = ""
  @Persisted var Name = ""
  @Persisted var `where`: Order?
  @Persisted var grüße = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Group: Object {
  @Persisted(primaryKey: true) var from: Int32
  @Persisted var data: Data?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class group: Object {
  @Persisted var value = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class sqlite_master: Object {
  @Persisted(primaryKey: true) var table: ObjectId
  @Persisted var count = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Names that mean something to SQLite mean nothing here.
@Suite struct NamesTests {
  let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Order.self, Group.self, group.self, sqlite_master.self]))
  }

  @Test func `properties may be called like keywords and differ in case only`() throws {
    let order = Order(value: ["order": 1, "group": "g", "index": 2, "rowid": 3, "_id": 4])
    order.select = "s'\"%_"
    order.name = "small"
    order.Name = "LARGE"
    order.where = order
    order.grüße = "👩‍👩‍👧 e\u{301} \u{0} ß"
    try realm.write { realm.add(order) }
    let orders = realm.objects(Order.self)
    #expect(orders.where { $0.order == 1 && $0.group == "g" && $0.index == 2 }.count == 1)
    #expect(orders.where { $0.rowid == 3 && $0._id == 4 && $0.select == "s'\"%_" }.count == 1)
    #expect(orders.where { $0.name == "small" && $0.Name == "LARGE" }.count == 1)
    #expect(orders.where { $0.where.where.name == "small" }.count == 1)
    #expect(orders.filter("where.Name == 'LARGE' AND order == 1").count == 1)
    #expect(orders.sorted(byKeyPath: "rowid").sorted(by: \.index).first == order)
    let read = try #require(realm.object(ofType: Order.self, forPrimaryKey: order.key))
    #expect(Array(read.grüße.unicodeScalars) == Array("👩‍👩‍👧 e\u{301} \u{0} ß".unicodeScalars))
    #expect(orders.where { $0.grüße.contains("👩‍👩‍👧") }.count == 1)
  }

  @Test func `classes may be called like keywords and differ in case only`() throws {
    try realm.write {
      realm.add(Group(value: [7]))
      realm.add(group(value: [8]))
      realm.add(sqlite_master(value: ["count": 9]))
    }
    #expect(realm.object(ofType: Group.self, forPrimaryKey: 7)?.from == 7)
    #expect(realm.objects(group.self).first?.value == 8)
    let master = try #require(realm.objects(sqlite_master.self).first)
    #expect(realm.object(ofType: sqlite_master.self, forPrimaryKey: master.table) == master)
  }

  @Test func `large values come back`() throws {
    let text = String(repeating: "ü", count: 1 << 20)
    let order = Order(value: ["select": text])
    let bytes = Data(repeating: 7, count: 16 << 20)
    try realm.write {
      realm.add(order)
      realm.add(Group(value: ["from": 1, "data": bytes]))
    }
    #expect(realm.objects(Order.self).first?.select == text)
    #expect(realm.object(ofType: Group.self, forPrimaryKey: 1)?.data == bytes)
  }
}
