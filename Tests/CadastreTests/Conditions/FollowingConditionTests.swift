import Cadastre
import Foundation
import Testing

/// Results of conditions through collections and links follow what these read.
@Suite struct FollowingConditionTests {
  private let realm: Realm
  private let everies: Results<Every>
  private let others: Results<Other>

  init() throws {
    let realm = try everyRealm()
    self.realm = realm
    everies = realm.objects(Every.self)
    others = realm.objects(Other.self)
    try realm.write {
      let (ann, bob) = (Other("ann"), Other("bob"))
      ann.friends.append(bob)
      bob.rank = 1
      for id in 0..<3 {
        let every = Every()
        every.id = id
        every.links.append(ann)
        every.linkMap["k"] = bob
        every.knots.append(Knot("a"))
        realm.add(every)
      }
    }
  }

  private func other(_ name: String) throws -> Other {
    try #require(realm.object(ofType: Other.self, forPrimaryKey: name))
  }

  @Test func `the elements, and the properties of the objects`() throws {
    let counted = everies.where { $0.ints.count > 1 }
    let friends = everies.where { $0.links.friends.rank > 2 }
    let several = everies.where { ($0.linkMap.rank == 1 && $0.linkMap.name == "bob").count > 0 }
    let largest = everies.where { $0.linkMap.rank.max == 1 }
    #expect(counted.isEmpty && friends.isEmpty && several.count == 3 && largest.count == 3)
    try realm.write {
      everies[1].ints.append(objectsIn: [1, 2])
      #expect(counted.map(\.id) == [1])
      try other("bob").rank = 3
      #expect(friends.count == 3 && several.isEmpty && largest.isEmpty)
      try other("ann").friends.removeAll()
      #expect(friends.isEmpty)
      try other("bob").rank = 1
      everies[0].linkMap["k"] = .some(nil)
      #expect(several.map(\.id) == [1, 2] && largest.map(\.id) == [1, 2])
      everies[1].ints.removeLast()
      #expect(counted.isEmpty)
    }
  }

  @Test func `objects that link here`() throws {
    let linked = others.where { $0.byList.id > 5 }
    let many = others.where { $0.byMap.count >= 4 }
    let any = try others.filter(parsing: "@links.@count > 7")
    #expect(linked.isEmpty && many.isEmpty && any.isEmpty)
    try realm.write {
      let every = Every()
      every.id = 9
      every.links.append(try other("ann"))
      every.linkMap["m"] = try other("bob")
      realm.add(every)
      #expect(linked.map(\.name) == ["ann"] && many.map(\.name) == ["bob"])
      for _ in 0..<4 { every.links.append(try other("ann")) }
      #expect(any.map(\.name) == ["ann"])
      realm.delete(every)
      #expect(linked.isEmpty && many.isEmpty && any.isEmpty)
    }
  }

  @Test func `embedded objects in collections, and values of any type`() throws {
    let texts = everies.where { $0.knots.text == "b" }
    let numbers = everies.where { $0.knots.numbers.count == 1 }
    let words = everies.where { $0.spot.words == "x" }
    let members = try everies.filter(parsing: "#any.rank == 7")
    #expect(texts.isEmpty && numbers.isEmpty && words.isEmpty && members.isEmpty)
    try realm.write {
      everies[0].knots[0].text = "b"
      everies[1].knots[0].numbers.append(4)
      #expect(texts.map(\.id) == [0] && numbers.map(\.id) == [1])
      everies[2].spot = Spot()
      everies[2].spot?.words.append("x")
      #expect(words.map(\.id) == [2])
      everies[0].any = .object(try other("ann"))
      #expect(members.isEmpty)
      try other("ann").rank = 7
      #expect(members.map(\.id) == [0])
    }
  }

  @Test func `points in a list`() throws {
    let realm = try Route.makeRealm()
    let circle = try #require(GeoCircle(center: (10, 10), radiusInRadians: 0.02))
    let near = realm.objects(Route.self).where { $0.stops.geoWithin(circle) }
    try realm.write {
      let route = Route()
      route.stops.append(Location(longitude: 1, latitude: 1))
      realm.add(route)
      #expect(near.isEmpty)
      route.stops[0].coordinates[0] = 10
      route.stops[0].coordinates[1] = 10
      #expect(near.count == 1)
      route.stops[0].type = "Nowhere"
      #expect(near.isEmpty)
    }
  }
}
