import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Insertions of several rows with one statement, beside the insertion of each.
@Suite struct JointInsertionTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Point",
      properties: [
        Property(name: "type", type: .string),
        Property(name: "coordinates", type: .double, collection: .list),
      ], isEmbedded: true),
    ObjectSchema(
      className: "Item",
      properties: [
        Property(name: "id", type: .int, isOptional: true, isPrimaryKey: true),
        Property(name: "name", type: .string, isOptional: true, isIndexed: true),
        Property(name: "text", type: .string, isOptional: true, isFullTextIndexed: true),
        Property(name: "number", type: .double),
        Property(name: "bytes", type: .data, isOptional: true),
        Property(name: "note", type: .any),
        Property(name: "shape", type: .geometry, isOptional: true),
        Property(name: "place", type: .object, isOptional: true, objectClassName: "Point"),
      ]),
  ])

  private static let texts = [
    "", "a", "ä €", "quick brown fox", String(repeating: "long ", count: 90),
  ]

  /// A row of the class with a primary key.
  private func row(
    _ key: Int64?, _ layout: TableLayout, _ random: inout SeededGenerator
  ) -> [Value] {
    var values: [Value] = layout.columns.map { column in
      switch column.type {
      case .string: random.oneIn(5) ? .null : .string(random.pick(Self.texts))
      case .double: .double(random.pick([-0.0, 1.5, .nan, random.number(-90...90)]))
      case .data: random.oneIn(3) ? .null : .data(Data(count: random.below(40)))
      case .any: random.pick([.null, .bool(true), .int(7), .string("7"), .double(7)])
      case .geometry where random.oneIn(2):
        GeoPoint(latitude: 1, longitude: Double(random.below(90)))
          .map { .geometry(Geometry($0)) } ?? .null
      default: .null
      }
    }
    values[layout.column("id")] = key.map(Value.int) ?? .null
    for case .embedded(let embedded) in layout.fields {
      guard let point = embedded.point else { continue }
      let isPresent = random.oneIn(2)
      values[embedded.presence] = isPresent ? .int(1) : .null
      values[point.longitude] = isPresent ? .double(random.number(-180...180)) : .null
      values[point.latitude] = isPresent ? .double(random.number(-90...90)) : .null
      (values[point.altitude], values[point.odd]) = (.null, .null)
    }
    return values
  }

  private func layout(_ file: StoreFile) throws -> TableLayout {
    try #require(try file.snapshot().catalogue.layout("Item"))
  }

  /// Inserts all rows whose primary key is new, and returns the indexes of the others.
  private func duplicates(_ rows: [[Value]], _ transaction: WriteTransaction) throws -> [Int] {
    var (next, duplicates): (Int, [Int]) = (0, [])
    while next < rows.count {
      do throws(StoreError) {
        next += try transaction.insert("Item", rows[next...]).count
      } catch {
        guard case .duplicateKey = error.reason else { throw error }
        duplicates.append(next)
        next += 1
      }
    }
    return duplicates
  }

  private func content(_ reader: any StoreReader, _ layout: TableLayout) throws -> [[Value]] {
    var rows: [[Value]] = []
    let count = try reader.rowCount("Item")
    for key in 1...Int64(count) {
      rows.append(try #require(try reader.row(layout, ObjectKey(key))))
    }
    return rows
  }

  @Test(arguments: Seeds.usual(1...12))
  func `rows that are inserted together are those that are inserted one by one`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let (joint, single) = (
      try TestStore.temporary(Self.schema), try TestStore.temporary(Self.schema)
    )
    let layout = try layout(joint)
    let count = 1 + random.below(500)
    let range = random.pick([count * 50, count * 2])
    let allowsNull = random.oneIn(3)
    let rows = (0..<count).map { _ in
      row(allowsNull && random.oneIn(60) ? nil : Int64(random.below(range)), layout, &random)
    }

    let (first, second) = (try joint.beginWrite(), try single.beginWrite())
    let found = try duplicates(rows, first)
    var expected: [Int] = []
    for (index, row) in rows.enumerated() {
      do throws(StoreError) {
        _ = try second.insert("Item", row)
      } catch {
        guard case .duplicateKey = error.reason else { throw error }
        expected.append(index)
      }
    }
    #expect(found == expected)
    #expect(first.changes.classes["Item"]?.inserted == second.changes.classes["Item"]?.inserted)
    try first.commit()
    try second.commit()
    let (left, right) = (try joint.snapshot(), try single.snapshot())
    #expect(try content(left, layout) == content(right, layout))
    #expect(try StoreCheck(left).problems() == [])
  }

  @Test func `large values are stored one by one, and rows after them too`() throws {
    let file = try TestStore.temporary(Self.schema)
    let layout = try layout(file)
    var random = SeededGenerator(seed: 3)
    var rows = (1...200).map { row($0, layout, &random) }
    rows[70][layout.column("name")] = .string(String(repeating: "ä", count: 300_000))
    rows[71][layout.column("bytes")] = .data(Data(repeating: 7, count: 300_000))

    let transaction = try file.beginWrite()
    #expect(try transaction.insert("Item", rows[...]).count == 200)
    try transaction.commit()
    let snapshot = try file.snapshot()
    #expect(try content(snapshot, layout) == rows)
    #expect(try StoreCheck(snapshot).problems() == [])
  }

  @Test func `several rows take one statement`() throws {
    let file = try TestStore.temporary(Self.schema)
    let layout = try layout(file)
    var random = SeededGenerator(seed: 3)
    let rows = (1...640).map { (key: Int64) in
      var row = row(key, layout, &random)
      // The full-text index has statements of its own for each row.
      row[layout.column("text")] = .null
      return row
    }
    let transaction = try file.beginWrite()
    _ = try transaction.insert("Item", row(0, layout, &random))
    let connection = try transaction.connection
    let before = connection.statementsRun
    #expect(try transaction.insert("Item", rows[...]).count == 640)
    #expect(connection.statementsRun - before < 640 / 10)
    transaction.rollback()
  }

  @Test func `a row with an existing key is refused and changes nothing`() throws {
    let file = try TestStore.temporary(Self.schema)
    let layout = try layout(file)
    var random = SeededGenerator(seed: 3)
    let rows = [1, 2, 3].map { row($0, layout, &random) }
    let transaction = try file.beginWrite()
    #expect(try transaction.insert("Item", rows[...]).count == 3)
    #expect(try transaction.insert("Item", [row(4, layout, &random)] + rows[..<1]).count == 1)
    let error = #expect(throws: StoreError.self) {
      _ = try transaction.insert("Item", rows[1...])
    }
    #expect(error?.reason == .duplicateKey(className: "Item", property: "id"))
    #expect(try transaction.rowCount("Item") == 4)
    try transaction.commit()
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }
}

extension TableLayout {
  /// The column with a name, which must exist.
  fileprivate func column(_ name: String) -> Int {
    columns.firstIndex { $0.name == name } ?? -1
  }
}
