import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// Spatial indexes with more entries than memory may hold.
@Suite struct SpatialMemoryTests {
  /// The contents of the tables of an index.
  private func tables(_ name: String, _ connection: Connection) throws -> [String] {
    let queries = [
      "SELECT nodeno || ' ' || hex(data) FROM \"\(name)_node\" ORDER BY nodeno",
      "SELECT rowid || ' ' || nodeno FROM \"\(name)_rowid\" ORDER BY rowid",
      "SELECT nodeno || ' ' || parentnode FROM \"\(name)_parent\" ORDER BY nodeno",
    ]
    var rows: [String] = []
    for query in queries {
      let statement = try connection.statement(query)
      while try statement.step() { rows.append(statement.text(0)) }
    }
    return rows
  }

  @Test(arguments: Seeds.usual(1...3), [0, 51, 52, 2601, 2602, 6000])
  func `a tree that is packed with little memory is the same`(seed: UInt64, count: Int) throws {
    var random = SeededGenerator(seed: seed)
    // Keys in no order, and several entries at the same position.
    let entries = (1...max(count, 1)).prefix(count).shuffled(using: &random).map { key in
      let (longitude, latitude) = random.place()
      return SpatialEntry(key: Int64(key), longitude: longitude, latitude: latitude)
    }
    let transaction = try TestStore.temporary(Boats.schema).beginWrite()
    let connection = try transaction.connection
    var contents: [[String]] = []
    for capacity in [1_000_000, 100, 1] {
      let name = "tree\(capacity)"
      try connection.run("CREATE VIRTUAL TABLE \(name) USING rtree(k, w, e, s, n)")
      try SpatialMemory.$capacity.withValue(capacity) {
        let list = SpatialEntries(for: transaction.path)
        for entry in entries { try list.add(entry) }
        try PackedRTree(name, connection).replace(with: list)
      }
      #expect(try connection.text("SELECT rtreecheck('\(name)')") == "ok")
      contents.append(try tables(name, connection))
    }
    #expect(contents[0] == contents[1] && contents[0] == contents[2], "seed \(seed)")
  }

  @Test(arguments: Seeds.usual(1...3))
  func `regions find the points of brute force`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(Boats.schema)
    var points: [Int64: (longitude: Double, latitude: Double)] = [:]
    var number = 0
    try SpatialMemory.$capacity.withValue(300) {
      // Packing new entries, packing them with those of the table, and inserting them one by one.
      for count in [3000, 2500, 10, 400] {
        let transaction = try file.beginWrite()
        for _ in 0..<count {
          let (longitude, latitude) = random.place()
          let harbor: PlainObject = [
            "code": .text("\(number)"), "site": Boats.point(longitude, latitude),
          ]
          number += 1
          let key = try transaction.insert("Harbor", object: harbor)
          points[key.rawValue] = (longitude, latitude)
        }
        for key in points.keys.sorted().prefix(count / 10) {
          try transaction.delete("Harbor", ObjectKey(key))
          points[key] = nil
        }
        try transaction.commit()
        #expect(try file.snapshot().spatialProblems() == [], "seed \(seed)")
      }
    }
    let snapshot = try file.snapshot()
    let index = try snapshot.layout("Harbor").spatialIndexes[0]
    for _ in 0..<20 {
      let (west, south) = (random.number(-180...140), random.number(-90...60))
      let box = GeoBox(
        bottomLeft: try #require(GeoPoint(latitude: south, longitude: west)),
        topRight: try #require(GeoPoint(latitude: south + 30, longitude: west + 40)))
      let region = try PreparedRegion(.box(box))
      let found = try RTreeTraversal(index, snapshot)
        .find(RegionClassifier(.region(region)))
      let expected = points.filter {
        region.contains(longitude: $0.value.longitude, latitude: $0.value.latitude)
      }
      let candidates = Set(found.accepted).union(found.candidates)
      #expect(Set(expected.keys).isSubset(of: candidates), "seed \(seed)")
      #expect(Set(found.accepted).isSubset(of: Set(expected.keys)), "seed \(seed)")
    }
  }
}
