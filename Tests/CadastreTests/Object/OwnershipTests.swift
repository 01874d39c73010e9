import Cadastre
import CadastreSQLite
import CadastreStore
import Foundation
import Testing
import TestingSupport

/// What goes with what when objects are deleted, replaced and brought back.
@Suite struct OwnershipTests {
  private let file: EveryFile
  private let realm: Realm

  init() throws {
    file = try EveryFile()
    realm = try file.open()
  }

  /// An object with a value in every kind of property.
  private func full() -> Every {
    let every = Every()
    every.id = 1
    let other = Other("o")
    every.link = other
    every.links.append(objectsIn: [other, Other("p"), other])
    every.linkSet.insert(other)
    every.linkMap["k"] = other
    every.any = .object(other)
    every.anys.append(objectsIn: [.object(other), .int(1), .fromArray([.object(other)])])
    every.anyMap["k"] = .object(other)
    every.anyMap["n"] = .fromDictionary(["x": .object(other)])
    every.anySet.insert(objectsIn: [.object(other), .int(2)])
    every.spot = Spot(value: ["name": "s", "words": ["a", "b"], "seen": other])
    every.spot?.knot = Knot("in the row")
    every.knot = Knot(value: ["text": "1", "next": ["text": "2", "next": ["text": "3"]]])
    every.knot?.next?.next?.more.append(objectsIn: [Knot("4"), Knot("5")])
    every.knots.append(objectsIn: [Knot("l"), Knot("m")])
    every.knots[0].seen = other
    every.knotMap["k"] = Knot("map")
    return every
  }

  private func expectSound(_ location: SourceLocation = #_sourceLocation) throws {
    let problems = try StoreCheck(OpenStores.store(at: file.path).snapshot()).problems()
    #expect(problems == [], sourceLocation: location)
  }

  /// Rows of all tables of the classes, by table.
  private func rows() throws -> [String: Int64] {
    let connection = try OpenStores.store(at: file.path).snapshot().connection
    let tables = try connection.statement(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'cadastre%'")
    var names: [String] = []
    while try tables.step() { names.append(tables.text(0)) }
    var rows: [String: Int64] = [:]
    for name in names {
      let count = try connection.integer("SELECT count(*) FROM \"\(name)\"") ?? 0
      if count > 0 { rows[name] = count }
    }
    return rows
  }

  @Test func `deleting an owner leaves nothing behind`() throws {
    let every = full()
    try realm.write { realm.add(every) }
    try expectSound()
    #expect(try rows()["Knot"] == 9)
    let (spot, knots) = (try #require(every.spot), every.knots)
    let leaf = try #require(every.knot?.next?.next?.more.last)
    let (row, inMap) = (try #require(spot.knot), try #require(every.knotMap["k"]))

    try realm.write { realm.delete(every) }

    #expect(try rows() == ["Other": 2])
    try expectSound()
    #expect(spot.isInvalidated && leaf.isInvalidated && row.isInvalidated)
    #expect(inMap?.isInvalidated == true)
    #expect(knots.isInvalidated)
  }

  @Test func `replacing, removing and setting nil delete embedded objects`() throws {
    let every = full()
    try realm.write { realm.add(every) }
    let (first, spot) = (every.knots[0], try #require(every.spot))
    let words = spot.words
    try realm.write {
      every.knots[0] = Knot("new")
      every.knotMap["k"] = Knot("new")
      every.knot = Knot("new")
      every.spot = Spot(value: ["name": "new"])
    }
    #expect(first.isInvalidated && spot.isInvalidated && words.isInvalidated)
    #expect(try rows()["Knot"] == 4)
    #expect(try rows()["Every.spot.words"] == nil)
    try expectSound()
    try realm.write {
      every.knots.removeAll()
      every.knotMap["k"] = .some(nil)
      every.knot = nil
      every.spot = nil
    }
    #expect(try rows()["Knot"] == nil)
    #expect(every.knotMap.keys == ["k"])
    try expectSound()
  }

  @Test func `links to a deleted object are removed everywhere`() throws {
    let every = full()
    try realm.write { realm.add(every) }
    let other = try #require(every.link)

    try realm.write {
      realm.delete(other)
      // Within the transaction already.
      #expect(every.link == nil && every.links.count == 1)
    }

    #expect(other.isInvalidated)
    #expect(every.links.map(\.name) == ["p"])
    #expect(every.linkSet.isEmpty)
    #expect(every.linkMap["k"] == .some(nil))
    #expect(every.any == .none)
    #expect(every.anys[0] == .none)
    #expect(every.anys.count == 3)
    #expect(every.anys[2].listValue?[0] == AnyRealmValue.none)
    #expect(every.anyMap["k"] == AnyRealmValue.none)
    #expect(every.anyMap["n"]?.dictionaryValue?["x"] == AnyRealmValue.none)
    #expect(Array(every.anySet) == [.int(2)])
    #expect(every.spot?.seen == nil)
    #expect(every.knots[0].seen == nil)
    try expectSound()
  }

  @Test func `a cancelled transaction restores everything`() throws {
    let every = full()
    try realm.write { realm.add(every) }
    let (rows, text) = (try rows(), "\(every)")
    realm.beginWrite()
    realm.delete(try #require(every.link))
    every.knots.removeAll()
    every.spot = nil
    every.knot = Knot("other")
    every.ints.append(4)
    realm.delete(every)
    realm.cancelWrite()

    let read = try #require(realm.object(ofType: Every.self, forPrimaryKey: 1))
    #expect("\(read)" == text)
    #expect(try self.rows() == rows)
    #expect(every.isInvalidated)
  }

  @Test func `deleting an embedded object takes it out of its owner`() throws {
    let every = full()
    try realm.write { realm.add(every) }
    try realm.write {
      realm.delete(every.knots[0])
      realm.delete(try #require(every.spot))
      realm.delete(try #require(every.knot?.next))
      realm.delete(try #require(every.knotMap["k"] ?? nil))
    }
    #expect(every.knots.map(\.text) == ["m"])
    #expect(every.spot == nil && every.knot?.next == nil)
    #expect(every.knotMap["k"] == .some(nil))
    try expectSound()
    try realm.write { realm.delete(every.knots) }
    #expect(every.knots.isEmpty)
    try realm.write { realm.delete(every.links) }
    #expect(every.links.isEmpty && every.any == .none)
    #expect(try rows()["Other"] == nil)
  }

  // Adding an object with a long chain behind it overflowed the stack.
  @Test func `long chains need no deep stack`() throws {
    let every = Every()
    let count = 10_000
    var knots = (0..<count).map { Knot("\($0)") }
    for place in 1..<count { knots[place - 1].next = knots[place] }
    var others = (0..<count).map { Other("\($0)") }
    for place in 1..<count { others[place - 1].next = others[place] }
    every.knot = knots[0]
    every.link = others[0]

    try realm.write { realm.add(every) }

    (knots, others) = ([], [])
    #expect(try rows()["Knot"] == Int64(count))
    #expect(realm.objects(Other.self).count == count)
    #expect(every.knot?.next?.next?.text == "2")
    try realm.write { realm.delete(every) }
    #expect(try rows()["Knot"] == nil)
  }

  @Test func `one embedded object in two properties of new objects is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let (first, second) = (Every(value: ["id": 1]), Every(value: ["id": 2]))
      first.knot = Knot("k")
      second.knots.append(try #require(first.knot))
      try realm.write { realm.add([first, second]) }
    }
    expectStop(result, says: "Cannot add an existing managed embedded object to a List.")
  }

  @Test func `lists of a deleted embedded object say so`() throws {
    let every = Every()
    let spot = Spot()
    let words = spot.words
    every.spot = spot
    try realm.write { realm.add(every) }
    try realm.write { every.spot = nil }
    #expect(words.isInvalidated)
  }
}
