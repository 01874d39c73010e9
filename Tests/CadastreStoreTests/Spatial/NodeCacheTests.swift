import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Regions find the points of the reader's version, whether the nodes of the index are cached or not.
@Suite("Node cache") struct NodeCacheTests {
  private typealias Points = [Int64: (longitude: Double, latitude: Double)]

  /// A region of a random size.
  private static func region(_ random: inout SeededGenerator) throws -> PreparedRegion {
    let size = random.pick([1.0, 10, 90, 180])
    let west = random.number(-180...(180 - size))
    let south = random.number(-90...max(-90, 90 - size))
    return try PreparedRegion(
      .box(
        GeoBox(
          bottomLeft: #require(GeoPoint(latitude: south, longitude: west)),
          topRight: #require(
            GeoPoint(latitude: min(90, south + size), longitude: west + size)))))
  }

  /// Compares searches of a reader with the points that it should see.
  private static func check(
    _ reader: any StoreReader, _ points: Points, _ random: inout SeededGenerator,
    _ comment: Comment
  ) throws {
    let layout = try #require(reader.catalogue.layout("Harbor"))
    let region = try region(&random)
    let traversal = try RTreeTraversal(layout.spatialIndexes[0], reader)
    let found = try traversal.find(RegionClassifier(.region(region)))
    let inside = Set(
      points.filter {
        region.contains(longitude: $0.value.longitude, latitude: $0.value.latitude)
      }.keys)
    #expect(Set(found.accepted).isSubset(of: inside), comment)
    #expect(inside.isSubset(of: Set(found.accepted + found.candidates)), comment)
    // A point that moved away or was deleted is not found.
    for key in found.candidates {
      let point = try #require(points[key], comment)
      #expect(region.envelope(isNear: point), comment)
    }
    let counted = try traversal.find(RegionClassifier(.region(region)), counting: true)
    #expect(counted.acceptedCount == found.accepted.count, comment)
  }

  private static func change(
    _ transaction: WriteTransaction, _ points: inout Points, _ random: inout SeededGenerator
  ) throws {
    let keys = points.keys.sorted()
    switch random.below(8) {
    case 0...3:
      for _ in 0..<random.pick([1, 5, 60, 3000]) {
        let (longitude, latitude) = random.place()
        let harbor: PlainObject = [
          "code": .text("\(random.next())"), "site": Boats.point(longitude, latitude),
        ]
        points[try transaction.insert("Harbor", object: harbor).rawValue] = (longitude, latitude)
      }
    case 4, 5:
      for _ in 0..<random.pick([1, 5, 60]) where !keys.isEmpty {
        let (longitude, latitude) = random.place()
        let key = random.pick(keys)
        try transaction.update(
          "Harbor", key, members: ["site": Boats.point(longitude, latitude)])
        points[key] = (longitude, latitude)
      }
    case 6:
      for key in keys.prefix(random.pick([1, 20, 2500])) {
        try transaction.delete("Harbor", ObjectKey(key))
        points[key] = nil
      }
    default:
      guard random.oneIn(6) else { return }
      try transaction.deleteAll()
      points = [:]
    }
  }

  @Test(arguments: Seeds.usual(1...4))
  func `each reader finds the points of its version`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    let file = try OpenStores.store(at: folder.file("nodes.cadastre"))
    try file.prepare(for: Boats.schema)
    // A second instance acts as another process: they share only the file.
    let other = StoreFile(path: file.path)
    file.columns.budget = [1 << 30, 60_000, 0][Int(seed % 3)]
    let writesElsewhere = seed % 2 == 0
    var held: [(snapshot: Snapshot, points: Points)] = [(try file.snapshot(), [:])]
    for round in 0..<16 {
      let comment: Comment = "seed \(seed), round \(round)"
      var points = held[held.count - 1].points
      let transaction = try (writesElsewhere && random.oneIn(5) ? other : file).beginWrite()
      for _ in 0..<random.below(4) {
        try Self.change(transaction, &points, &random)
        if random.oneIn(2) {
          let flushed = try transaction.flush(.indexes)
          try Self.check(flushed, points, &random, comment)
          let (old, expected) = random.pick(held)
          try Self.check(old, expected, &random, comment)
        }
      }
      if random.oneIn(5) {
        transaction.rollback()
      } else {
        try transaction.commit()
        held.append((try file.snapshot(), points))
      }
      if held.count > 6 { held.remove(at: random.below(held.count - 1)) }
      for _ in 0..<4 {
        let (snapshot, points) = random.oneIn(2) ? held[held.count - 1] : random.pick(held)
        try Self.check(snapshot, points, &random, comment)
        try Self.check(other.snapshot(), held[held.count - 1].points, &random, comment)
      }
      let report = file.columns.report
      #expect(report.byteCount <= report.budget, comment)
      #expect(report.nodeByteCount <= report.byteCount, comment)
    }
    let report = file.columns.report
    #expect(report.budget == 0 ? report.nodeFills == 0 : report.nodeFills > 0)
  }

  private static func store(points count: Int) throws -> StoreFile {
    var random = SeededGenerator(seed: 5)
    let file = try TestStore.temporary(Boats.schema)
    let transaction = try file.beginWrite()
    for number in 0..<count {
      let (longitude, latitude) = random.place()
      try transaction.insert(
        "Harbor",
        object: ["code": .text("\(number)"), "site": Boats.point(longitude, latitude)])
    }
    try transaction.commit()
    return file
  }

  /// The nodes of the spatial index, by number.
  private static func nodes(_ reader: any StoreReader) throws -> [Int64: [UInt8]] {
    let rows = try reader.connection.statement(
      "SELECT nodeno, data FROM \"rtree_Harbor.site_node\"")
    defer { rows.reset() }
    var nodes: [Int64: [UInt8]] = [:]
    while try rows.step() { nodes[rows.integer(0)] = rows.withBlobBytes(1) { Array($0) } }
    return nodes
  }

  private static func everything(_ reader: any StoreReader) throws -> RTreeTraversal.Matches {
    let layout = try #require(reader.catalogue.layout("Harbor"))
    return try RTreeTraversal(layout.spatialIndexes[0], reader).find(WorldClassifier())
  }

  @Test func `a node is read from the file once, and again after it has changed`() throws {
    let file = try Self.store(points: 10_000)
    let snapshot = try file.snapshot()
    let before = try Self.nodes(snapshot)
    #expect(try Self.everything(snapshot).candidates.count == 10_000)
    #expect(file.columns.report.nodeFills == before.count)
    #expect(file.columns.report.nodeCount == before.count)
    // Another reader of the version, and the transaction, read no node from the file.
    #expect(try Self.everything(file.snapshot()).candidates.count == 10_000)
    let transaction = try file.beginWrite()
    #expect(try Self.everything(transaction.flush(.indexes)).candidates.count == 10_000)
    #expect(file.columns.report.nodeFills == before.count)

    for number in 0..<5 {
      try transaction.insert(
        "Harbor", object: ["code": .text("new \(number)"), "site": Boats.point(3, 4)])
    }
    #expect(try Self.everything(transaction.flush(.indexes)).candidates.count == 10_005)
    try transaction.commit()
    let next = try file.snapshot()
    let after = try Self.nodes(next)
    let changed = after.filter { before[$0.key] != $0.value }.count
    #expect(changed > 0 && changed < 20)
    #expect(try Self.everything(next).candidates.count == 10_005)
    let fills = file.columns.report.nodeFills
    // SQLite also writes nodes whose bytes stay.
    #expect(fills >= before.count + changed && fills < before.count + changed + 20)
    // The older version has no cached form of the changed nodes.
    #expect(try Self.everything(snapshot).candidates.count == 10_000)
    #expect(try Self.everything(next).candidates.count == 10_005)
    #expect(file.columns.report.nodeFills == fills)
  }

  @Test(arguments: Seeds.usual(1...3))
  func `a connection records all nodes that it writes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try Self.store(points: 500)
    var points: Points = [:]
    for round in 0..<12 {
      let transaction = try file.beginWrite()
      let before = try Self.nodes(transaction.flush(.indexes))
      try Self.change(transaction, &points, &random)
      let after = try Self.nodes(transaction.flush(.everything))
      let recorded =
        try #require(
          transaction.flush(.everything).connection.changedNodes
        )
        .byTree["rtree_Harbor.site"] ?? NodeSet()
      for (number, bytes) in after where before[number] != bytes {
        #expect(recorded.contains(number), "seed \(seed), round \(round), node \(number)")
      }
      try transaction.commit()
    }
  }

  @Test func `a tree that exceeds the limit keeps the nodes that fit`() throws {
    let file = try Self.store(points: 15_000)
    let snapshot = try file.snapshot()
    let count = try Self.nodes(snapshot).count
    _ = try Self.everything(snapshot)
    let bytes = file.columns.report.nodeByteCount
    file.columns.budget = bytes / 2
    let kept = file.columns.report.nodeCount
    #expect(kept > count / 4 && kept < count * 3 / 4)
    for _ in 0..<3 {
      #expect(try Self.everything(snapshot).candidates.count == 15_000)
      #expect(file.columns.report.byteCount <= bytes / 2)
      #expect(file.columns.report.nodeCount >= kept * 9 / 10)
    }
    file.columns.budget = 0
    #expect(file.columns.report.nodeCount == 0 && file.columns.report.byteCount == 0)
    #expect(try Self.everything(snapshot).candidates.count == 15_000)
  }

  @Test(arguments: Seeds.usual(1...2))
  func `threads find the points of their versions`(seed: UInt64) async throws {
    let file = try Self.store(points: 4000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for reader in 0..<3 {
        group.addTask {
          for _ in 0..<20 {
            let snapshot = try file.snapshot()
            let keys = try Self.everything(snapshot).candidates
            let expected = try snapshot.connection.statement("SELECT \"#key\" FROM Harbor")
            var stored: Set<Int64> = []
            while try expected.step() { stored.insert(expected.integer(0)) }
            #expect(keys.count == stored.count && Set(keys) == stored, "reader \(reader)")
          }
        }
      }
      group.addTask {
        var random = SeededGenerator(seed: seed)
        var points: Points = [:]
        for _ in 0..<30 {
          let transaction = try file.beginWrite()
          for _ in 0..<3 where random.oneIn(2) {
            try Self.change(transaction, &points, &random)
          }
          try transaction.commit()
        }
      }
      try await group.waitForAll()
    }
  }
}

/// A search that finds all points as candidates, and reads all nodes.
private struct WorldClassifier: BoxClassifier {
  let start: Void = ()

  func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: Void,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    for index in boxes.indices { relations[index] = .intersects }
  }

  func residual(at index: Int) {}
}

extension PreparedRegion {
  /// Returns whether a point is inside, or so near to the border that its box of 32-bit floats may cross the border.
  fileprivate func envelope(isNear point: (longitude: Double, latitude: Double)) -> Bool {
    let margin = 1e-3
    return [-margin, 0, margin].contains { east in
      [-margin, 0, margin].contains { north in
        contains(longitude: point.longitude + east, latitude: point.latitude + north)
      }
    }
  }
}
