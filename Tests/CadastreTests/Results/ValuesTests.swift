import Foundation
import Testing

@testable import Cadastre

/// The values of a property of many objects, against those of each object.
@Suite struct ValuesTests {
  final class Reading: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var level: Int?
    @Persisted var small: Int8 = 0
    @Persisted var share = 0.0
    @Persisted var isOpen = false
    @Persisted var at: Date?
    @Persisted var uuid = UUID()
    @Persisted var price = Decimal128(0)
    @Persisted var anything: AnyRealmValue
    @Persisted var next: Reading?
  }

  final class Shelf: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var readings: List<Reading>
  }

  private func filled(_ count: Int) throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Reading.self, Shelf.self]))
    try realm.write {
      for id in 0..<count {
        let reading = Reading()
        reading.id = id * 3
        reading.name = "name \(id % 7)"
        reading.level = id % 5 == 0 ? nil : -id
        reading.small = Int8(id % 100)
        reading.share = Double(id) / 7
        reading.isOpen = id % 2 == 0
        reading.at = id % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(id))
        reading.price = Decimal128(Int64(id))
        reading.anything = id % 2 == 0 ? .int(id) : .string("\(id)")
        realm.add(reading)
      }
    }
    return realm
  }

  private func check(_ readings: some RealmCollection<Reading>) {
    #expect(readings.values(of: \.id) == readings.map(\.id))
    #expect(readings.values(of: \.name) == readings.map(\.name))
    #expect(readings.values(of: \.level) == readings.map(\.level))
    #expect(readings.values(of: \.small) == readings.map(\.small))
    #expect(readings.values(of: \.share) == readings.map(\.share))
    #expect(readings.values(of: \.isOpen) == readings.map(\.isOpen))
    #expect(readings.values(of: \.at) == readings.map(\.at))
    #expect(readings.values(of: \.uuid) == readings.map(\.uuid))
    #expect(readings.values(of: \.price) == readings.map(\.price))
    #expect(readings.values(of: \.anything) == readings.map(\.anything))
    #expect(readings.values(of: \.next) == readings.map(\.next))
  }

  @Test func `values are those of the objects, in their order`() throws {
    let realm = try filled(1_000)
    let all = realm.objects(Reading.self)
    check(all)
    check(all.where { $0.isOpen && $0.share > 20 })
    check(all.sorted(byKeyPath: "name", ascending: false))
    check(all.where { $0.id == 9 })
    check(all.where { $0.id == 1 })
    check(all.freeze())
    try realm.write {
      realm.delete(all.where { $0.small < 10 })
      all.first?.level = 4
      check(all)
    }
    check(all)
  }

  @Test func `values of many rows come in any order, and as often as the objects do`() throws {
    let realm = try filled(10_000)
    let all = realm.objects(Reading.self)
    #expect(
      all.sorted(byKeyPath: "small").values(of: \.id) == all.sorted(byKeyPath: "small").map(\.id))
    let few = all.where { $0.id < 3_000 || $0.id > 27_000 }.sorted(
      byKeyPath: "share", ascending: false)
    check(few)

    let shelf = Shelf()
    try realm.write {
      shelf.readings.append(objectsIn: few)
      shelf.readings.append(objectsIn: all.prefix(70))
      shelf.readings.append(objectsIn: few.prefix(3))
      realm.add(shelf)
    }
    check(shelf.readings)
  }

  @Test func `objects of no Realm have values too`() {
    let list = List<Reading>()
    list.append(Reading())
    #expect(list.values(of: \.id) == [0])
  }
}
