import Cadastre
import CadastreModel
@testable import CadastrePostgres
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Expressions, hashes and cells of partitions, compared with the server and with brute force.
@Suite(.enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct PartitionTests {
  @Test func `expressions are read, and others are refused`() throws {
    #expect(try PartitionExpression("hash(id)") == .hash("id"))
    #expect(try PartitionExpression("cell( location )") == .cell("location", degrees: 10))
    #expect(try PartitionExpression("cell(location, 30)") == .cell("location", degrees: 30))
    for text in [
      "", "hash", "hash()", "hash(a, b)", "cell(p, 7)", "cell(p, x)", "range(a)", "hash(a",
    ] {
      #expect(throws: PostgresMappingError.self, "\(text)") { try PartitionExpression(text) }
    }
    #expect(throws: PostgresMappingError.self) {
      try RowDivision(.hash("id"), count: 1, servers: ["a", "b"])
    }
    #expect(throws: PostgresMappingError.self) { try RowDivision(.hash("id"), count: 0) }
  }

  @Test(arguments: [31])
  func `the server finds the same partitions by hash`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let server = try #require(PostgresServer.shared)
    let connection = try await PostgresConnection.open(try server.newAddress())
    var values: [PostgresValue] = [.int8(0), .int8(-1), .int8(.min), .int8(.max)]
    for length in 0...40 {
      values.append(.int8(Int64(bitPattern: random.next()) >> (random.next() % 60)))
      values.append(
        .text(String((0..<length).map { _ in random.pick(["a", "é", "🚢"]) as Character })))
      values.append(
        .bytea(Data((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })))
      values.append(.uuid(UUID()))
    }
    for count in [1, 3, 7, 16] {
      for type in PartitionHash.types {
        let name = "\(type.name)_\(count)"
        try await connection.run(
          SQLStatement(
            "CREATE TEMP TABLE \(name) (v \(type.name) \(type == .text ? "COLLATE \"C\"" : "")) "
              + "PARTITION BY HASH (v)"))
        for value in values where value.type == type {
          let part = PartitionHash.partition(of: value, count: count)
          var statement = SQLStatement("SELECT satisfies_hash_partition('\(name)'::regclass, ")
          statement.append("\(count), \(part), \(statement.parameter(value, type)))")
          let found = try await connection.run(statement).value(0, 0)
          #expect(found == .bool(true), "seed \(seed): \(value) in \(count)")
        }
      }
    }
  }

  @Test func `the cells of a region are those of its points`() throws {
    var random = SeededGenerator(seed: 32)
    for _ in 0..<300 {
      let center = try #require(
        GeoPoint(
          latitude: Double.random(in: -90...90, using: &random),
          longitude: Double.random(in: -180...180, using: &random)))
      let circle = GeoCircle(
        center: center, radius: try #require(Distance.kilometers(Double.random(in: 1...3000))))
      let region = try PreparedRegion(.circle(circle))
      let grid = DegreeGrid(degrees: random.pick(DegreeGrid.sides))
      let cells = grid.numbers(covering: region.envelopes)
      for _ in 0..<50 {
        let longitude = Double.random(in: -180...180, using: &random)
        let latitude = Double.random(in: -90...90, using: &random)
        guard region.contains(longitude: longitude, latitude: latitude) else { continue }
        #expect(cells.contains(grid.number(longitude: longitude, latitude: latitude)), "\(circle)")
      }
      #expect(cells.contains(grid.number(longitude: center.longitude, latitude: center.latitude)))
    }
  }

  @Test func `partitions by cells have about as many rows`() {
    var random = SeededGenerator(seed: 33)
    for parts in [1, 2, 3, 9] {
      let counts = (0..<200).map { _ in random.below(100) }
      let starts = TablePartitions.starts(counts, parts: parts)
      #expect(starts.count == parts && starts.first == -1)
      let ends = starts.dropFirst().map { $0 } + [200]
      for (start, end) in zip(starts, ends) {
        let sum = counts[Int(max(0, start))..<Int(end)].reduce(0, +)
        #expect(abs(sum - counts.reduce(0, +) / parts) <= 200, "\(parts): \(starts)")
      }
    }
    // All rows in one cell: each partition still has a cell.
    let starts = TablePartitions.starts([0, 0, 0, 0, 9], parts: 3)
    #expect(starts.count == 3 && Set(starts).count == 3)
  }

  @Test(arguments: ["hash(code)", "hash(_key)", "cell(site)"])
  func `a table with partitions in its database has the same objects`(
    expression: String
  ) async throws {
    let local = try PortStore(PortStore.ports(60))
    let address = try #require(PostgresServer.shared).newAddress()
    let push = try StorePush(
      try OpenStores.store(at: local.path, mustExist: true).snapshot(),
      layout: .partitions(try RowDivision(try PartitionExpression(expression), count: 5)))
    _ = try await push.run(try await PostgresConnection.open(address))
    let store = try await PostgresStore.connect(address)
    let ports = store.objects(PostgresPort.self)
    var codes: [String] = []
    for try await port in ports.where({ $0.depth > 2 }) { codes.append(port.code) }
    #expect(codes == local.realm.objects(PostgresPort.self).where { $0.depth > 2 }.map(\.code))
    #expect(try await ports.count() == 60)
    // Changes would need keys of the whole table.
    await #expect(throws: PostgresMappingError.self) { try await ports.delete() }
    await #expect(throws: PostgresMappingError.self) { try await store.add([PostgresPort()]) }
    await #expect(throws: PostgresMappingError.self) { try await ports.setValue(1, for: \.depth) }
    // A push without partitions replaces them.
    try await local.push(to: address)
    try await store.refresh()
    #expect(try await ports.where { $0.code == "P1" }.delete() == 1)
  }

  @Test func `the statements of Citus are printed, and a server without it is refused`()
    async throws
  {
    let local = try PortStore(PortStore.ports(3))
    let push = try StorePush(
      try OpenStores.store(at: local.path, mustExist: true).snapshot(), layout: .citus)
    #expect(
      try push.citusStatements
        == ["SELECT create_distributed_table(E'\"PostgresPort\"', E'_key')"])
    let address = try #require(PostgresServer.shared).newAddress()
    let error = await #expect(throws: PostgresMappingError.self) {
      _ = try await push.run(try await PostgresConnection.open(address))
    }
    #expect(error?.reason.contains("citus") == true)
    #expect(try await PostgresStore.connect(address).classNames.isEmpty)
  }
}
