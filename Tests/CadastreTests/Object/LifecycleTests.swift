import Cadastre
import Foundation
import Testing
import TestingSupport

class Door: EmbeddedObject {
  @Persisted var colour = ""
  @Persisted var leadsTo: House?
}

class Room: EmbeddedObject {
  @Persisted var name = ""
  @Persisted var door: Door?
}

class House: Object {
  @Persisted(primaryKey: true) var number: Int?
  @Persisted var hall: Room?
  @Persisted var attic: Room?
  @Persisted var neighbour: House?
  @Persisted var place: Location?
  @Persisted var note: Data
}

func makeStreet(_ name: String = UUID().uuidString) throws -> Realm {
  try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: name,
      objectTypes: [House.self, Room.self, Door.self, Location.self]))
}

/// When instances are managed, when they are invalidated, and what they see.
@Suite struct LifecycleTests {
  let realm: Realm

  init() throws { realm = try makeStreet() }

  private func house(_ number: Int?) -> House? {
    realm.object(ofType: House.self, forPrimaryKey: number)
  }

  @Test func `an object added in a cancelled transaction stays invalidated`() throws {
    let lost = House(value: ["number": 1])
    realm.beginWrite()
    realm.add(lost)
    realm.cancelWrite()
    #expect(lost.isInvalidated && lost.realm == realm)

    // The next object gets the same location in the table.
    try realm.write { realm.add(House(value: ["number": 2])) }
    #expect(lost.isInvalidated)
    #expect(house(2)?.isInvalidated == false)
  }

  @Test func `an object deleted in a cancelled transaction is back, its old instances are not`()
    throws
  {
    let first = House(value: ["number": 1])
    try realm.write { realm.add([first, House(value: ["number": 2])]) }
    let other = try #require(house(1))
    let second = try #require(house(2))
    realm.beginWrite()
    realm.delete(first)
    realm.cancelWrite()
    #expect(first.isInvalidated && other.isInvalidated && !second.isInvalidated)
    #expect(house(1)?.number == 1)

    realm.beginWrite()
    realm.deleteAll()
    #expect(second.isInvalidated && realm.isEmpty)
    realm.cancelWrite()
    #expect(second.isInvalidated && realm.objects(House.self).count == 2)
  }

  @Test func `invalidate strikes objects and lets the Realm be used again`() throws {
    let first = House(value: ["number": 1, "hall": ["name": "h"]])
    try realm.write { realm.add(first) }
    let hall = try #require(first.hall)
    realm.beginWrite()
    realm.add(House(value: ["number": 2]))
    realm.invalidate()
    #expect(!realm.isInWriteTransaction)
    #expect(first.isInvalidated && hall.isInvalidated)
    #expect(house(1)?.hall?.name == "h" && house(2) == nil)
  }

  @Test func `a deletion on another thread shows after a refresh`() throws {
    let house = House(value: ["number": 1, "hall": ["name": "h"]])
    try realm.write { realm.add(house) }
    let hall = try #require(house.hall)
    let configuration = realm.configuration
    try onNewThread {
      guard let realm = try? Realm(configuration: configuration) else { return }
      try? realm.write { realm.deleteAll() }
    }
    #expect(!house.isInvalidated && hall.name == "h")
    #expect(realm.refresh())
    #expect(house.isInvalidated && hall.isInvalidated)
    #expect(!realm.refresh())
  }

  @Test func `an embedded object is managed with its owner`() throws {
    let hall = Room(value: ["name": "a", "door": ["colour": "red"]])
    let door = try #require(hall.door)
    let house = House(value: ["number": 1])
    house.hall = hall
    try realm.write { realm.add(house) }
    #expect(hall.realm == realm && door.realm == realm)
    try realm.write { door.colour = "blue" }
    #expect(house.hall?.door?.colour == "blue")
    #expect(house.hall?.isSameObject(as: hall) == true && hall !== house.hall)
    #expect(house.attic == nil)

    let attic = Room()
    try realm.write {
      house.attic = attic
      attic.name = "top"
    }
    #expect(house.attic?.name == "top" && !attic.isSameObject(as: hall))
  }

  @Test func `replacing an embedded object invalidates it and its members`() throws {
    let house = House(value: ["number": 1, "hall": ["name": "a", "door": ["colour": "red"]]])
    try realm.write { realm.add(house) }
    let hall = try #require(house.hall)
    let door = try #require(hall.door)
    try realm.write {
      hall.door = Door(value: ["colour": "blue"])
      #expect(door.isInvalidated && !hall.isInvalidated)
      let blue = try #require(hall.door)
      hall.door = nil
      hall.door = Door(value: ["colour": "green"])
      #expect(blue.isInvalidated && hall.door?.colour == "green")
      let green = try #require(hall.door)
      house.hall = Room(value: ["name": "b", "door": ["colour": "white"]])
      #expect(hall.isInvalidated && green.isInvalidated)
      house.hall = nil
      house.hall = Room(value: ["name": "c", "door": ["colour": "black"]])
      #expect(hall.isInvalidated && green.isInvalidated && house.hall?.door?.colour == "black")
    }
    #expect(house.hall?.name == "c")
  }

  @Test func `deleting an embedded object leaves its owner`() throws {
    let house = House(value: ["number": 1, "hall": ["name": "a", "door": ["colour": "red"]]])
    try realm.write {
      realm.add(house)
      let hall = try #require(house.hall)
      let door = try #require(hall.door)
      realm.delete(door)
      #expect(door.isInvalidated && hall.door == nil && hall.name == "a")
      realm.delete(hall)
      #expect(hall.isInvalidated && house.hall == nil)
    }
    #expect(realm.objects(House.self).count == 1 && house.number == 1)
  }

  @Test func `a link in an embedded object may lead back to its owner`() throws {
    let house = House(value: ["number": 1])
    house.hall = Room(value: ["door": ["colour": "red"]])
    house.hall?.door?.leadsTo = house
    house.neighbour = house
    try realm.write { realm.add(house) }
    #expect(house.hall?.door?.leadsTo == house && house.neighbour == house)
    #expect(realm.objects(House.self).where { $0.hall.door.leadsTo.number == 1 }.count == 1)
    #expect(house.description.contains("Maximum depth exceeded"))

    let other = House(value: ["number": 2])
    try realm.write {
      house.hall = Room(value: ["door": ["leadsTo": other]])
      realm.delete(other)
    }
    #expect(house.hall?.door != nil && house.hall?.door?.leadsTo == nil)
  }

  @Test func `update policies reach links and embedded objects`() throws {
    try realm.write {
      realm.add(
        House(value: [
          "number": 1, "note": Data([1]), "neighbour": ["number": 2, "note": Data([2])],
        ]))
      let next = House(value: ["number": 1, "neighbour": ["number": 2, "hall": ["name": "n"]]])
      next.hall = Room(value: ["door": ["leadsTo": ["number": 2, "note": Data([3])]]])
      realm.add(next, update: .modified)
    }
    #expect(realm.objects(House.self).count == 2)
    #expect(house(1)?.note.isEmpty == true && house(2)?.hall?.name == "n")
    #expect(house(1)?.hall?.door?.leadsTo == house(2))
  }

  @Test func `create with modified keeps what the value does not name, in links too`() throws {
    let one: [String: Any] = ["number": 1, "note": Data([1]), "hall": ["name": "h"]]
    try realm.write {
      let first = realm.create(House.self, value: one)
      first.neighbour = House(value: ["number": 2, "note": Data([2])])
      let again = realm.create(
        House.self, value: ["number": 1, "neighbour": ["number": 2, "place": NSNull()]],
        update: .modified)
      #expect(again == first && again.note == Data([1]) && again.hall?.name == "h")
      #expect(first.neighbour?.note == Data([2]))
      realm.create(House.self, value: ["number": 1, "hall": NSNull()], update: .modified)
      #expect(first.hall == nil && first.note == Data([1]))
      realm.create(House.self, value: ["number": 1, "neighbour": ["number": 2]], update: .all)
      #expect(first.note.isEmpty && house(2)?.note.isEmpty == true)
    }
  }

  @Test func `create copies the objects of another Realm, with what they hold and link to`() throws
  {
    let source = try makeStreet()
    let first = House(value: ["number": 1, "hall": ["name": "h", "door": ["colour": "red"]]])
    first.neighbour = House(value: ["number": 2, "neighbour": first])
    first.hall?.door?.leadsTo = first
    try source.write { source.add(first) }

    let copy = try realm.write { realm.create(House.self, value: first) }
    #expect(copy.realm == realm && copy.hall?.door?.colour == "red")
    #expect(copy.neighbour?.number == 2 && copy.neighbour?.neighbour == copy)
    #expect(copy.hall?.door?.leadsTo == copy)
    #expect(realm.objects(House.self).count == 2)

    try source.write { first.hall?.door?.leadsTo = nil }
    let moved = House(value: ["number": 3, "hall": first.hall as Any])
    try realm.write { realm.add(moved) }
    #expect(moved.hall?.name == "h" && first.hall?.name == "h")
    try realm.write {
      realm.create(House.self, value: ["number": 3, "neighbour": first], update: .modified)
    }
    #expect(moved.neighbour == copy && moved.hall?.name == "h")
  }

  @Test func `nil is one value of an optional primary key`() throws {
    try realm.write { realm.add(House(value: ["note": Data([7])])) }
    #expect(house(nil)?.note == Data([7]))
    try realm.write {
      realm.create(House.self, value: ["note": Data([8])], update: .modified)
      realm.add(House(value: ["number": 5]), update: .modified)
      realm.add(House(value: ["number": 5]), update: .modified)
    }
    #expect(realm.objects(House.self).count == 2 && house(nil)?.note == Data([8]))
  }

  @Test func `points are modified in place, and queries see it`() throws {
    let house = House(value: ["number": 1])
    house.place = Location(longitude: 2, latitude: 48)
    try realm.write { realm.add(house) }
    let circle = try #require(GeoCircle(center: (48, 2), radiusInRadians: 0.01))
    let there = realm.objects(House.self).where { $0.place.geoWithin(circle) }
    let place = try #require(house.place)
    let list = place.coordinates
    #expect(there.count == 1)
    realm.beginWrite()
    list[0] = 30
    #expect(there.isEmpty)
    list.removeAll()
    #expect(there.isEmpty && place.coordinates.isEmpty)
    list.append(2)
    list.append(objectsIn: [48, 100])
    #expect(there.count == 1 && Array(list) == [2, 48, 100])
    place.type = "Polygon"
    #expect(there.isEmpty && place.type == "Polygon" && Array(list) == [2, 48, 100])
    place.type = "point"
    list.remove(at: 2)
    list.swapAt(0, 1)
    #expect(there.isEmpty)
    list.swapAt(0, 1)
    #expect(there.count == 1)
    place.coordinates = place.coordinates
    #expect(there.count == 1)
    realm.cancelWrite()
    #expect(there.count == 1 && Array(list) == [2, 48])
    try realm.write { house.place = nil }
    #expect(there.isEmpty && place.isInvalidated)
  }
}
