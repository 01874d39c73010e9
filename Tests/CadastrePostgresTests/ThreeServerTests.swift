import Cadastre
import CadastreModel
import CadastrePostgres
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// A class whose rows are on three servers, compared with the store that was pushed.
@Suite(
  .serialized,
  .enabled(
    if: PostgresServer.shared != nil && PostgresServer.three.count == 3,
    "\(PostgresServer.missing)"))
struct ThreeServerTests {
  private let local: PlaceStore

  /// The number of places; `CADASTRE_PLACES` sets another one.
  private static let count =
    ProcessInfo.processInfo.environment["CADASTRE_PLACES"].flatMap(Int.init) ?? 2000

  init() throws { local = try PlaceStore(Self.count, seed: 41) }

  private func push(
    _ expression: String, on others: [PostgresServer] = PostgresServer.three
  ) async throws -> String {
    try await local.push(to: try #require(PostgresServer.shared), by: expression, on: others)
  }

  private typealias Condition = @Sendable (Query<PostgresPlace>) -> Query<Bool>

  private static func conditions() throws -> [Condition] {
    let circles = try [300, 1000, 3000, 9000].map(circle)
    let pacific = try box(-20, 170, 20, -170)
    let north = try box(60, -60, 80, 0)
    return [
      { $0.location.geoWithin(circles[1]) }, { $0.location.geoWithin(circles[3]) },
      { !$0.location.geoWithin(circles[2]) && $0.population > 50_000 },
      { $0.location.geoWithin(pacific) },
      { $0.id == 77 }, { $0.id == -1 }, { $0.population < 1000 || $0.rating == nil },
      { $0.name.contains("7") && $0.rating > 2 }, { $0.location == nil },
      { $0.location.geoWithin(circles[0]) || $0.location.geoWithin(north) },
    ]
  }

  private static func circle(_ kilometers: Double) throws -> GeoCircle {
    GeoCircle(
      center: try #require(GeoPoint(latitude: 47, longitude: 9)),
      radius: try #require(Distance.kilometers(kilometers)))
  }

  private static func box(
    _ south: Double, _ west: Double, _ north: Double, _ east: Double
  ) throws -> GeoBox {
    try #require(GeoBox(bottomLeft: (south, west), topRight: (north, east)))
  }

  @Test(arguments: ["hash(id)", "hash(_key)", "cell(location, 10)"])
  func `queries give the objects of the store`(expression: String) async throws {
    let store = try await PostgresStore.connect(try await push(expression))
    let places = store.objects(PostgresPlace.self)
    let realm = local.realm.objects(PostgresPlace.self)
    for (number, condition) in try Self.conditions().enumerated() {
      let expected = realm.where(condition)
      var found: [Int] = []
      for try await place in places.where(condition) { found.append(place.id) }
      #expect(found == expected.map(\.id), "\(expression), condition \(number)")
      #expect(try await places.where(condition).count() == expected.count, "condition \(number)")
      #expect(
        try await places.where(condition).sum(of: \.population)
          == Double(expected.sum(of: \.population)), "condition \(number)")
      let greatest: Double? = try await places.where(condition).max(of: \.rating)
      let rating: Double? = expected.max(of: \.rating).flatMap { $0 }
      #expect(greatest == rating, "condition \(number)")
      let mean = try await places.where(condition).average(of: \.population)
      #expect(abs((mean ?? -1) - (expected.average(of: \.population) ?? -1)) < 1e-9)
    }
    let center = try #require(GeoPoint(latitude: 10, longitude: 10))
    var nearest: [Int] = []
    for try await place in places.nearest(20, to: center, of: \.location) {
      nearest.append(place.id)
    }
    #expect(nearest == realm.nearest(20, to: center, of: \.location).map(\.id))
  }

  @Test func `the plan of a region has the servers of its cells only`() async throws {
    let store = try await PostgresStore.connect(try await push("cell(location, 10)"))
    let places = store.objects(PostgresPlace.self)
    func scans(_ results: PostgresResults<PostgresPlace>) async throws -> Int {
      try await results.explain().split(separator: "\n").count { $0.contains("Foreign Scan") }
    }
    let circle = try Self.circle(100)
    #expect(try await scans(places) == 3)
    #expect(try await scans(places.where { $0.location.geoWithin(circle) }) == 1)
    #expect(try await scans(places.where { !$0.location.geoWithin(circle) }) == 3)
    let hashed = try await PostgresStore.connect(try await push("hash(id)"))
    #expect(try await scans(hashed.objects(PostgresPlace.self).where { $0.id == 77 }) == 1)
    #expect(try await scans(hashed.objects(PostgresPlace.self).where { $0.population == 77 }) == 3)
  }

  @Test func `a server that ends fails the queries that need it, and no other`() async throws {
    let server = try #require(PostgresServer.expendable)
    // The first server has the southern cells.
    let store = try await PostgresStore.connect(
      try await push("cell(location, 10)", on: [server] + PostgresServer.three.prefix(2)))
    let places = store.objects(PostgresPlace.self)
    let all = try await places.count()
    let box = try Self.box(85, -100, 89, 100)
    let north = try await places.where { $0.location.geoWithin(box) }.count()
    #expect(all == Self.count && north > 0)
    server.stop()
    defer { server.start() }
    let counting = await #expect(throws: PostgresError.self) { _ = try await places.count() }
    #expect(counting?.kind == .connection && counting?.sqlState?.hasPrefix("08") == true)
    #expect(
      counting?.message.contains("127.0.0.1:\(server.port ?? 0)") == true,
      "\(counting?.message ?? "")")
    var read = 0
    await #expect(throws: PostgresError.self) {
      for try await _ in places { read += 1 }
    }
    #expect(read == 0)
    #expect(try await places.where { $0.location.geoWithin(box) }.count() == north)
    server.start()
    #expect(try await places.count() == all)
  }

  @Test func `a push that fails leaves the partitions of the one before`() async throws {
    let address = try await push("hash(id)")
    let others = try PostgresServer.three.map { try $0.newAddress() }
    let place = PostgresPlace()
    (place.id, place.name) = (-5, "a\0b")
    try local.realm.write { local.realm.add(place) }
    func again() async throws {
      let division = try RowDivision(.hash("id"), count: 4, servers: others)
      let push = try StorePush(
        try OpenStores.store(at: local.path, mustExist: true).snapshot(),
        layout: .partitions(division))
      _ = try await push.run(try await PostgresConnection.open(address))
    }
    let error = await #expect(throws: PostgresMappingError.self) { try await again() }
    #expect(error?.subject.contains("column 'name'") == true)
    let store = try await PostgresStore.connect(address)
    #expect(try await store.objects(PostgresPlace.self).count() == Self.count)
    #expect(try await schemas(others[0]) == 0)
    try local.realm.write { local.realm.delete(place) }
    // Repeated, it leaves one schema for each partition and nothing of those before.
    try await again()
    try await again()
    try await store.refresh()
    #expect(try await store.objects(PostgresPlace.self).count() == Self.count)
    #expect(try await schemas(others[0]) == 2)
    #expect(try await schemas(others[1]) == 1)
  }

  @Test func `a push during which a server ends leaves nothing`() async throws {
    let server = try #require(PostgresServer.expendable)
    let address = try await push("hash(id)")
    let others = try [server.newAddress(), PostgresServer.three[0].newAddress()]
    func again(_ progress: @escaping (String, Int) -> Void) async throws {
      let division = try RowDivision(.hash("id"), servers: others)
      let push = try StorePush(
        try OpenStores.store(at: local.path, mustExist: true).snapshot(),
        layout: .partitions(division))
      _ = try await push.run(try await PostgresConnection.open(address), progress: progress)
    }
    let error = await #expect(throws: PostgresError.self) {
      try await again { _, count in if count > 1000 { server.stop() } }
    }
    server.start()
    #expect(error?.kind == .connection)
    let store = try await PostgresStore.connect(address)
    #expect(try await store.objects(PostgresPlace.self).count() == Self.count)
    for other in others { #expect(try await schemas(other) == 0) }
    try await again { _, _ in }
    try await store.refresh()
    #expect(try await store.objects(PostgresPlace.self).count() == Self.count)
  }

  /// The number of schemas with partitions in a database.
  private func schemas(_ address: String) async throws -> Int64 {
    try await PostgresConnection.open(address).run(
      "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'cadastre%'"
    ).integer(0, 0)
  }

  /// `CADASTRE_SEEDS=N` runs N times as many seeds of 250 queries.
  @Test(arguments: Seeds.usual(51...52))
  func `random queries agree with the store and one server`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 40, boats: 150).withoutNullCharacters
    let file = try TestStore.temporary(holding: fleet)
    let server = try #require(PostgresServer.shared)
    let one = try await PostgresConnection.open(try server.newAddress())
    _ = try await StorePush(try file.snapshot()).run(one)
    let many = try await PostgresConnection.open(try server.newAddress())
    _ = try await StorePush(try file.snapshot(), classes: ["Harbor"]).run(many)
    let expression: PartitionExpression =
      seed % 2 == 0 ? .hash("id") : .cell("place", degrees: 15)
    let division = try RowDivision(
      expression, servers: try PostgresServer.three.map { try $0.newAddress() })
    _ = try await StorePush(
      try file.snapshot(), classes: ["Boat"], layout: .partitions(division)
    ).run(many)
    let classes = (try await RemoteClasses.read(one), try await RemoteClasses.read(many))
    let session = QuerySession(try file.snapshot())
    let makers = ["Boat", "Boat", "Boat", "Harbor"].map {
      RandomPredicates($0, in: classes.0.schema, from: fleet)
    }
    var (agreed, refused) = (0, 0)
    for number in 0..<250 {
      let query = try random.pick(makers).query(depth: random.below(4), &random)
        .boundWithAnyOrder(to: classes.0.schema)
      let text = "seed \(seed), query \(number): \(query.className) where \(query.predicate)"
      do {
        let expected = try session.keys(query).keys
        let single = try await RemoteQuery(classes.0, query).keys(one)
        #expect(single == expected, "\(text)")
        let spread = try await RemoteQuery(classes.1, query).keys(many)
        #expect(spread == expected, "\(text)")
        let count = try await RemoteQuery(classes.1, query).count(many)
        #expect(count == expected.count, "\(text)")
        guard single == expected, spread == expected, count == expected.count else {
          let scanned = try ScanOracle(fleet).keys(query)
          Issue.record("\(text) order \(query.order), reference evaluator \(scanned)")
          return
        }
        agreed += 1
      } catch is UntranslatablePart {
        refused += 1
      }
    }
    print("seed \(seed), \(expression): \(agreed) queries agree, \(refused) were refused")
    #expect(agreed > 180, "too few queries were translated")
  }
}
