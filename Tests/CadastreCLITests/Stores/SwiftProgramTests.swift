import Cadastre
import Foundation
import Testing

class Spot: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

class Owner: EmbeddedObject {
  @Persisted var name = ""
}

class Cafe: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = ""
  @Persisted var rating: Double?
  @Persisted var location: Spot?
  @Persisted var owner: Owner?
}

/// Stores that Swift programs and the command line share.
@Suite struct SwiftProgramTests {
  private func realm(_ scratch: Scratch) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: scratch.path("s")),
        objectTypes: [Cafe.self, Spot.self, Owner.self]))
  }

  @Test func `a store of a Swift program is queried, extended and read again`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    do {
      let realm = try realm(scratch)
      let cafe = Cafe()
      cafe.name = "Flore"
      cafe.location = Spot()
      cafe.location?.coordinates.append(objectsIn: [2.3326, 48.854])
      cafe.owner = Owner()
      try realm.write { realm.add(cafe) }
    }
    let near = "location GEOWITHIN geoCircle([2.33, 48.85], 0.001)"
    let csv = try scratch.csv("id,name,rating,lat,lon\n1,Dome,4.5,48.842,2.329\n2,Far,,0,0\n")

    #expect(try succeed("query", store, "Cafe", near, "--format", "count").stdout == "1\n")
    try succeed("import", csv, "--store", store, "--into", "Cafe", "--pk", "id")
    try succeed("import", csv, "--store", store, "--into", "City", "--pk", "id")
    #expect(try succeed("query", store, "Cafe", near, "--format", "count").stdout == "2\n")
    #expect(try succeed("query", store, "City", near, "--format", "count").stdout == "1\n")
    #expect(try succeed("check", store).stdout == "ok\n")
    try fail(
      "import", try scratch.csv("id,owner\n7,Paul\n", "owner.csv"), "--store", store, "--into",
      "Cafe", saying: "'owner'", "Owner, optional in the class")

    let cafes = try realm(scratch).objects(Cafe.self)
    #expect(cafes.sorted(byKeyPath: "id").map(\.name) == ["Flore", "Dome", "Far"])
    #expect(cafes.filter("id == 1").first?.location?.coordinates.map { $0 } == [2.329, 48.842])
  }

  @Test func `an index is added and removed while a program has the store open`() throws {
    let scratch = try Scratch()
    let realm = try realm(scratch)
    try realm.write {
      for id in 0..<3_000 { realm.add(Cafe(value: ["id": id, "name": "n\(id % 7)"])) }
    }
    let named = realm.objects(Cafe.self).filter("name == 'n3'")
    let count = named.count

    for more in [[], ["--remove"]] {
      let outcome = try Program.run(["index", scratch.path("s"), "Cafe", "name"] + more)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      realm.refresh()
      #expect(named.count == count)
      #expect(named.explain().contains("IndexSearch Cafe.name") == more.isEmpty)
      try realm.write { realm.add(Cafe(value: ["id": 9_000 + more.count, "name": "n3"])) }
      #expect(named.count == count + 1)
      try realm.write { realm.delete(realm.objects(Cafe.self).filter("id >= 9000")) }
      #expect(try succeed("check", scratch.path("s")).stdout == "ok\n")
    }
  }
}
