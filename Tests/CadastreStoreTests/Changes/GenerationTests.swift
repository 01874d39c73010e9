import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// The generation of a reader that moves and writes.
@Suite struct GenerationTests {
  private func changes(
    inserted: Range<Int64> = 0..<0, deleted: Set<Int64> = [], modified: [Int64: ColumnSet] = [:]
  ) -> ChangeRange {
    var changed = ClassChanges(inserted: inserted)
    for key in deleted { changed.deleted.insert(key) }
    for (key, columns) in modified { changed.modified.insert(columns, of: key) }
    var changes = ChangeSet(from: 1, to: 2)
    changes.classes["Boat"] = changed
    return ChangeRange(changes)
  }

  @Test func `commits of others change what they name`() {
    let generation = Generation()
    let start = generation.current
    generation.apply(changes(modified: [7: [2]]))
    #expect(generation.current > start)
    #expect(!generation.hasSameValues("Boat", [1, 2], since: start))
    #expect(generation.hasSameValues("Boat", [1, 3], since: start))
    #expect(generation.hasSameValues("Boat", [1, 2], since: generation.current))
    #expect(generation.hasSameRows("Boat", since: start))
    #expect(generation.hasSameValues("Harbor", [2], since: start))
    generation.apply(changes(inserted: 9..<10))
    #expect(!generation.hasSameRows("Boat", since: start))
    let inserted = generation.current
    generation.apply(changes(deleted: [8]))
    #expect(!generation.hasSameRows("Boat", since: inserted))
    #expect(!generation.containsStill("Boat", 8, since: inserted))
    #expect(generation.containsStill("Boat", 7, since: inserted))
    #expect(generation.containsStill("Boat", 8, since: generation.current))
    generation.beginTransaction()
    generation.rollBackTransaction()
    #expect(generation.containsStill("Boat", 7, since: inserted))
    #expect(!generation.containsStill("Boat", 8, since: inserted))
    #expect(!generation.hasSameRows("Boat", since: inserted))
    generation.restart()
    #expect(!generation.containsStill("Boat", 7, since: inserted))
    #expect(!generation.hasSameRows("Harbor", since: inserted))
    #expect(generation.hasSameRows("Boat", since: generation.current))
  }

  @Test func `a change of classes is a change of everything`() {
    let generation = Generation()
    let start = generation.current
    var changes = ChangeSet(from: 1, to: 2)
    changes.changesSchema = true
    generation.apply(ChangeRange(changes))
    #expect(!generation.hasSameValues("Boat", [0], since: start))
  }

  @Test func `deleted rows are missing, however many there are`() {
    let generation = Generation()
    let start = generation.current
    let count = Int64(ClassGeneration.maximumDeletedRows + 10)
    generation.apply(changes(deleted: Set(1...count)))
    for key in [1, 2, count / 2, count] {
      #expect(!generation.containsStill("Boat", key, since: start))
    }
    #expect(generation.containsStill("Boat", 1, since: generation.current))
  }

  @Test func `a row has changed after each write to it, and others have not`() {
    let generation = Generation()
    let boat = generation.changes(of: "Boat")
    let start = generation.current
    boat.noteChange(of: 1, 7)
    #expect(!generation.isUnchanged("Boat", 7, since: start))
    #expect(generation.isUnchanged("Boat", 8, since: start))
    #expect(generation.isUnchanged("Harbor", 7, since: start))
    #expect(generation.isUnchanged("Boat", 7, since: generation.current))
    boat.noteDeletion(of: 8)
    boat.noteInsertion()
    #expect(!generation.isUnchanged("Boat", 8, since: start))
    generation.apply(changes(modified: [9: [1]]))
    #expect(!generation.isUnchanged("Boat", 9, since: start))
    #expect(generation.isUnchanged("Boat", 10, since: start))
    #expect(generation.changes(of: "Boat") === boat)
    // A row counts as changed with another one whose key differs by the number of entries.
    #expect(!generation.isUnchanged("Boat", 9 + Int64(ClassGeneration.rowCount), since: start))
    generation.restart()
    #expect(!generation.isUnchanged("Boat", 10, since: start))
  }

  @Test func `the generations of a rolled-back transaction are remembered, however many there are`()
  {
    let generation = Generation()
    let boat = generation.changes(of: "Boat")
    var rolledBack: [UInt64] = []
    var kept: [UInt64] = []
    for number in 0..<100 {
      kept.append(generation.current)
      generation.beginTransaction()
      #expect(generation.transactionIsUnchanged)
      boat.noteChange(of: 0, 1)
      #expect(!generation.transactionIsUnchanged)
      if number % 2 == 0 {
        rolledBack.append(generation.current)
        generation.rollBackTransaction()
      } else {
        kept.append(generation.current)
      }
    }
    let allAreKnown = rolledBack.allSatisfy(generation.isRolledBack)
    #expect(allAreKnown)
    // Old ranges are joined, so that numbers between them count as rolled back; recent ones do not.
    let recent = kept.suffix(20).filter(generation.isRolledBack)
    #expect(recent.isEmpty)
    #expect(!generation.isRolledBack(1))
  }

  @Test func `a transaction without changes leaves no rolled-back generation`() {
    let generation = Generation()
    let start = generation.current
    generation.beginTransaction()
    generation.rollBackTransaction()
    #expect(!generation.isRolledBack(start) && !generation.isRolledBack(generation.current))
  }
}

/// Generations compared with the contents of the tables: what counts as unchanged is unchanged, after every kind of
/// write, in the transaction and afterwards.
@Suite struct RecordedChangesTests {
  /// Two classes with links and collections in both directions, and embedded objects with rows of their own.
  private static let schema = Schema([
    ObjectSchema(
      className: "Part",
      properties: [
        Property(name: "text", type: .string),
        Property(name: "child", type: .object, isOptional: true, objectClassName: "Part"),
      ], isEmbedded: true),
    ObjectSchema(
      className: "Target",
      properties: [
        Property(name: "label", type: .string, isPrimaryKey: true),
        Property(name: "back", type: .object, isOptional: true, objectClassName: "Owner"),
      ]),
    ObjectSchema(
      className: "Owner",
      properties: [
        Property(name: "number", type: .int),
        Property(name: "note", type: .string, isIndexed: true),
        Property(name: "link", type: .object, isOptional: true, objectClassName: "Target"),
        Property(name: "any", type: .any),
        Property(name: "targets", type: .object, collection: .list, objectClassName: "Target"),
        Property(name: "words", type: .string, collection: .set),
        Property(name: "parts", type: .object, collection: .list, objectClassName: "Part"),
      ]),
  ])

  /// The contents of the store.
  private struct Contents: Equatable {
    /// The rows by class and key.
    var rows: [String: [Int64: [Value]]] = [:]
    /// The elements of the collections, by class, the column with their number, and the key of the owner.
    var elements: [String: [Int: [Int64: String]]] = [:]

    init(_ reader: any StoreReader) throws {
      for layout in reader.catalogue.tables {
        let name = layout.schema.className
        rows[name] = try reader.rows(layout, from: ObjectKey(0), limit: 10_000)
        for collection in layout.collections {
          let statement = try reader.connection.statement(
            "SELECT owner, group_concat(quote(value), ' ') FROM \"\(collection.tableName)\" GROUP BY owner"
          )
          defer { statement.reset() }
          while try statement.step() {
            elements[name, default: [:]][collection.countColumn, default: [:]][
              statement.integer(0)] = statement.text(1)
          }
        }
      }
    }
  }

  /// The contents that a reader saw in a generation.
  private struct Seen {
    let generation: UInt64
    let contents: Contents
  }

  /// Checks everything that counts as unchanged since some contents were seen.
  private func check(
    _ seen: Seen, _ now: Contents, _ generation: Generation, _ comment: Comment
  ) {
    for (name, rows) in now.rows {
      let old = seen.contents.rows[name] ?? [:]
      if generation.hasSameRows(name, since: seen.generation) {
        #expect(Set(old.keys) == Set(rows.keys), comment)
      }
      for column in rows.first?.value.indices ?? 0..<0
      where generation.hasSameValues(name, [column], since: seen.generation) {
        for (key, row) in rows {
          guard let before = old[key] else { continue }
          #expect(before[column] == row[column], comment)
          #expect(
            seen.contents.elements[name]?[column]?[key] == now.elements[name]?[column]?[key],
            comment)
        }
      }
      for (key, row) in old {
        if generation.containsStill(name, key, since: seen.generation) {
          // A rolled-back transaction may have inserted it.
          #expect(rows[key] != nil || generation.isRolledBack(seen.generation), comment)
        } else if seen.generation >= max(generation.recordStart, generation.start) {
          #expect(rows[key] == nil, comment)
        }
        if generation.isUnchanged(name, key, since: seen.generation) {
          #expect(rows[key] == row, comment)
        }
      }
    }
  }

  @Test(arguments: [0, 1, 7, 1024], Seeds.usual(1...6))
  func `what counts as unchanged is unchanged`(capacity: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(Self.schema)
    file.bufferCapacity.withLock { $0 = capacity }
    let generation = Generation()
    var seen: [Seen] = []
    for round in 0..<6 {
      let transaction = try file.beginWrite()
      generation.beginTransaction()
      transaction.record(in: generation)
      for step in 0..<25 {
        let before = generation.current
        let operation = try write(&random, transaction)
        let written = generation.current
        let flushed = try transaction.flush(.everything)
        #expect(generation.current == written, "a flush changes nothing: \(operation)")
        let now = try Contents(flushed)
        for old in seen {
          check(
            old, now, generation,
            "\(operation), seed \(seed), round \(round), step \(step), since \(old.generation)")
        }
        if let last = seen.last, last.generation == before, last.contents != now {
          #expect(written > before, "\(operation), seed \(seed), round \(round), step \(step)")
        }
        seen.append(Seen(generation: generation.current, contents: now))
        if seen.count > 30 { seen.remove(at: random.below(seen.count - 1)) }
      }
      if random.below(3) == 0 {
        transaction.rollback()
        generation.rollBackTransaction()
      } else {
        try transaction.commit()
      }
      let now = try Contents(try file.snapshot())
      for old in seen { check(old, now, generation, "seed \(seed), round \(round), end") }
      seen.append(Seen(generation: generation.current, contents: now))
    }
  }

  /// Makes a random write; returns what it is.
  private func write(
    _ random: inout SeededGenerator, _ transaction: WriteTransaction
  ) throws -> String {
    let owners = try transaction.layout("Owner")
    let targets = try transaction.layout("Target")
    let parts = try transaction.layout("Part")
    func keys(_ layout: TableLayout) throws -> [ObjectKey] {
      try transaction.keys(layout, after: ObjectKey(0), limit: 1000)
    }
    func column(_ name: String) throws -> Int {
      try #require(owners.columns.firstIndex { $0.name == name })
    }
    func newTarget() throws -> ObjectKey {
      let label = Value.string("\(random.next())")
      return try transaction.insert("Target", buffering: [label, .null], isUnique: true)
    }
    func newOwner() throws -> ObjectKey {
      var row = [Value](repeating: .null, count: owners.columns.count)
      row[try column("number")] = .int(1)
      row[try column("note")] = .string("a")
      for collection in owners.collections { row[collection.countColumn] = .int(0) }
      return try transaction.insert("Owner", buffering: row, isUnique: true)
    }
    let owner = try keys(owners).randomElement(using: &random) ?? newOwner()
    let target = try keys(targets).randomElement(using: &random) ?? newTarget()
    let list = try #require(owners.collections.first { $0.target == "Target" })
    let owned = try #require(owners.collections.first { $0.target == "Part" })
    let words = try #require(owners.collections.first { $0.kind == .set })
    switch random.below(16) {
    case 0, 1:
      _ = try newOwner()
      return "insert an owner"
    case 2:
      _ = try newTarget()
      return "insert a target"
    case 3, 4:
      let value = Value.int(Int64(random.below(100)))
      _ = try transaction.update("Owner", owner, try column("number"), value, exists: true)
      return "change a number of \(owner)"
    case 5:
      _ = try transaction.update(
        "Owner", owner,
        [(try column("note"), .string("\(random.below(9))")), (try column("link"), .link(target))],
        exists: random.below(2) == 0)
      return "change two columns of \(owner)"
    case 6:
      let link = Value.object(ObjectAddress(className: "Target", key: target))
      _ = try transaction.update("Owner", owner, [(try column("any"), link)])
      return "set a link in a value of any type"
    case 7:
      _ = try transaction.update("Target", target, 1, .link(owner), exists: true)
      return "link back"
    case 8:
      try transaction.append([.link(target)], to: list, of: owner)
      return "append to a list"
    case 9:
      _ = try transaction.insert(.string("\(random.below(5))"), into: words, of: owner)
      return "insert into a set"
    case 10:
      let keys = try transaction.insert(
        "Part", [[.string("p"), .null], [.string("q"), .null]][...])
      _ = try transaction.update(
        "Part", ObjectKey(keys.lowerBound),
        [(1, .link(ObjectKey(keys.lowerBound + 1)))])
      try transaction.append([.link(ObjectKey(keys.lowerBound))], to: owned, of: owner)
      _ = parts
      return "append an embedded object"
    case 11:
      try transaction.removeAll(from: random.below(2) == 0 ? owned : list, of: owner)
      return "remove all elements"
    case 12:
      try transaction.delete("Target", target)
      return "delete a target"
    case 13:
      try transaction.delete("Owner", owner)
      return "delete an owner"
    case 14:
      let some = try keys(owners).filter { _ in random.below(2) == 0 }.map(\.rawValue)
      if random.below(2) == 0 {
        try transaction.delete("Owner", some)
      } else {
        try transaction.update("Owner", some, [(try column("number"), .int(-1))])
      }
      return "change or delete several owners"
    default:
      guard random.below(5) == 0 else {
        _ = try transaction.update("Part", ObjectKey(1), 0, .string("r"), exists: false)
        return "change an embedded object"
      }
      try transaction.deleteAll()
      return "delete all objects"
    }
  }
}
