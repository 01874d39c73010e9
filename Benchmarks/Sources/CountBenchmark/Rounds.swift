import Cadastre
import Foundation

/// A block of operations whose instructions are counted.
struct Round {
  let name: String
  /// The number of operations in the block.
  let operations: Int
  let body: () throws -> Void
}

/// A sum of results, which prevents the compiler from removing the operations.
nonisolated(unsafe) var sink = 0

/// Returns all rounds over a fleet, and over one with stored columns, in the order of the counts.
func rounds(_ fleet: Fleet, _ stored: Fleet) throws -> [Round] {
  properties(fleet) + (try queries(fleet)) + (try changes(fleet)) + firstQueries(fleet, "")
    + firstQueries(stored, ", columns stored") + commits(stored, ", columns stored")
}

private func properties(_ fleet: Fleet) -> [Round] {
  let (realm, boats) = (fleet.realm, fleet.some(1000))
  let harbours = Array(realm.objects(Harbour.self))
  func writing(_ name: String, _ change: @escaping (Boat, Int) -> Void) -> Round {
    Round(name: name, operations: boats.count) {
      realm.beginWrite()
      for (index, boat) in boats.enumerated() { change(boat, index) }
      try realm.commitWrite()
    }
  }
  func adding(_ name: String, _ add: @escaping (Realm, Int) -> Void) -> Round {
    Round(name: name, operations: 2500) {
      realm.beginWrite()
      for id in 0..<2500 { add(realm, Fleet.boats + id) }
      // Writes the pending entries of the spatial index, as a commit does.
      sink &+= realm.objects(Boat.self).where { $0.number == -1 }.count
      realm.cancelWrite()
    }
  }
  return [
    Round(name: "read an Int", operations: boats.count) {
      for boat in boats { sink &+= boat.length }
    },
    Round(name: "read a String", operations: boats.count) {
      for boat in boats { sink &+= boat.name.utf8.count }
    },
    Round(name: "follow a link", operations: boats.count) {
      for boat in boats { sink &+= boat.harbour?.id ?? 0 }
    },
    Round(name: "iterate results, one Int each", operations: Fleet.boats) {
      for boat in realm.objects(Boat.self) { sink &+= boat.length }
    },
    Round(name: "look up by primary key", operations: boats.count) {
      for id in 0..<boats.count {
        sink &+= realm.object(ofType: Boat.self, forPrimaryKey: id)?.length ?? 0
      }
    },
    adding("add an object") { realm, id in realm.add(Boat(id, in: harbours[0])) },
    adding("create an object from a dictionary") { realm, id in
      realm.create(
        Boat.self,
        value: [
          "id": id, "name": "Boat \(id) of the southern line", "length": id % 400, "number": id,
          "place": ["coordinates": [Double(id % 360) - 180, 10]],
        ])
    },
    // The values that are there already, so that the content stays the same.
    writing("write an Int") { $0.length = Boat.length($1) },
    writing("write a String") { $0.name = Boat.name($1) },
    writing("write a link") { $0.harbour = harbours[$1 % harbours.count] },
    writing("read an Int and write another") {
      $0.length = $0.number - $0.number + Boat.length($1)
    },
  ]
}

private func queries(_ fleet: Fleet) throws -> [Round] {
  let boats = fleet.realm.objects(Boat.self)
  let text =
    "(length BETWEEN {100, 200} OR name BEGINSWITH[c] 'boat 1') AND number < 4000 "
    + "AND place GEOWITHIN geoBox([-10, -10], [40, 20])"
  let predicate = try QueryPredicate(parsing: text)
  let bound = try boats.filter(predicate)
  let prepared = try fleet.realm.prepare("number == $0 AND length < $1", on: Boat.self)
  guard
    let box = GeoBox(
      bottomLeft: (latitude: -10, longitude: -60), topRight: (latitude: 10, longitude: 60)),
    let middle = GeoPoint(latitude: 0, longitude: 0)
  else { preconditionFailure("the coordinates are invalid") }
  func query(_ name: String, _ run: @escaping () -> Int) -> Round {
    Round(name: name, operations: 1) { sink &+= run() }
  }
  /// Repeats a query for a number that each boat has once, with another constant each time.
  func repeated(_ name: String, _ run: @escaping (Int) throws -> Results<Boat>) -> Round {
    Round(name: "repeat a short query, \(name)", operations: 50) {
      for number in 0..<50 { sink &+= try run(number).count }
    }
  }
  return [
    repeated("text") { boats.filter("number == %@ AND length < %@", $0, 500) },
    repeated("where") { number in boats.where { $0.number == number && $0.length < 500 } },
    repeated("prepared") { try prepared($0, 500) },
    repeated("#Predicate") { number in
      try boats.filter(#Predicate { $0.number == number && $0.length < 500 })
    },
    Round(name: "parse and bind again, without a run", operations: 50) {
      for number in 0..<50 {
        sink &+= boats.filter("number == %@ AND length < %@", number, 500).isInvalidated ? 1 : 0
      }
    },
    Round(name: "parse a predicate", operations: 50) {
      for _ in 0..<50 { _ = try QueryPredicate(parsing: text) }
    },
    Round(name: "bind a predicate", operations: 50) {
      for _ in 0..<50 { _ = try boats.filter(predicate) }
    },
    Round(name: "plan a query and print the plan", operations: 50) {
      for _ in 0..<50 { sink &+= bound.explain().utf8.count }
    },
    query("filter a column of 5,000 Ints") { boats.where { $0.length > 200 }.count },
    query("filter a column of 5,000 Strings") {
      boats.where { $0.name.contains("northern") }.count
    },
    query("traverse an index, 500 of 5,000") {
      boats.where { $0.number.contains(1000..<1500) }.count
    },
    query("a box, great circles") { boats.where { $0.place.geoWithin(box) }.count },
    query("a box, straight in degrees") {
      boats.where { $0.place.geoWithin(box, edges: .planar) }.count
    },
    query("the 10 nearest") { boats.nearest(10, to: middle).reduce(0) { $0 + $1.id } },
    query("order 5,000 by an Int") { boats.sorted(byKeyPath: "length").last?.id ?? 0 },
    query("read the ids of 5,000 in an order") {
      boats.sorted(byKeyPath: "length").values(of: \.id).last ?? 0
    },
    query("an average") { Int(boats.average(ofProperty: "length") as Double? ?? 0) },
  ]
}

private func changes(_ fleet: Fleet) throws -> [Round] {
  let (realm, boats) = (fleet.realm, fleet.some(20))
  var length = 0
  // A second realm on its own queue, which is refreshed manually.
  let queue = DispatchQueue(label: "reader")
  let reader = try queue.sync { try Realm(configuration: realm.configuration, queue: queue) }
  let token = queue.sync {
    reader.autorefresh = false
    return reader.objects(Boat.self).where { $0.length < 200 }.observe { _ in sink &+= 1 }
  }
  let commits = commits(fleet, "")
  return [
    commits[0],
    Round(name: "commit, refresh and notify of one object", operations: boats.count) {
      for boat in boats {
        length += 1
        try realm.write { boat.length = length % 400 }
        _ = queue.sync { reader.refresh() }
      }
      _ = token
    },
    commits[1],
  ]
}

/// Returns the commits of a changed object and of a new one.
private func commits(_ fleet: Fleet, _ store: String) -> [Round] {
  let (realm, boats) = (fleet.realm, fleet.some(20))
  var (length, added) = (0, Fleet.boats)
  return [
    Round(name: "commit one object" + store, operations: boats.count) {
      for boat in boats {
        length += 1
        try realm.write { boat.length = length }
      }
    },
    Round(name: "add and commit one object" + store, operations: boats.count) {
      guard let harbour = boats.first?.harbour else { return }
      for _ in boats {
        try realm.write { realm.add(Boat(added, in: harbour)) }
        added += 1
      }
    },
  ]
}

/// Returns queries of columns that are not in memory.
private func firstQueries(_ fleet: Fleet, _ store: String) -> [Round] {
  var configuration = fleet.realm.configuration
  let limit = fleet.realm.columnMemory.limit
  func query(_ name: String, _ run: @escaping (Results<Boat>) -> Int) -> Round {
    Round(name: name + store, operations: 1) {
      for limit in [0, limit] {
        configuration.columnMemoryLimit = limit
        _ = try Realm(configuration: configuration)
      }
      sink &+= run(fleet.realm.objects(Boat.self))
    }
  }
  return [
    query("a first query, 5,000 Ints") { $0.where { $0.length > 200 }.count },
    query("a first query, 5,000 Strings") { $0.where { $0.name.contains("northern") }.count },
  ]
}
