import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Keys, counts and positions from a damaged file are checked before they index anything.
@Suite struct DamagedNumbersTests {
  private let folder: TestFolder
  private let path: String

  private static let schema = Schema([
    ObjectSchema(
      className: "Thing",
      properties: [
        Property(name: "number", type: .int),
        Property(name: "text", type: .string),
        Property(name: "list", type: .int, collection: .list),
        Property(name: "set", type: .int, collection: .set),
      ])
  ])

  init() throws {
    folder = try TestFolder()
    path = folder.file("damaged.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Self.schema)
    let transaction = try file.beginWrite()
    for number in 0..<400 {
      let object: PlainObject = [
        "number": .int(Int64(number)), "text": .text("text \(number)"),
        "list": .list((0..<20).map { .int($0) }), "set": .list([.int(1), .int(2)]),
      ]
      try transaction.insert("Thing", object: object)
    }
    try transaction.commit()
  }

  /// Changes the file without the store.
  private func change(_ sql: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run(sql)
  }

  private func open() throws -> (snapshot: Snapshot, layout: TableLayout) {
    let snapshot = try OpenStores.store(at: path).snapshot()
    return (snapshot, try snapshot.layout("Thing"))
  }

  private func expectCorrupt(_ read: () throws -> Void) {
    do {
      try read()
      Issue.record("damage was not detected")
    } catch let error as StoreError {
      if case .corrupt = error.reason { return }
      Issue.record(error)
    } catch {
      Issue.record(error)
    }
  }

  private func references(_ layout: TableLayout) -> [ColumnReference] {
    layout.columns.indices.map {
      ColumnReference(hops: [], column: $0, type: layout.columns[$0].type)
    }
  }

  private func scan() throws {
    let (snapshot, layout) = try open()
    let reader = BatchReader(layout, references(layout), snapshot)
    var batch = reader.makeBatch()
    while try reader.readNext(into: &batch) {}
  }

  // MARK: Keys

  // The key became an index outside of a column: wrong counts, or the process died.
  @Test func `a key that is lower than the one before is detected`() throws {
    try TablePages(of: "Thing", in: path).replaceKey(400, with: 5)
    expectCorrupt(scan)
  }

  @Test func `a duplicate key is detected`() throws {
    try TablePages(of: "Thing", in: path).replaceKey(400, with: 399)
    expectCorrupt(scan)
  }

  @Test func `a key outside of the range of a scan is detected`() throws {
    let connection = try open().snapshot.connection
    // SQLite compares each row of a range scan with one end of the range only.
    for keys in [[9], [10, 21], [10, 12, 11], [10, 10], [.max]] as [[Int64]] {
      var order = AscendingKeys(of: "Thing", in: 10...20, connection)
      #expect(throws: StoreError.self) { for key in keys { try order.accept(key) } }
    }
    var all = AscendingKeys(of: "Thing", connection)
    for key in [.min, -1, 0, .max] as [Int64] { try all.accept(key) }
    #expect(throws: StoreError.self) { try all.accept(.max) }
  }

  @Test func `a first key above the last one is detected`() throws {
    for key in 1...399 { try change("DELETE FROM Thing WHERE \"#key\" = \(key)") }
    try change("INSERT INTO Thing(\"#key\") VALUES (401)")
    try TablePages(of: "Thing", in: path).replaceKey(401, with: 200)
    expectCorrupt {
      let (snapshot, layout) = try open()
      _ = try SegmentReader(layout, snapshot.connection).keys()
    }
  }

  @Test func `streamed rows with keys out of order are detected`() throws {
    try TablePages(of: "Thing", in: path).replaceKey(400, with: 5)
    expectCorrupt {
      let file = try OpenStores.store(at: path)
      file.columns.budget = 0
      let (snapshot, layout) = try open()
      let reader = BatchReader(layout, references(layout), snapshot)
      var batch = reader.makeBatch()
      while try reader.readNext(into: &batch) {}
    }
  }

  @Test func `listed keys out of order are detected`() throws {
    try TablePages(of: "Thing", in: path).replaceKey(400, with: 5)
    expectCorrupt {
      let (snapshot, layout) = try open()
      _ = try snapshot.keys(layout, after: ObjectKey(0), limit: .max)
    }
  }

  @Test func `versions with keys out of order are not compared`() throws {
    let old = try open().snapshot
    try TablePages(of: "Thing", in: path).replaceKey(400, with: 5)
    let other = try StoreFile(path: path).snapshot()
    expectCorrupt { _ = try SnapshotDifference(from: other, to: old).changes() }
    expectCorrupt { _ = try SnapshotDifference(from: old, to: other).changes() }
  }

  // MARK: Counts

  @Test(arguments: ["9223372036854775807", "1e300", "-1", "1000000000000", "'x'", "x'00'"])
  func `a number of rows that the file cannot contain is detected`(_ count: String) throws {
    try change("UPDATE cadastre_class SET row_count = \(count)")
    expectCorrupt { _ = try open().snapshot.rowCount("Thing") }

    #expect(try StoreRepair.run(OpenStores.store(at: path)).left == [])
    #expect(try open().snapshot.rowCount("Thing") == 400)
  }

  @Test(arguments: ["9223372036854775807", "1e300", "-1", "1000000000000"])
  func `a number of elements that the file cannot contain is detected`(_ count: String) throws {
    try change("UPDATE Thing SET list = \(count), \"set\" = \(count) WHERE \"#key\" = 1")
    let snapshot = try open().snapshot
    for name in ["list", "set"] {
      expectCorrupt {
        let layout = try snapshot.collection("Thing", name)
        _ = try CollectionReader(layout, snapshot).count(ObjectKey(1))
      }
    }
  }

  @Test(arguments: [5, 15, 16, 19, 1000])
  func `a missing element is detected`(_ index: Int) throws {
    try change("DELETE FROM \"Thing.list\" WHERE owner = 1")
    try change("DELETE FROM \"Thing.set\" WHERE owner = 1")
    let snapshot = try open().snapshot
    for name in ["list", "set"] {
      expectCorrupt {
        let layout = try snapshot.collection("Thing", name)
        _ = try CollectionReader(layout, snapshot).value(ObjectKey(1), at: index)
      }
    }
    expectCorrupt {
      let layout = try snapshot.collection("Thing", "list")
      _ = try CollectionReader(layout, snapshot).lastValue(ObjectKey(1))
    }
  }

  @Test func `a change of missing elements fails the transaction`() throws {
    try change("DELETE FROM \"Thing.list\" WHERE owner = 1 AND position > 0")
    let operations: [(WriteTransaction, CollectionLayout) throws -> Void] = [
      { try $0.replace(at: 10, with: .int(1), in: $1, of: ObjectKey(1)) },
      { try $0.remove(5..<19, from: $1, of: ObjectKey(1)) },
      { try $0.insert([.int(1)], at: 10, into: $1, of: ObjectKey(1)) },
      { try $0.move(from: 19, to: 1, in: $1, of: ObjectKey(1)) },
    ]
    for operation in operations {
      let transaction = try OpenStores.store(at: path).beginWrite()
      let layout = try transaction.collection("Thing", "list")
      expectCorrupt { try operation(transaction, layout) }
      #expect(transaction.failure != nil)
    }
  }

  // MARK: Positions

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "4611686018427387904"])
  func `a position out of range is detected`(_ position: String) throws {
    try change("DELETE FROM \"Thing.list\" WHERE owner = 1 AND position > 0")
    try change("UPDATE \"Thing.list\" SET position = \(position) WHERE owner = 1")
    try change("UPDATE Thing SET list = 1 WHERE \"#key\" = 1")
    let operations: [(WriteTransaction, CollectionLayout) throws -> Void] = [
      { try $0.append([.int(1)], to: $1, of: ObjectKey(1)) },
      { try $0.insert([.int(1)], at: 0, into: $1, of: ObjectKey(1)) },
    ]
    for operation in operations {
      let transaction = try OpenStores.store(at: path).beginWrite()
      let layout = try transaction.collection("Thing", "list")
      expectCorrupt { try operation(transaction, layout) }
    }
  }
}
