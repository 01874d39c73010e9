import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Damaged files cause errors, never a crash, an endless loop or unbounded memory.
@Suite struct DamageTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("damaged.cadastre")
    var random = SeededGenerator(seed: 11)
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Boats.schema)
    let transaction = try file.beginWrite()
    for number in 0..<4000 {
      let (longitude, latitude) = random.place()
      try transaction.insert(
        "Harbor", object: ["code": .text("\(number)"), "site": Boats.point(longitude, latitude)])
    }
    try transaction.commit()
  }

  /// Changes the file without the store.
  private func damage(_ sql: String, _ values: Value...) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.withWritableShadowTables { () throws(StoreError) in
      let statement = try connection.statement(sql)
      for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
      try statement.run()
    }
  }

  /// Searches the index for the eastern hemisphere; nil where it is corrupt.
  private func search() throws -> RTreeTraversal.Matches? {
    let snapshot = try OpenStores.store(at: path).snapshot()
    let index = try snapshot.layout("Harbor").spatialIndexes[0]
    do {
      let traversal = try RTreeTraversal(index, snapshot)
      _ = try? traversal.estimate(EastClassifier(), total: 4000)
      _ = try traversal.find(EastClassifier(), counting: true)
      return try traversal.find(EastClassifier())
    } catch {
      guard case .corrupt = error.reason else {
        Issue.record("\(error)")
        return nil
      }
      return nil
    }
  }

  private static let nodes = "\"rtree_Harbor.site_node\""

  @Test func `an intact tree is searched`() throws {
    let matches = try #require(try search())
    #expect(matches.accepted.count > 1500 && matches.accepted.count < 2500)
    #expect(matches.nodesRead < 80)
  }

  @Test func `random bytes in nodes are detected or ignored`() throws {
    var random = SeededGenerator(seed: 12)
    let count = 4 + 51 * 24
    for _ in 0..<60 {
      var bytes = [UInt8](repeating: 0, count: random.oneIn(6) ? random.below(2000) : count)
      for index in bytes.indices { bytes[index] = UInt8(random.below(256)) }
      if bytes.count > 4, random.oneIn(2) {
        // A plausible header, so that the cells are read.
        bytes.replaceSubrange(0..<4, with: [0, UInt8(random.below(4)), 0, UInt8(random.below(52))])
      }
      let node = random.oneIn(3) ? 1 : random.below(80) + 1
      try damage(
        "UPDATE \(Self.nodes) SET data = ? WHERE nodeno = ?", .data(Data(bytes)), .int(Int64(node)))
      _ = try search()
    }
  }

  @Test func `a cycle of nodes is detected quickly`() throws {
    // Every node becomes a copy of the root, 30 levels deep: a traversal would visit 51^30 nodes.
    try damage("UPDATE \(Self.nodes) SET data = (SELECT data FROM \(Self.nodes) WHERE nodeno = 1)")
    var root = [UInt8](repeating: 0, count: 4 + 51 * 24)
    root.withUnsafeMutableBytes { bytes in
      let world = NodeBox(west: -180, south: -90, east: 180, north: 90)
      RTreeNode.write(
        (0..<51).map { _ in RTreeNode.Cell(id: 1, box: world) }, depth: 30, into: bytes)
    }
    try damage("UPDATE \(Self.nodes) SET data = ?", .data(Data(root)))
    // The highest node number does not limit the number of nodes.
    try damage("INSERT INTO \(Self.nodes) VALUES (9000000000000000000, ?)", .data(Data(root)))

    #expect(try search() == nil)
  }

  @Test func `missing nodes and an empty tree are detected`() throws {
    try damage("DELETE FROM \(Self.nodes) WHERE nodeno > 1")
    #expect(try search() == nil)
    try damage("DELETE FROM \(Self.nodes)")
    #expect(try search() == nil)
  }

  @Test func `a node that is no blob is detected`() throws {
    try damage("UPDATE \(Self.nodes) SET data = 7 WHERE nodeno = 1")
    #expect(try search() == nil)
    try damage("UPDATE \(Self.nodes) SET data = NULL WHERE nodeno = 1")
    #expect(try search() == nil)
    try damage("UPDATE \(Self.nodes) SET data = x'' WHERE nodeno = 1")
    #expect(try search() == nil)
  }

  @Test func `random bytes anywhere in the file do not stop the process`() throws {
    var random = SeededGenerator(seed: 13)
    let intact = try Data(contentsOf: URL(fileURLWithPath: path))
    for round in 0..<30 {
      let copy = folder.file("copy\(round).cadastre")
      var bytes = intact
      for _ in 0..<random.pick([1, 10, 200]) {
        bytes[100 + random.below(bytes.count - 100)] = UInt8(random.below(256))
      }
      if random.oneIn(5) { bytes = bytes.prefix(random.below(bytes.count)) }
      try bytes.write(to: URL(fileURLWithPath: copy))
      do {
        let file = try OpenStores.store(at: copy)
        let snapshot = try file.snapshot()
        let layout = try snapshot.layout("Harbor")
        for key in 1...20 { _ = try snapshot.row(layout, ObjectKey(Int64(key))) }
        let traversal = try RTreeTraversal(layout.spatialIndexes[0], snapshot)
        _ = try traversal.find(LocationClassifier(longitude: 1, latitude: 2))
        _ = try traversal.find(EastClassifier())
        let transaction = try file.beginWrite()
        try transaction.insert("Harbor", object: ["code": .text("new"), "site": Boats.point(1, 2)])
        try transaction.commit()
      } catch is StoreError {
      } catch is MissingClass {
      }
    }
  }

  @Test func `values of other storage classes read as null`() throws {
    try damage("UPDATE Harbor SET name = x'00', depth = 'deep', \"site.longitude\" = 'east'")
    let snapshot = try OpenStores.store(at: path).snapshot()
    let harbor = try #require(try snapshot.object("Harbor", 1))

    #expect(harbor["name"] == nil && harbor["depth"] == nil && harbor["code"] == .text("0"))
  }
}

/// Searches for points east of Greenwich.
private struct EastClassifier: BoxClassifier {
  let start: Void = ()

  func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: Void,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    for (index, box) in boxes.enumerated() {
      relations[index] = box[0] >= 0 ? .inside : box[1] < 0 ? .disjoint : .intersects
    }
  }

  func residual(at index: Int) {}
}
