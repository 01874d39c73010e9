import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The entries of ordered indexes contain the integer primary key of their class.
@Suite struct IndexEntriesTests {
  /// The ranges of all entries.
  private static let everything = ValueRange.everything.map { EntryRange($0) }

  private static func event(_ key: PropertyType?, isOptional: Bool = false) -> Schema {
    let id =
      key.map { Property(name: "id", type: $0, isOptional: isOptional, isPrimaryKey: true) }
      ?? Property(name: "id", type: .int)
    return Schema([
      ObjectSchema(
        className: "Detail",
        properties: [Property(name: "kind", type: .string, isIndexed: true)], isEmbedded: true),
      ObjectSchema(
        className: "Event",
        properties: [
          Property(name: "level", type: .int, isOptional: true, isIndexed: true), id,
          Property(name: "at", type: .date, isOptional: true, isIndexed: true),
          Property(name: "share", type: .double, isIndexed: true),
          Property(name: "text", type: .string),
          Property(name: "detail", type: .object, isOptional: true, objectClassName: "Detail"),
          Property(name: "next", type: .object, isOptional: true, objectClassName: "Event"),
        ], compoundIndexes: [["level", "at"], ["at", "id"]]),
    ])
  }

  private func definitions(_ file: StoreFile) throws -> [String: String] {
    let rows = try file.snapshot().connection.statement(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Event'")
    var definitions: [String: String] = [:]
    while try rows.step() {
      definitions[rows.text(0)] = rows.text(1).components(separatedBy: " ON \"Event\"").last
    }
    return definitions
  }

  @Test(
    arguments: [(.int, false), (.int, true), (.string, false), (nil, false)]
      as [(PropertyType?, Bool)])
  func `an index has the primary key only where it is an integer`(
    key: PropertyType?, isOptional: Bool
  ) throws {
    let file = try TestStore.temporary(Self.event(key, isOptional: isOptional))
    let tail = key == .int ? ", \"#key\", \"id\")" : ")"
    var expected = [
      "index_Event.level": "(\"level\"\(tail)", "index_Event.at": "(\"at\"\(tail)",
      "index_Event.share": "(\"share\"\(tail)",
      "index_Event.detail.kind": "(\"detail.kind\"\(tail)",
      "index_Event.level.at": "(\"level\", \"at\"\(tail)",
      "index_Event.at.id": "(\"at\", \"id\")",
      "index_Event.next": "(\"next\")",
    ]
    if key != nil { expected["index_Event.id"] = "(\"id\")" }
    #expect(try definitions(file) == expected)
    let layout = try file.snapshot().layout("Event")
    for index in layout.valueIndexes {
      let hasID = key == .int && !index.isLink
      #expect(index.integerKeyColumn(in: layout) == (hasID ? layout.integerKeyColumn : nil))
      #expect(index.contents(in: layout).first == index.column)
    }
  }

  private static func row(_ number: Int, _ random: inout SeededGenerator) -> PlainObject {
    let shares = [0, -0.0, 1.5, -2.5, .nan, .infinity]
    var object: PlainObject = [
      "id": .int(Int64(number)), "share": .double(random.pick(shares)), "text": .text("\(number)"),
    ]
    if !random.oneIn(4) { object["level"] = .int(Int64(random.below(12))) }
    if !random.oneIn(4) {
      let timestamp =
        random.oneIn(2)
        ? Timestamp(seconds: Int64(random.below(9)))
        : Timestamp(seconds: Int64(random.below(9)) * 100_000_000_000, nanoseconds: 5)
      object["at"] = .value(.date(timestamp))
    }
    if random.oneIn(2) { object["detail"] = .embedded(["kind": .text("k\(random.below(5))")]) }
    return object
  }

  @Test(arguments: Seeds.usual(1...3))
  func `entries have the values of their rows after any changes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(Self.event(.int))
    var ids: [Int64: Int64] = [:]
    var next = 0
    for _ in 0..<6 {
      let transaction = try file.beginWrite()
      for _ in 0..<60 {
        let key = try transaction.insert("Event", object: Self.row(next, &random))
        ids[key.rawValue] = Int64(next)
        next += 1
      }
      for _ in 0..<20 {
        let key = random.pick(ids.keys.sorted())
        switch random.below(3) {
        case 0:
          try transaction.delete("Event", ObjectKey(key))
          ids[key] = nil
        case 1:
          // Another primary key.
          try transaction.update("Event", key, members: ["id": .int(Int64(next))])
          ids[key] = Int64(next)
          next += 1
        default:
          var members = Self.row(0, &random)
          members["id"] = nil
          members["detail"] = nil
          try transaction.update("Event", key, members: members)
        }
      }
      try check(transaction.flush(.indexes), ids, "seed \(seed)")
      try transaction.commit()
    }
    let snapshot = try file.snapshot()
    try check(snapshot, ids, "seed \(seed)")
    #expect(try StoreCheck(snapshot).problems() == [])
  }

  private func check(
    _ reader: any StoreReader, _ ids: [Int64: Int64], _ comment: Comment
  ) throws {
    let layout = try reader.layout("Event")
    let id = try #require(layout.integerKeyColumn)
    for index in layout.valueIndexes where !index.isLink {
      for range in Self.everything {
        let columns = index.contents(in: layout)
        let references = columns.map {
          ColumnReference(hops: [], column: $0, type: layout.columns[$0].type)
        }
        var rows = ColumnBatch(references)
        let search = ValueIndexSearch(index, layout, reader, columns: columns)
        let isComplete = try search.append(range, to: &rows)
        #expect(isComplete, comment)
        let keys = try ValueIndexSearch(index, layout, reader).keys(range)
        #expect(rows.addedKeys == keys, comment)
        for (row, key) in keys.enumerated() {
          let stored = try #require(try reader.row(layout, ObjectKey(key)))
          for (place, column) in columns.enumerated() {
            #expect(rows.columns[place].value(row).isSame(as: stored[column]), comment)
          }
          #expect(stored[id] == .int(ids[key] ?? -1), comment)
        }
        for isAscending in [true, false] {
          let traversal = ValueIndexTraversal(
            index, layout, ranges: [range], isAscending: isAscending, reader, integer: id)
          let entries = try traversal.next(.max)
          #expect(Set(entries.map(\.key)) == Set(keys), comment)
          #expect(entries.allSatisfy { $0.integer == ids[$0.key] }, comment)
        }
        try checkIDs(index, range, keys.map { ids[$0] }, keys, reader, comment)
        if !keys.isEmpty {
          var few = ColumnBatch(references)
          #expect(try !search.append(range, limit: keys.count - 1, to: &few), comment)
        }
      }
    }
  }

  /// Compares the primary keys that a search reads alone, with and without a limit.
  private func checkIDs(
    _ index: TableLayout.ValueIndex, _ range: EntryRange, _ ids: [Int64?], _ keys: [Int64],
    _ reader: any StoreReader, _ comment: Comment
  ) throws {
    let layout = try reader.layout("Event")
    let id = try #require(layout.integerKeyColumn)
    let search = ValueIndexSearch(index, layout, reader, columns: [id])
    for limit in [0, keys.count / 2, keys.count, .max] {
      // The rows before stay.
      var rows = ColumnBatch([ColumnReference(hops: [], column: id, type: .int)])
      rows.append(-1, [.int(-7)])
      let isComplete = try search.append(range, limit: limit == .max ? .max : limit + 1, to: &rows)
      #expect(isComplete == (limit >= keys.count), comment)
      #expect(rows.addedKeys == [-1] + keys.prefix(limit), comment)
      #expect(rows.allRows.count == rows.addedKeys.count, comment)
      let found = rows.allRows.map { rows.columns[0].value($0) }
      #expect(found == [.int(-7)] + ids.prefix(limit).map { .int($0 ?? -1) }, comment)
    }
  }

  @Test func `a search for primary keys reads only the index`() throws {
    let snapshot = try TestStore.temporary(Self.event(.int)).snapshot()
    let layout = try snapshot.layout("Event")
    let id = try #require(layout.integerKeyColumn)
    let text = try #require(layout.columns.firstIndex { $0.name == "text" })
    for index in layout.valueIndexes where !index.isLink {
      for range in Self.everything {
        func plan(_ columns: [Int]) throws -> String? {
          let sql = index.sql.reading(columns.map { layout.columns[$0] })
          let rows = try snapshot.connection.statement(
            "EXPLAIN QUERY PLAN " + sql.keys(in: range.values).text)
          defer { rows.reset() }
          return try rows.step() ? rows.text(3) : nil
        }
        let name = "COVERING INDEX \(index.name)"
        #expect(try plan([id])?.contains(name) == true)
        #expect(try plan([id, index.column])?.contains(name) == true)
        #expect(try plan([text])?.contains("COVERING") == false)
      }
      for isAscending in [true, false] {
        let sql = index.sql.reading([layout.columns[id]])
        let text = sql.entries(in: ValueRange(), isAscending: isAscending).text
        let rows = try snapshot.connection.statement("EXPLAIN QUERY PLAN " + text)
        var steps: [String] = []
        while try rows.step() { steps.append(rows.text(3)) }
        // Entries are in order of value and key, so that nothing is sorted.
        #expect(steps.count == 1 && steps[0].contains("COVERING INDEX \(index.name)"), "\(steps)")
      }
    }
  }
}
