import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// A class with a point and a geometry, both with a spatial index, and random rows of it.
private struct Lots {
  static let schema = Schema([
    ObjectSchema(
      className: "Point",
      properties: [
        Property(name: "type", type: .string),
        Property(name: "coordinates", type: .double, collection: .list),
      ], isEmbedded: true),
    ObjectSchema(
      className: "Lot",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "site", type: .object, isOptional: true, objectClassName: "Point"),
        Property(name: "shape", type: .geometry, isOptional: true),
      ]),
  ])

  /// A box in degrees.
  struct Box {
    let west: Double
    let south: Double
    let east: Double
    let north: Double

    /// Whether another box contains this one and is hardly larger.
    func isStored(as other: Box) -> Bool {
      let slack = 0.0001
      return other.west <= west && west - other.west < slack && other.south <= south
        && south - other.south < slack && other.east >= east && other.east - east < slack
        && other.north >= north && other.north - north < slack
    }
  }

  /// A row, and the box in each spatial index; nil if it has none there.
  struct Lot {
    var row: [Value]
    var boxes: [Box?]
  }

  let layout: TableLayout

  init(_ file: StoreFile) throws { layout = try file.snapshot().layout("Lot") }

  /// The columns of each spatial index.
  var columns: [[Int]] {
    layout.spatialIndexes.map { index in
      switch index.source {
      case .geometry(let column): [column]
      case .point:
        layout.fields.flatMap { field in
          if case .embedded(let embedded) = field { Array(embedded.columns) } else { [Int]() }
        }
      }
    }
  }

  func random(_ id: Int, _ random: inout SeededGenerator) throws -> Lot {
    var row = [Value](repeating: .null, count: layout.columns.count)
    row[try #require(layout.schema.primaryKeyProperty.flatMap(layout.column))] = .int(Int64(id))
    var boxes: [Box?] = []
    for index in layout.spatialIndexes {
      guard !random.oneIn(5) else {
        boxes.append(nil)
        continue
      }
      let longitude = random.number(-179...179)
      let south = random.number(-80...0)
      switch index.source {
      case .point(let point):
        for case .embedded(let embedded) in layout.fields { row[embedded.presence] = .int(1) }
        (row[point.longitude], row[point.latitude]) = (.double(longitude), .double(south))
        boxes.append(Box(west: longitude, south: south, east: longitude, north: south))
      case .geometry(let column):
        // The shortest line along a meridian leaves it neither on the sphere nor in the plane.
        let north = random.oneIn(3) ? south : random.number(0...80)
        let text =
          north == south
          ? "POINT (\(longitude) \(south))"
          : "LINESTRING (\(longitude) \(south), \(longitude) \(north))"
        row[column] = .geometry(try Geometry(wkt: text))
        boxes.append(Box(west: longitude, south: south, east: longitude, north: north))
      }
    }
    return Lot(row: row, boxes: boxes)
  }

  /// The content of a spatial index.
  static func content(
    _ index: TableLayout.SpatialIndex, _ connection: Connection
  ) throws -> [Int64: Box] {
    let rows = try connection.statement(
      "SELECT \"key\", min_longitude, min_latitude, max_longitude, max_latitude FROM "
        + SQL.quoted(index.name))
    var content: [Int64: Box] = [:]
    while try rows.step() {
      content[rows.integer(0)] = Box(
        west: rows.real(1), south: rows.real(2), east: rows.real(3), north: rows.real(4))
    }
    return content
  }
}

/// The list of the entries that a spatial index lacks.
@Suite struct PendingEntriesTests {
  @Test(arguments: Seeds.usual(1...3), [1, 7, 1_000_000])
  func `entries are the boxes of the rows, once`(seed: UInt64, capacity: Int) throws {
    let folder = try TestFolder()
    let lots = try Lots(TestStore.temporary(Lots.schema))
    for (place, index) in lots.layout.spatialIndexes.enumerated() {
      var random = SeededGenerator(seed: seed)
      let pending = SpatialMemory.$capacity.withValue(capacity) {
        PendingEntries(of: index.source, for: folder.file("store"))
      }
      #expect(pending.take() == nil)
      for round in 0..<2 {
        var expected: [Int64: Lots.Box] = [:]
        for key in 1...Int64(20) {
          let lot = try lots.random(Int(key), &random)
          try pending.add(lot.row, key)
          expected[key] = lot.boxes[place]
        }
        let entries = try #require(pending.take())
        #expect(entries.count == expected.count)
        try entries.forEach { entry throws(StoreError) in
          let box = entry.box
          let stored = Lots.Box(
            west: Double(box.west), south: Double(box.south), east: Double(box.east),
            north: Double(box.north))
          let found = expected.removeValue(forKey: entry.key)
          #expect(
            found?.isStored(as: stored) == true,
            "seed \(seed), capacity \(capacity), round \(round), \(entry.key)")
        }
        #expect(expected.isEmpty && pending.take() == nil, "seed \(seed), capacity \(capacity)")
      }
    }
    // The temporary file has no name.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }
}

/// Spatial indexes and counters in write transactions, compared with dictionaries.
@Suite struct PendingIndexTests {
  /// The objects of the class, as they should be.
  private struct Model {
    var lots: [Int64: [Lots.Box?]] = [:]
    var nextKey: Int64 = 1
  }

  /// A store with a model of it.
  private final class Run {
    let file: StoreFile
    let lots: Lots
    let note: String
    var transaction: WriteTransaction
    var model = Model()
    private var committed = Model()
    private var random: SeededGenerator
    private let inBackground: Bool
    private var ids = 0

    init(seed: UInt64, capacity: Int, inBackground: Bool) throws {
      note = "seed \(seed), capacity \(capacity), background \(inBackground)"
      random = SeededGenerator(seed: seed)
      self.inBackground = inBackground
      file = try TestStore.temporary(Lots.schema)
      file.bufferCapacity.withLock { $0 = capacity }
      lots = try Lots(file)
      transaction = try file.beginWrite()
      begin()
    }

    private func begin() { transaction.bufferRows(inBackground: inBackground) { _, _ in } }

    private func newLot() throws -> Lots.Lot {
      ids += 1
      return try lots.random(ids, &random)
    }

    private func note(_ lot: Lots.Lot, _ key: Int64) {
      #expect(key == model.nextKey, "\(note)")
      model.lots[key] = lot.boxes
      model.nextKey += 1
    }

    /// A key of the class; nil if it has no object.
    private func key() -> Int64? {
      // New rows are chosen as often as others.
      let keys = model.lots.keys.sorted()
      return keys.isEmpty ? nil : random.pick(random.oneIn(2) ? keys : keys.suffix(5))
    }

    func step() throws {
      switch random.below(12) {
      case 0...3:
        let isUnique = random.oneIn(2)
        try insertBuffered(random.pick([1, 3, 20]), isUnique: isUnique)
      case 4:
        let lot = try newLot()
        note(lot, try transaction.insert("Lot", lot.row).rawValue)
      case 5: try insertTogether(random.pick([1, 9, 70]))
      case 6, 7:
        guard let key = key() else { return }
        let (lot, place) = (try newLot(), random.below(lots.columns.count))
        let changes = lots.columns[place].map { (column: $0, value: lot.row[$0]) }
        #expect(try transaction.update("Lot", ObjectKey(key), changes, exists: true), "\(note)")
        model.lots[key]?[place] = lot.boxes[place]
      case 8:
        guard let key = key() else { return }
        #expect(try transaction.delete("Lot", ObjectKey(key)), "\(note)")
        model.lots[key] = nil
      case 9:
        let keys = model.lots.keys.filter { _ in random.oneIn(4) }.sorted()
        try transaction.delete("Lot", keys)
        for key in keys { model.lots[key] = nil }
      case 10: try check(transaction.flush(.indexes).connection)
      default:
        let connection = try transaction.flush(.everything).connection
        try check(connection)
        try checkCounters(connection)
      }
      #expect(try transaction.rowCount("Lot") == model.lots.count, "\(note)")
      #expect(try transaction.nextKey("Lot").rawValue == model.nextKey, "\(note)")
    }

    func insertBuffered(_ count: Int, isUnique: Bool) throws {
      for _ in 0..<count {
        let lot = try newLot()
        let key = try transaction.insert("Lot", buffering: lot.row, isUnique: isUnique)
        note(lot, key.rawValue)
      }
    }

    func insertTogether(_ count: Int) throws {
      let new = try (0..<count).map { _ in try newLot() }
      let keys = try transaction.insert("Lot", new.map(\.row)[...])
      #expect(keys.count == count, "\(note)")
      for (lot, key) in zip(new, keys) { note(lot, key) }
    }

    func end() throws {
      if random.oneIn(3) {
        transaction.rollback()
        model = committed
      } else {
        try transaction.commit()
        committed = model
      }
      let snapshot = try file.snapshot()
      try check(snapshot.connection)
      try checkCounters(snapshot.connection)
      #expect(try StoreCheck(snapshot).problems() == [], "\(note)")
      transaction = try file.beginWrite()
      begin()
    }

    func check(_ connection: Connection) throws {
      for (place, index) in lots.layout.spatialIndexes.enumerated() {
        let content = try Lots.content(index, connection)
        let expected = model.lots.compactMapValues { $0[place] }
        #expect(content.count == expected.count, "\(note), \(index.name)")
        let wrong = expected.filter { key, box in
          content[key].map { !box.isStored(as: $0) } ?? true
        }
        #expect(wrong.isEmpty, "\(note), \(index.name)")
      }
    }

    private func checkCounters(_ connection: Connection) throws {
      let counters = try connection.text(
        "SELECT next_key || ' ' || row_count FROM cadastre_class WHERE name = 'Lot'")
      #expect(counters == "\(model.nextKey) \(model.lots.count)", "\(note)")
    }
  }

  @Test(arguments: Seeds.usual(1...2), [0, 1, 7, WriteBuffer.capacity])
  func `indexes and counters are those of the model`(seed: UInt64, capacity: Int) throws {
    for inBackground in [false, true] {
      try SpatialMemory.$capacity.withValue(inBackground ? 3 : 1_000_000) {
        let run = try Run(seed: seed, capacity: capacity, inBackground: inBackground)
        for _ in 0..<6 {
          for _ in 0..<15 { try run.step() }
          try run.end()
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func `entries of many rows are packed`(isBuffered: Bool) throws {
    let count = SpatialIndexWriter.packingThreshold * 3 / 2
    try SpatialMemory.$capacity.withValue(500) {
      let run = try Run(seed: 5, capacity: 100, inBackground: true)
      for _ in 0..<2 {
        if isBuffered {
          try run.insertBuffered(count, isUnique: true)
        } else {
          try run.insertTogether(count)
        }
        // A deletion flushes the entries of its class.
        #expect(try run.transaction.delete("Lot", ObjectKey(run.model.nextKey - 1)))
        run.model.lots[run.model.nextKey - 1] = nil
        try run.check(run.transaction.flush(.rows).connection)
        try run.end()
      }
    }
  }

  /// The rows are stored; their entries are not in the index until a flush that asks for them.
  @Test func `a flush of the rows leaves the entries pending`() throws {
    let file = try TestStore.temporary(Lots.schema)
    let lots = try Lots(file)
    var random = SeededGenerator(seed: 1)
    let transaction = try file.beginWrite()
    let index = try #require(lots.layout.spatialIndexes.first)
    var expected = 0
    for id in 0..<30 {
      let lot = try lots.random(id, &random)
      _ = try transaction.insert("Lot", buffering: lot.row, isUnique: true)
      if lot.boxes[0] != nil { expected += 1 }
    }
    let rows = try transaction.flush(.rows).connection
    #expect(try rows.integer("SELECT count(*) FROM Lot") == 30)
    #expect(try Lots.content(index, rows).isEmpty)
    #expect(try Lots.content(index, transaction.flush(.indexes).connection).count == expected)
  }
}

/// Faults while entries are pending.
@Suite struct PendingEntriesFaultTests {
  private let folder: TestFolder
  private let file: StoreFile
  private let lots: Lots

  init() throws {
    folder = try TestFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("open"), withIntermediateDirectories: false)
    file = StoreFile(path: folder.file("open/lots.cadastre"))
    try file.prepare(for: Lots.schema)
    lots = try Lots(file)
  }

  /// Checks that the store is empty, and can be written.
  private func expectUnchanged() throws {
    #expect(try file.snapshot().rowCount("Lot") == 0)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    var random = SeededGenerator(seed: 2)
    let transaction = try file.beginWrite()
    for id in 0..<4 { _ = try transaction.insert("Lot", lots.random(id, &random).row) }
    try transaction.commit()
    #expect(try file.snapshot().rowCount("Lot") == 4)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test(arguments: [false, true])
  func `a temporary file that cannot be created fails the transaction`(inBackground: Bool) throws {
    file.bufferCapacity.withLock { $0 = 7 }
    var random = SeededGenerator(seed: 1)
    try SpatialMemory.$capacity.withValue(20) {
      let transaction = try file.beginWrite()
      transaction.bufferRows(inBackground: inBackground) { _, _ in }
      // Its files stay open.
      try FileManager.default.moveItem(atPath: folder.file("open"), toPath: folder.file("moved"))
      let error = try #require(
        #expect(throws: StoreError.self) {
          for id in 0..<100 {
            _ = try transaction.insert(
              "Lot", buffering: lots.random(id, &random).row, isUnique: true)
          }
          _ = try transaction.flush(.rows)
        })
      try FileManager.default.moveItem(atPath: folder.file("moved"), toPath: folder.file("open"))
      #expect(error.reason == .fileNotFound)
      #expect(transaction.failure as? StoreError == error)
      #expect(throws: error) { try transaction.insert("Lot", lots.random(200, &random).row) }
      #expect(throws: error) { try transaction.commit() }
    }
    try expectUnchanged()
  }

  @Test(arguments: [500, SpatialIndexWriter.packingThreshold * 3 / 2])
  func `a disk that is full for the entries fails the transaction`(count: Int) throws {
    var random = SeededGenerator(seed: 1)
    let transaction = try file.beginWrite()
    for id in 0..<count {
      _ = try transaction.insert("Lot", buffering: lots.random(id, &random).row, isUnique: true)
    }
    let connection = try transaction.flush(.rows).connection
    let pages = try #require(try connection.integer("PRAGMA page_count"))
    try connection.run("PRAGMA max_page_count = \(pages)")
    let error = try #require(
      #expect(throws: StoreError.self) { _ = try transaction.flush(.indexes) })
    #expect(error.reason == .diskFull)
    #expect(transaction.failure as? StoreError == error)
    #expect(throws: error) { try transaction.commit() }
    try connection.run("PRAGMA max_page_count = 4294967294")
    try expectUnchanged()
  }
}
