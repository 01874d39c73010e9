import Foundation
import Testing

@testable import Cadastre
@testable import CadastreStore

class RowPort: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var ships: List<RowShip>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RowCabin: EmbeddedObject {
  @Persisted var number = 0
  @Persisted var port: RowPort?
  @Persisted var beds: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RowShip: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var port: RowPort?
  @Persisted var next: RowShip?
  @Persisted var crew: List<Int>
  @Persisted var tags: MutableSet<String>
  @Persisted var cabin: RowCabin?
  @Persisted var cabins: List<RowCabin>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The rows of new objects are written with their links and the numbers of their elements.
@Suite struct NewRowTests {
  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [RowPort.self, RowShip.self, RowCabin.self]))
  }

  private func statements(_ write: () -> Void) throws -> Int {
    let connection = try #require(realm.core.transaction).flush(.rows).connection
    let before = connection.statementsRun
    write()
    return connection.statementsRun - before
  }

  private func checkStore() throws {
    #expect(try StoreCheck(realm.core.file.snapshot()).problems().isEmpty)
  }

  @Test func `a link to a managed object and a list need no second write of the row`() throws {
    try realm.write {
      let port = realm.create(RowPort.self, value: ["id": 1])
      let ship = RowShip(value: ["id": 1, "crew": [7, 7, 8]])
      ship.port = port
      // The row and three elements; the port may be read.
      let run = try statements { realm.add(ship) }
      #expect(run <= 1 + 3 + 1)
      #expect(ship.port?.id == 1)
      #expect(Array(ship.crew) == [7, 7, 8] && ship.crew.count == 3)
    }
    let ship = try #require(realm.object(ofType: RowShip.self, forPrimaryKey: 1))
    #expect(ship.port?.id == 1)
    #expect(Array(ship.crew) == [7, 7, 8])
    #expect(realm.objects(RowShip.self).where { $0.crew.count == 3 }.count == 1)
    try checkStore()
  }

  @Test func `cycles, new targets and nested lists`() throws {
    try realm.write {
      let (first, second) = (RowShip(value: ["id": 1]), RowShip(value: ["id": 2]))
      let port = RowPort(value: ["id": 1])
      first.next = second
      second.next = first
      first.port = port
      port.ships.append(objectsIn: [first, second, first])
      first.tags.insert(objectsIn: ["a", "b", "a"])
      first.cabin = RowCabin(value: ["number": 5, "beds": [1, 2]])
      first.cabin?.port = port
      for number in 0..<3 {
        let cabin = RowCabin(value: ["number": number, "beds": Array(0..<number)])
        cabin.port = port
        first.cabins.append(cabin)
      }
      realm.add(first)
      realm.add(RowShip(value: ["id": 3, "next": second, "port": port, "crew": [Int]()]))
    }
    let ships = realm.objects(RowShip.self).sorted(by: \.id)
    #expect(ships.map { $0.next?.id } == [2, 1, 2])
    #expect(ships.map { $0.port?.id } == [1, nil, 1])
    let first = ships[0]
    #expect(first.port?.ships.map(\.id) == [1, 2, 1])
    #expect(Set(first.tags) == ["a", "b"] && first.tags.count == 2)
    #expect(first.cabin?.port?.id == 1 && first.cabin.map { Array($0.beds) } == [1, 2])
    #expect(first.cabins.map { Array($0.beds) } == [[], [0], [0, 1]])
    #expect(first.cabins.allSatisfy { $0.port?.id == 1 })
    try checkStore()
  }

  @Test func `a list that its new object was written with can be changed in the same transaction`()
    throws
  {
    try realm.write {
      let ship = realm.create(RowShip.self, value: ["id": 1, "crew": [1, 2, 3]])
      ship.crew.append(4)
      ship.crew.insert(0, at: 0)
      ship.crew.remove(at: 2)
      #expect(Array(ship.crew) == [0, 1, 3, 4])
    }
    let ship = try #require(realm.object(ofType: RowShip.self, forPrimaryKey: 1))
    #expect(Array(ship.crew) == [0, 1, 3, 4])
    try checkStore()
  }
}
