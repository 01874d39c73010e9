import CadastreTestSupport
import Foundation
import Testing

@testable import Cadastre
@testable import CadastreStore

/// Loops that read and set objects in a write transaction, compared with values in memory.
@Suite struct WriteLoopTests {
  class Item: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
    @Persisted(indexed: true) var rank: Int
    @Persisted var text: String
    @Persisted var real: Double?
    @Persisted var next: Item?
    @Persisted var mixed: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// What an item contains.
  struct Content: Equatable {
    var number = 0
    var rank = 0
    var text = ""
    var real: Double?
    var next: Int?
    var mixed: AnyRealmValue = .none
  }

  private static func configuration(_ name: String = UUID().uuidString) -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: name, objectTypes: [Item.self])
  }

  /// Sets a random property of an item and of its content.
  private static func change(
    _ item: Item, _ content: inout Content, _ items: [Item], _ random: inout SeededGenerator
  ) {
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      content.number += 1
      item.number += 1
    case 1:
      content.rank = Int.random(in: 0..<5, using: &random)
      item.rank = content.rank
    case 2:
      content.text = "\(content.number) \(content.rank)"
      item.text = "\(item.number) \(item.rank)"
    case 3:
      content.real = [nil, 0.5, -0.0, .infinity].randomElement(using: &random) ?? nil
      item.real = content.real
    case 4:
      let next = items.randomElement(using: &random)
      content.next = next?.id
      item.next = next
    case 5:
      content.mixed = .int(content.number)
      item.mixed = .int(item.number)
    default:
      // Twice, and with reading in between.
      item.number = -1
      content.number = item.number + 8
      item.number = item.number + 8
    }
  }

  private static func content(of item: Item) -> Content {
    Content(
      number: item.number, rank: item.rank, text: item.text, real: item.real, next: item.next?.id,
      mixed: item.mixed)
  }

  @Test(arguments: Seeds.usual(1...30)) func `objects are those in memory`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let name = UUID().uuidString
    let realm = try Realm(configuration: Self.configuration(name))
    var contents: [Int: Content] = [:]
    var nextID = 0
    for _ in 0..<6 {
      let before = contents
      realm.beginWrite()
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let items = realm.objects(Item.self)
        let listed = Array(items)
        switch Int.random(in: 0..<11, using: &random) {
        case 8:
          // Sets new objects after they are created, and some of the others in between.
          for _ in 0..<Int.random(in: 0...50, using: &random) {
            let item = realm.create(Item.self, value: ["id": nextID])
            var content = Content()
            for _ in 0..<Int.random(in: 0...3, using: &random) {
              Self.change(item, &content, listed, &random)
            }
            contents[nextID] = content
            nextID += 1
            if Int.random(in: 0..<5, using: &random) == 0,
              let other = listed.randomElement(using: &random)
            {
              Self.change(other, &contents[other.id, default: Content()], listed, &random)
            }
          }
        case 9, 10:
          // Creates objects with the primary keys of others, mostly with the same properties.
          let isMixed = Int.random(in: 0..<3, using: &random) == 0
          for id in contents.keys.sorted() where Int.random(in: 0..<3, using: &random) > 0 {
            var values: [String: Any] = ["id": id]
            let rank = Int.random(in: 0..<5, using: &random)
            values["rank"] = rank
            contents[id]?.rank = rank
            if !isMixed || Bool.random(using: &random) {
              let real = Double(Int.random(in: 0..<3, using: &random))
              values["real"] = real
              contents[id]?.real = real
            }
            realm.create(Item.self, value: values, update: isMixed ? .all : .modified)
            if isMixed {
              // What is not named becomes the default.
              let real = values["real"] as? Double
              contents[id] = Content(rank: rank, real: real)
            }
          }
        case 0, 1:
          for _ in 0..<Int.random(in: 0...200, using: &random) {
            realm.create(Item.self, value: ["id": nextID, "text": "new"])
            contents[nextID] = Content(text: "new")
            nextID += 1
          }
        case 2:
          for item in listed where Int.random(in: 0..<20, using: &random) == 0 {
            contents[item.id] = nil
            for id in contents.keys where contents[id]?.next == item.id { contents[id]?.next = nil }
            realm.delete(item)
          }
        case 3:
          items.setValue(3, forKey: "rank")
          for id in contents.keys { contents[id]?.rank = 3 }
        case 4:
          let rank = Int.random(in: 0..<5, using: &random)
          let expected = contents.values.count { $0.rank == rank }
          #expect(items.where { $0.rank == rank }.count == expected, "seed \(seed)")
        default:
          // Some loops leave objects out, go backwards, or change several properties of each.
          let density = Int.random(in: 1...3, using: &random)
          let changes = Int.random(in: 1...3, using: &random)
          let isAscending = Int.random(in: 0..<4, using: &random) > 0
          let visited = isAscending ? listed : listed.reversed()
          for item in visited where Int.random(in: 0..<density, using: &random) == 0 {
            for _ in 0..<changes {
              Self.change(item, &contents[item.id, default: Content()], listed, &random)
            }
          }
        }
        for item in realm.objects(Item.self) where Int.random(in: 0..<3, using: &random) == 0 {
          #expect(Self.content(of: item) == contents[item.id], "seed \(seed)")
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        realm.cancelWrite()
        contents = before
      } else {
        try realm.commitWrite()
      }
      let stored = Dictionary(
        uniqueKeysWithValues: realm.freeze().objects(Item.self).map {
          ($0.id, Self.content(of: $0))
        }
      )
      #expect(stored == contents, "seed \(seed)")
    }
  }

  /// Changes many objects, checks what they contain then, and returns the number of statements that were run.
  private func statements(
    _ count: Int, _ change: (Item) -> Void, _ isChanged: (Item) -> Bool
  ) throws -> Int {
    let realm = try Realm(configuration: Self.configuration())
    try realm.write {
      for id in 0..<count { realm.create(Item.self, value: ["id": id, "number": id]) }
    }
    let run = try statements(in: realm) {
      for item in realm.objects(Item.self) { change(item) }
    }
    let stored = realm.freeze().objects(Item.self)
    #expect(stored.count == count && stored.allSatisfy(isChanged))
    return run
  }

  @Test(.enabled(if: !CacheVerification.isOn))
  func `changes of a loop are written together`() throws {
    #expect(
      try statements(5000) {
        $0.number = 7
      } _: {
        $0.number == 7
      } < 100)
    let two = try statements(5000) {
      $0.rank = $0.id
      $0.text = "\($0.id)"
    } _: {
      $0.rank == $0.id && $0.text == "\($0.id)"
    }
    #expect(two < 400)
    // The rows of the first objects are read one by one, before it is known that a loop reads them.
    #expect(
      try statements(5000) {
        $0.number += 1
      } _: {
        $0.number == $0.id + 1
      } < 400)
    let several = try statements(5000) {
      $0.rank = $0.number
      $0.real = Double($0.number + $0.rank)
      $0.number = 1
    } _: {
      $0.rank == $0.id && $0.real == Double(2 * $0.id) && $0.number == 1
    }
    #expect(several < 600)
  }

  /// Runs a write transaction, and returns the number of statements that were run.
  private func statements(in realm: Realm, _ change: () -> Void) throws -> Int {
    realm.beginWrite()
    let connection = try #require(realm.core.transaction).flush(.rows).connection
    let before = connection.statementsRun
    change()
    try realm.commitWrite()
    return connection.statementsRun - before
  }

  @Test func `properties that are set after the creation are written together`() throws {
    let realm = try Realm(configuration: Self.configuration())
    let count = try statements(in: realm) {
      for id in 0..<1000 {
        let item = realm.create(Item.self, value: ["id": id])
        item.number = id
        item.text = "\(id)"
      }
    }
    #expect(count < 1100)
    let stored = realm.freeze().objects(Item.self)
    #expect(
      stored.count == 1000 && stored.allSatisfy { $0.number == $0.id && $0.text == "\($0.id)" })
  }

  @Test func `a primary key that exists stops the process, also where the row waits`() async throws
  {
    let found = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Realm(configuration: WriteLoopTests.configuration())
      try realm.write {
        for id in 0..<100 {
          let item = realm.create(Item.self, value: ["id": id == 50 ? 7 : id])
          item.number = id
        }
      }
    }
    let message = String(decoding: found?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("'Item' with an existing primary key value '7'"), "\(message)")
  }

  @Test func `a row that waits is seen by every use of the transaction`() throws {
    let uses: [(name: String, isSeen: (Realm, Item) throws -> Bool)] = [
      ("query", { realm, _ in realm.objects(Item.self).where { $0.text == "set" }.count == 1 }),
      ("count", { realm, _ in realm.objects(Item.self).count == 31 }),
      (
        "primary key",
        { realm, _ in realm.object(ofType: Item.self, forPrimaryKey: 30)?.text == "set" }
      ),
      ("last", { realm, _ in realm.objects(Item.self).last?.text == "set" }),
      (
        "link",
        { realm, item in
          realm.object(ofType: Item.self, forPrimaryKey: 0)?.next = item
          return realm.object(ofType: Item.self, forPrimaryKey: 0)?.next?.text == "set"
        }
      ),
      (
        "delete",
        { realm, item in
          realm.delete(item)
          return item.isInvalidated && realm.objects(Item.self).count == 30
        }
      ),
      (
        "update of its key's object",
        { realm, _ in
          realm.create(Item.self, value: ["id": 30, "number": 9], update: .modified)
          return realm.object(ofType: Item.self, forPrimaryKey: 30)?.text == "set"
        }
      ),
      ("copy", { realm, item in Item(value: item).text == "set" }),
    ]
    for use in uses {
      let realm = try Realm(configuration: Self.configuration())
      realm.beginWrite()
      for id in 0..<30 { realm.create(Item.self, value: ["id": id]) }
      let item = realm.create(Item.self, value: ["id": 30])
      item.text = "set"
      #expect(try use.isSeen(realm, item), "\(use.name)")
      try realm.commitWrite()
      #expect(realm.objects(Item.self).count == (use.name == "delete" ? 30 : 31), "\(use.name)")
    }
  }

  @Test func `updates of existing objects are written together`() throws {
    let realm = try Realm(configuration: Self.configuration())
    let first = try statements(in: realm) {
      for id in 0..<1000 { realm.create(Item.self, value: ["id": id]) }
    }
    let second = try statements(in: realm) {
      for id in 0..<1000 {
        realm.create(Item.self, value: ["id": id, "number": id, "rank": 7], update: .modified)
      }
    }
    // Each object is found by its key.
    #expect(second < 1000 + 200 && first < 1100)
    let stored = realm.freeze().objects(Item.self)
    #expect(stored.count == 1000 && stored.allSatisfy { $0.number == $0.id && $0.rank == 7 })
  }

  @Test func `a deleted object stops the process, also where its change could wait`() async throws {
    let found = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Realm(configuration: WriteLoopTests.configuration())
      realm.beginWrite()
      for id in 0..<10 { realm.create(Item.self, value: ["id": id]) }
      let items = Array(realm.objects(Item.self))
      for item in items.prefix(5) { item.number = 1 }
      realm.delete(items[7])
      for item in items { item.number = 2 }
    }
    let message = String(decoding: found?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Object has been deleted or invalidated"), "\(message)")
  }

  @Test func `an object that another Realm deleted stops the process`() async throws {
    let found = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let name = UUID().uuidString
      let realm = try Realm(configuration: WriteLoopTests.configuration(name))
      try realm.write {
        for id in 0..<10 { realm.create(Item.self, value: ["id": id]) }
      }
      let items = Array(realm.objects(Item.self))
      try await Task.detached {
        let other = try Realm(configuration: WriteLoopTests.configuration(name), isolation: nil)
        try other.write { other.delete(other.objects(Item.self).where { $0.id == 7 }) }
      }.value
      realm.beginWrite()
      for item in items { item.number = 2 }
    }
    let message = String(decoding: found?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Object has been deleted or invalidated"), "\(message)")
  }

  @Test func `a full disk fails the transaction at the commit`() throws {
    let realm = try Realm(configuration: Self.configuration())
    try realm.write {
      for id in 0..<2000 { realm.create(Item.self, value: ["id": id]) }
    }
    realm.beginWrite()
    let connection = try #require(realm.core.transaction).flush(.rows).connection
    let pages = try #require(try connection.integer("PRAGMA page_count"))
    try connection.run("PRAGMA max_page_count = \(pages)")
    let text = String(repeating: "long ", count: 100)
    for item in realm.objects(Item.self) { item.text = text }
    #expect(throws: Realm.Error.self) { try realm.commitWrite() }
    #expect(realm.objects(Item.self).where { $0.text == "" }.count == 2000)
    try connection.run("PRAGMA max_page_count = 1000000")
    try realm.write { realm.objects(Item.self).first?.text = "short" }
    #expect(realm.objects(Item.self).where { $0.text == "short" }.count == 1)
  }
}
