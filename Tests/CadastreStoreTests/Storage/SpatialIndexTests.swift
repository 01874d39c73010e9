import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

@Suite struct SpatialIndexTests {
  @Test(arguments: Seeds.usual(1...6))
  func `the index agrees with the table after random changes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(Boats.schema)
    var count = 0
    var keys: [Int64] = []
    for round in 0..<12 {
      let transaction = try file.beginWrite()
      for _ in 0..<random.pick([1, 10, 100]) {
        switch random.below(4) {
        case 0, 1:
          let harbor: PlainObject = ["code": .text("\(count)"), "site": random.spot()]
          keys.append(try transaction.insert("Harbor", object: harbor).rawValue)
          count += 1
        case 2 where !keys.isEmpty:
          try transaction.update(
            "Harbor", random.pick(keys), members: ["site": random.spot()])
        case 3 where !keys.isEmpty:
          let index = random.below(keys.count)
          try transaction.delete("Harbor", ObjectKey(keys.remove(at: index)))
        default: break
        }
        if random.oneIn(40) { try #expect(transaction.spatialProblems() == [], "seed \(seed)") }
      }
      if round == 8 {
        try transaction.deleteAll()
        keys = []
      }
      if round == 10 { transaction.rollback() } else { try transaction.commit() }
      if round == 10 { break }
      let snapshot = try file.snapshot()
      #expect(try snapshot.spatialProblems() == [], "seed \(seed), round \(round)")
      #expect(try snapshot.rowCount("Harbor") == keys.count)
    }
  }

  @Test func `the index agrees with the table across the packing threshold`() throws {
    var random = SeededGenerator(seed: 7)
    let file = try TestStore.temporary(Boats.schema)
    var number = 0
    let threshold = SpatialIndexWriter.packingThreshold
    for count in [10, threshold - 1, threshold, threshold * 3, 1, threshold + 1] {
      let transaction = try file.beginWrite()
      var keys: [Int64] = []
      for _ in 0..<count {
        let harbor: PlainObject = ["code": .text("\(number)"), "site": random.spot()]
        keys.append(try transaction.insert("Harbor", object: harbor).rawValue)
        number += 1
      }
      for key in keys.prefix(3) { try transaction.delete("Harbor", ObjectKey(key)) }
      for key in keys.suffix(3) {
        try transaction.update("Harbor", key, members: ["site": Boats.point(1, 2)])
      }
      try transaction.commit()

      #expect(try file.snapshot().spatialProblems() == [], "\(count)")
    }
  }

  /// The nodes of a spatial index, by number.
  private func nodes(_ file: StoreFile) throws -> [Int64: [UInt8]] {
    let snapshot = try file.snapshot()
    let rows = try snapshot.connection.statement(
      "SELECT nodeno, data FROM \"rtree_Harbor.site_node\"")
    var nodes: [Int64: [UInt8]] = [:]
    while try rows.step() { nodes[rows.integer(0)] = rows.withBlobBytes(1) { Array($0) } }
    return nodes
  }

  @Test func `an object that is added to a packed index changes one path of nodes`() throws {
    var random = SeededGenerator(seed: 3)
    let file = try TestStore.temporary(Boats.schema)
    func harbor(_ number: Int) -> PlainObject {
      let (longitude, latitude) = random.place()
      return ["code": .text("\(number)"), "site": Boats.point(longitude, latitude)]
    }
    let transaction = try file.beginWrite()
    for number in 0..<5000 { try transaction.insert("Harbor", object: harbor(number)) }
    try transaction.commit()
    for number in 5000..<5020 {
      let before = try nodes(file)
      try add(harbor(number), to: "Harbor", file)
      let after = try nodes(file)
      #expect(after.count == before.count)
      // A leaf, and at most the two nodes above it.
      #expect(after.filter { before[$0.key] != $0.value }.count <= 3)
    }
    #expect(try file.snapshot().spatialProblems() == [])
  }

  @Test(arguments: [0, 1, 50, 51, 52, 46 * 51, 46 * 51 + 1, 51 * 51, 51 * 51 + 1, 5000])
  func `packing and inserting build the same index`(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let entries = (0..<count).map { number in
      let (longitude, latitude) = random.place()
      return SpatialEntry(key: Int64(number) + 1, longitude: longitude, latitude: latitude)
    }
    let transaction = try TestStore.temporary(Boats.schema).beginWrite()
    let connection = try transaction.connection
    try connection.run("CREATE VIRTUAL TABLE slow USING rtree(k, w, e, s, n)")
    try connection.run("CREATE VIRTUAL TABLE fast USING rtree(k, w, e, s, n)")
    for entry in entries {
      let box = entry.box
      try connection.run(
        "INSERT INTO slow VALUES (?, ?, ?, ?, ?)", .int(entry.key), .float(box.west),
        .float(box.east), .float(box.south), .float(box.north))
    }
    let list = SpatialEntries(for: connection.path)
    for entry in entries { try list.add(entry) }
    try PackedRTree("fast", connection).replace(with: list)

    #expect(try connection.text("SELECT rtreecheck('fast')") == "ok")
    #expect(
      try connection.integer(
        "SELECT count(*) FROM (SELECT * FROM slow EXCEPT SELECT * FROM fast)") == 0)
    #expect(try connection.integer("SELECT count(*) FROM fast") == Int64(count))
    for _ in 0..<20 {
      let (west, south) = random.place()
      let window = "WHERE e >= ? AND w <= ? AND n >= ? AND s <= ?"
      let sides: [Value] = [.double(west), .double(west + 40), .double(south), .double(south + 30)]
      let sums = try ["slow", "fast"].map {
        try connection.text(
          "SELECT count(*) || ' ' || coalesce(sum(k * k), 0) FROM \($0) \(window)", sides[0],
          sides[1], sides[2], sides[3])
      }
      #expect(sums[0] == sums[1])
    }
    // SQLite can insert into a packed tree.
    if count > 0 {
      try connection.run("DELETE FROM fast WHERE k = 1")
      try connection.run("INSERT INTO fast VALUES (1000000, 1, 1, 2, 2)")
      #expect(try connection.text("SELECT rtreecheck('fast')") == "ok")
    }
  }

  @Test func `a box contains its point after rounding`() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<10_000 {
      let (longitude, latitude) = random.place()
      let box = NodeBox(longitude: longitude, latitude: latitude)
      #expect(Double(box.west) <= longitude && longitude <= Double(box.east))
      #expect(Double(box.south) <= latitude && latitude <= Double(box.north))
      #expect(
        box.east <= box.west.nextUp && box.north <= box.south.nextUp)
      #expect(box.west >= -180 && box.east <= 180 && box.north <= 90)
    }
  }

  @Test func `deleting new points one by one stays fast`() throws {
    let file = try TestStore.temporary(Boats.schema)
    let transaction = try file.beginWrite()
    let layout = try transaction.layout("Harbor")
    var row = layout.row(["site": Boats.point(1, 1)])
    var keys: [ObjectKey] = []
    for number in 0..<20_000 {
      row[0] = .string("\(number)")
      row[layout.spatialIndexes[0].columns[0]] = .double(Double(number % 180))
      keys.append(try transaction.insert("Harbor", row))
    }
    for key in keys.dropLast(5) { try transaction.delete("Harbor", key) }
    try transaction.commit()

    #expect(try file.snapshot().spatialProblems() == [])
    #expect(try file.snapshot().rowCount("Harbor") == 5)
  }

  // MARK: Other writers

  @Test func `two processes update the index`() throws {
    let folder = try TestFolder()
    let path = folder.file("shared.cadastre")
    // Two independent instances act as two processes.
    let (mine, theirs) = (StoreFile(path: path), StoreFile(path: path))
    try mine.prepare(for: Boats.schema)
    try theirs.prepare(for: Boats.schema)
    var random = SeededGenerator(seed: 21)
    var count = 0
    for round in 0..<8 {
      let before = try mine.snapshot()
      let held = try before.spatialProblems(), seen = try before.rowCount("Harbor")
      let transaction = try (round % 2 == 0 ? theirs : mine).beginWrite()
      for _ in 0..<(round == 4 ? 3000 : 20) {
        let harbor: PlainObject = ["code": .text("\(count)"), "site": random.spot()]
        try transaction.insert("Harbor", object: harbor)
        count += 1
      }
      try transaction.commit()
      #expect(try held == [] && before.spatialProblems() == [])
      #expect(try before.rowCount("Harbor") == seen)
      for file in [mine, theirs] {
        #expect(try file.snapshot().spatialProblems() == [], "round \(round)")
        #expect(try file.snapshot().rowCount("Harbor") == count)
      }
    }
  }

  @Test func `entries of SQLite's own R*Tree code are found, and the check detects wrong ones`()
    throws
  {
    let folder = try TestFolder()
    let path = folder.file("foreign.cadastre")
    let file = StoreFile(path: path)
    try file.prepare(for: Boats.schema)
    let transaction = try file.beginWrite()
    for number in 0..<500 {
      let harbor: PlainObject = [
        "code": .text("\(number)"), "site": Boats.point(Double(number % 100), 10),
      ]
      try transaction.insert("Harbor", object: harbor)
    }
    let layout = try transaction.layout("Harbor")
    try transaction.commit()
    let index = layout.spatialIndexes[0]
    let longitude = SQL.quoted(layout.columns[index.columns[0]].name)
    let table = SQL.quoted(layout.tableName)
    let foreign = try Connection(path: path, mode: .readWrite)
    // 200 harbors move to the west, with their boxes.
    try foreign.run("UPDATE \(table) SET \(longitude) = -50.25 WHERE \"#key\" <= 200")
    try foreign.run(
      "UPDATE \(SQL.quoted(index.name)) SET min_longitude = -50.25, max_longitude = -50.25 "
        + "WHERE \"key\" <= 200")

    let snapshot = try file.snapshot()
    #expect(try snapshot.spatialProblems() == [])
    let box = try PreparedRegion(
      .box(
        GeoBox(
          bottomLeft: #require(GeoPoint(latitude: 0, longitude: -60)),
          topRight: #require(GeoPoint(latitude: 20, longitude: -40)))))
    let traversal = try RTreeTraversal(index, snapshot)
    #expect(try traversal.find(RegionClassifier(.region(box))).accepted.sorted() == Array(1...200))
    #expect(try traversal.find(RegionClassifier(.region(box)), counting: true).acceptedCount == 200)

    try foreign.run("UPDATE \(table) SET \(longitude) = 60 WHERE \"#key\" <= 3")
    #expect(
      try file.snapshot().spatialProblems()
        == ["\(index.name) lacks or misplaces 3 of 500 points"])
  }
}

@Suite struct HilbertCurveTests {
  @Test func `the curve visits each cell once, and consecutive cells are neighbours`() {
    let side: UInt32 = 64
    var cells: [(position: UInt32, x: UInt32, y: UInt32)] = []
    for x in 0..<side { for y in 0..<side { cells.append((HilbertCurve.position(x, y), x, y)) } }
    cells.sort { $0.position < $1.position }

    // The corner of the square is one segment of the curve.
    #expect(cells.map(\.position) == Array(0..<side * side))
    for (one, next) in zip(cells, cells.dropFirst()) {
      let steps = abs(Int(one.x) - Int(next.x)) + abs(Int(one.y) - Int(next.y))
      #expect(steps == 1)
    }
  }

  @Test func `extreme coordinates have a position on the curve`() {
    for longitude in [-180, 180, 0, 1e300, Double.infinity, .nan] {
      for latitude in [-90, 90, 0, 1e300, -Double.infinity, .nan] {
        _ = HilbertCurve.position(longitude: longitude, latitude: latitude)
      }
    }
  }
}
