import Cadastre
import CadastrePostgres
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Objects of a Realm that were copied to a server, and those that are added there.
@Suite(.serialized, .enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct PostgresStoreTests {
  private let local: PortStore
  private let address: String
  private let store: PostgresStore

  init() async throws {
    local = try PortStore(PortStore.ports(60))
    address = try await local.push(to: try #require(PostgresServer.shared))
    store = try await PostgresStore.connect(address, maximumConnections: 2)
  }

  private var ports: PostgresResults<PostgresPort> { store.objects(PostgresPort.self) }

  private func codes(_ results: PostgresResults<PostgresPort>) async throws -> [String] {
    var codes: [String] = []
    for try await port in results { codes.append(port.code) }
    return codes
  }

  @Test func `conditions give the objects of the Realm`() async throws {
    let realm = local.realm.objects(PostgresPort.self)
    let center = GeoPoint(latitude: 0, longitude: 0)!
    let circle = GeoCircle(center: center, radius: .kilometers(6000)!)
    let conditions: [(Query<PostgresPort>) -> Query<Bool>] = [
      { $0.depth > 3 }, { $0.depth == nil || $0.draft < 1 }, { $0.code.starts(with: "P1") },
      { $0.site.geoWithin(circle) }, { $0.sister.depth == 2 }, { !$0.isOpen && $0.fee < 0 },
    ]
    for condition in conditions {
      let expected = realm.where(condition)
      #expect(!expected.isEmpty)
      #expect(try await codes(ports.where(condition)) == Array(expected.map(\.code)))
      #expect(try await ports.where(condition).count() == expected.count)
    }
    let sorted = realm.sorted(by: \.depth, ascending: false).sorted(by: \.isOpen)
    #expect(
      try await codes(ports.sorted(by: \.depth, ascending: false).sorted(by: \.isOpen))
        == Array(sorted.map(\.code)))
    #expect(
      try await codes(ports.nearest(9, to: center, of: \.site))
        == Array(realm.nearest(9, to: center, of: \.site).map(\.code)))
    #expect(
      try await codes(ports.limit(5, offset: 3).limit(4, offset: 2))
        == Array(realm.map(\.code)[5..<8]))
    #expect(try await ports.limit(5, offset: 58).count() == 2)
    #expect(try await ports.sum(of: \.depth) == Double(realm.sum(of: \.depth) ?? 0))
    #expect(try await ports.max(of: \.depth) == 6)
    #expect(try await ports.min(of: \.code) == "P0")
    #expect(try await ports.where { $0.code == "?" }.average(of: \.depth) == nil)
    #expect(try await ports.explain().contains("PostgresPort"))
    let parsed = try ports.filter(parsing: "depth BETWEEN {2, %@}", arguments: [4])
    #expect(try await parsed.count() == realm.filter("depth BETWEEN {2, 4}").count)
  }

  @Test func `objects have the values of the Realm`() async throws {
    for try await port in ports {
      let original = try #require(
        local.realm.object(ofType: PostgresPort.self, forPrimaryKey: port.code))
      #expect(port.realm == nil && port.sister == nil)
      #expect(port.depth == original.depth && port.ratio == original.ratio)
      #expect(port.draft.bitPattern == original.draft.bitPattern || port.draft.isNaN)
      #expect(port.opened == original.opened && port.blob == original.blob)
      #expect(port.token == original.token && port.id == original.id && port.fee == original.fee)
      #expect(port.basin == original.basin && port.isOpen == original.isOpen)
      #expect(Array(port.tags) == Array(original.tags))
      #expect(Set(port.marks) == Set(original.marks))
      #expect(port.prices.count == original.prices.count)
      #expect(
        port.site.map { Array($0.coordinates) } == original.site.map { Array($0.coordinates) })
    }
  }

  @Test func `groups are those of the Realm`() async throws {
    let realm = local.realm.objects(PostgresPort.self)
    let condition: (Query<PostgresPort>) -> Query<Bool> = { $0.code != "P7" }
    let (found, expected) = (ports.where(condition), realm.where(condition))
    #expect(
      try await found.grouped(by: \.depth).count() == expected.grouped(by: \.depth).count())
    #expect(
      try await found.grouped(by: \.isOpen).max(of: \.depth).map { $0.value.flatMap { $0 } }
        == expected.grouped(by: \.isOpen).max(of: \.depth).map(\.value))
    #expect(
      try await found.grouped(by: \.opened).count() == expected.grouped(by: \.opened).count())
    #expect(try await found.grouped(by: \.id).count() == expected.grouped(by: \.id).count())
    let drafts = try await found.grouped(by: \.draft).count()
    let others = expected.grouped(by: \.draft).count()
    #expect(drafts.map(\.value) == others.map(\.value) && drafts[0].key.isNaN)
    #expect(drafts.dropFirst().map(\.key) == others.dropFirst().map(\.key))
    let sums = try await found.grouped(by: \.isOpen).sum(of: \.depth)
    #expect(
      sums.map(\.value)
        == expected.grouped(by: \.isOpen).sum(of: \.depth).map { Double($0.value ?? 0) })
    await #expect(throws: UntranslatablePart.self) {
      _ = try await found.grouped(by: \.basin).count()
    }
  }

  @Test func `values, distances and links are those of the Realm`() async throws {
    struct Row: Decodable, Equatable {
      struct Site: Decodable, Equatable { let coordinates: [Double] }
      let code: String
      let depth: Int16?
      let opened: Date?
      let site: Site?
      let tags: [String]
      let prices: [String: Double?]
    }
    let realm = local.realm.objects(PostgresPort.self)
    var rows: [Row] = []
    for try await row in ports.values(as: Row.self) { rows.append(row) }
    #expect(
      rows
        == realm.map { port in
          Row(
            code: port.code, depth: port.depth.map { Int16($0) }, opened: port.opened,
            site: port.site.map { Row.Site(coordinates: Array($0.coordinates)) },
            tags: Array(port.tags),
            prices: Dictionary(uniqueKeysWithValues: port.prices.map { ($0.key, $0.value) }))
        })
    struct Other: Decodable { let depth: String }
    struct Missing: Decodable { let nothing: Int }
    await #expect(throws: DecodingError.self) {
      for try await _ in ports.values(as: Other.self) {}
    }
    await #expect(throws: DecodingError.self) {
      for try await _ in ports.values(as: Missing.self) {}
    }
    var codes: [String?] = []
    for try await port in ports.dictionaries() { codes.append(port["code"] as? String) }
    #expect(codes == realm.map(\.code))
    let center = GeoPoint(latitude: 0, longitude: 0)!
    var distances: [Double?] = []
    for try await (port, distance) in ports.nearest(70, to: center, of: \.site)
      .withDistances(from: center, of: \.site)
    {
      #expect((port.site == nil) == (distance == nil))
      distances.append(distance?.asMeters())
    }
    let expected = realm.nearest(70, to: center, of: \.site)
      .withDistances(from: center, of: \.site).map { $0.distance?.asMeters() }
    #expect(distances.count == expected.count)
    for (found, other) in zip(distances, expected) {
      #expect(abs((found ?? -1) - (other ?? -1)) < 1e-6)
    }
    var sisters: [String?] = []
    for try await port in ports.loading(\.sister) { sisters.append(port.sister?.code) }
    #expect(sisters == realm.map { $0.sister?.code } && sisters.contains { $0 != nil })
  }

  @Test func `a second copy changes nothing, and a pull returns the same`() async throws {
    try await local.push(to: address)
    let connection = try await PostgresConnection.open(address)
    let path = local.folder.appending(path: "pulled.cadastre").path
    let copied = try await StorePull(try await RemoteClasses.read(connection))
      .run(storeAt: path, connection)
    #expect(copied.map(\.count) == [60])
    let pulled = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: PortStore.classes))
    for (port, original) in zip(
      pulled.objects(PostgresPort.self), local.realm.objects(PostgresPort.self))
    {
      #expect(port.code == original.code && port.sister?.code == original.sister?.code)
      #expect(port.mooring?.keeper?.code == original.mooring?.keeper?.code)
      #expect(Array(port.partners.map(\.code)) == Array(original.partners.map(\.code)))
      #expect(
        Array(port.marks) == Array(original.marks) && port.prices["a b"] == original.prices["a b"])
      #expect(port.opened == original.opened && port.basin == original.basin)
    }
    // Pulled again, the store has the same objects.
    let contents = try PortStore.contents(path)
    #expect(try await PortStore.pull(address, to: path).map(\.count) == [60])
    #expect(try PortStore.contents(path) == contents && contents.count == 60)
  }

  @Test func `a class whose table in the store has another name keeps its collections`()
    async throws
  {
    let connection = try await PostgresConnection.open(address)
    let path = local.folder.appending(path: "clash.cadastre").path
    // SQLite does not tell the names of the tables apart, so the second one is another.
    let transaction = try OpenStores.store(at: path).beginWrite()
    try transaction.adopt(
      Schema([
        ObjectSchema(className: "postgresport", properties: [Property(name: "n", type: .int)])
      ]))
    try transaction.commit()
    let classes = try await RemoteClasses.read(connection)
    _ = try await StorePull(classes).run(storeAt: path, connection)
    let second = try #require(PostgresServer.shared).newAddress()
    let other = try await PostgresConnection.open(second)
    let push = try StorePush(
      try OpenStores.store(at: path, mustExist: true).snapshot(), classes: ["PostgresPort"])
    _ = try await push.run(other)
    let copy = try await PostgresStore.connect(second)
    var tags: [[String]] = []
    for try await port in copy.objects(PostgresPort.self) { tags.append(Array(port.tags)) }
    #expect(tags == local.realm.objects(PostgresPort.self).map { Array($0.tags) })
    #expect(tags.contains { !$0.isEmpty })
  }

  @Test func `added objects are found, updated and deleted`() async throws {
    let port = PostgresPort()
    port.code = "new"
    port.depth = 99
    port.site = PostgresSite(10, 20)
    port.tags.append("x")
    port.sister = PostgresPort()
    port.sister?.code = "P1"
    try await store.add([port])
    let found = try #require(
      try await ports.where { $0.sister.code == "P1" && $0.depth == 99 }.first())
    #expect(found.code == "new" && Array(found.tags) == ["x"])
    let repeated = await #expect(throws: PostgresError.self) { try await store.add([port]) }
    #expect(repeated?.sqlState == "23505")
    port.depth = 100
    try await store.add([port], update: .modified)
    #expect(try await ports.count() == 61)
    #expect(try await ports.max(of: \.depth) == 100)
    port.sister?.code = "missing"
    await #expect(throws: PostgresMappingError.self) {
      try await store.add([port], update: .modified)
    }
    #expect(try await ports.where { $0.depth == 100 }.setValue(nil, for: \.depth) == 1)
    #expect(try await ports.where { $0.depth == 100 }.count() == 0)
    await #expect(throws: PostgresMappingError.self) {
      try await ports.setValue("same", for: \.code)
    }
    // P1 is the sister of the new port, and P0 a partner of many.
    #expect(try await ports.where { $0.code == "P1" || $0.code == "P0" }.delete() == 2)
    #expect(try await ports.where { $0.code == "new" && $0.sister == nil }.count() == 1)
    let path = local.folder.appending(path: "after.cadastre").path
    let connection = try await PostgresConnection.open(address)
    _ = try await StorePull(try await RemoteClasses.read(connection)).run(storeAt: path, connection)
    let pulled = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: PortStore.classes))
    let moorings = pulled.objects(PostgresPort.self).compactMap(\.mooring)
    #expect(!moorings.isEmpty)
    #expect(moorings.allSatisfy { $0.keeper == nil && $0.others.count == 1 })
    let partners = pulled.objects(PostgresPort.self).flatMap { $0.partners.map(\.code) }
    #expect(!partners.isEmpty && !partners.contains("P0"))
  }

  @Test func `values that PostgreSQL cannot hold are refused with their place`() async throws {
    let port = PostgresPort()
    port.code = "a\0b"
    let error = await #expect(throws: PostgresMappingError.self) { try await store.add([port]) }
    #expect(error?.subject.contains("column 'code'") == true)
    try local.realm.write { local.realm.add(port) }
    await #expect(throws: PostgresMappingError.self) { try await local.push(to: address) }
    #expect(try await ports.count() == 60)
  }

  @Test func `an iteration that ends early gives its connection back`() async throws {
    for _ in 0..<10 {
      for try await port in ports where port.code == "P3" { break }
    }
    let ports = ports
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await ports.count() } }
      for try await count in group { #expect(count == 60) }
    }
  }

  @Test func `classes that differ are refused by name`() async throws {
    let connection = try await PostgresConnection.open(address)
    try await connection.run(
      SQLStatement(
        "UPDATE public.\"_cadastre_classes\" "
          + "SET definition = replace(definition, '\"draft\"', '\"draught\"')"
      ))
    try await store.refresh()
    let error = await #expect(throws: PostgresMappingError.self) { _ = try await ports.count() }
    #expect(error?.description.contains("draft") == true)
    try await connection.run("UPDATE public.\"_cadastre_classes\" SET definition = '{'")
    await #expect(throws: PostgresMappingError.self) { try await store.refresh() }
    try await connection.run("DELETE FROM public.\"_cadastre_classes\"")
    try await store.refresh()
    #expect(store.classNames.isEmpty)
    // A table that is not from a push is not replaced.
    let refusal = await #expect(throws: PostgresMappingError.self) {
      try await local.push(to: address)
    }
    #expect(refusal?.reason.contains("not from Cadastre") == true)
  }
}
