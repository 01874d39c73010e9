import Cadastre
import CadastreStore
import CadastrePostgres
import CadastreTestSupport
import Foundation

/// A point in the GeoJSON form.
final class PostgresSite: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  convenience init(_ longitude: Double, _ latitude: Double) {
    self.init()
    coordinates.append(objectsIn: [longitude, latitude])
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An embedded object with links.
final class PostgresMooring: EmbeddedObject {
  @Persisted var keeper: PostgresPort?
  @Persisted var others: List<PostgresPort>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class with a property of each kind that a table holds.
final class PostgresPort: Object {
  @Persisted(primaryKey: true) var code = ""
  @Persisted(indexed: true) var depth: Int?
  @Persisted var draft = 0.0
  @Persisted var ratio: Float?
  @Persisted var isOpen = false
  @Persisted var opened: Date?
  @Persisted var blob: Data?
  @Persisted var token: UUID?
  @Persisted var id: ObjectId?
  @Persisted var fee: Decimal128?
  @Persisted var site: PostgresSite?
  @Persisted var mooring: PostgresMooring?
  @Persisted var basin: Geometry?
  @Persisted var tags: List<String>
  @Persisted var marks: MutableSet<Int>
  @Persisted var prices: Map<String, Double?>
  @Persisted var sister: PostgresPort?
  @Persisted var partners: List<PostgresPort>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A store with ports in a temporary folder.
struct PortStore {
  let folder: URL
  let realm: Realm

  static let classes: [ObjectBase.Type] = [
    PostgresPort.self, PostgresSite.self, PostgresMooring.self,
  ]

  var path: String { folder.appending(path: "ports.cadastre").path }

  init(_ ports: [PostgresPort]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: folder.appending(path: "ports.cadastre"), objectTypes: Self.classes))
    try realm.write { realm.add(ports) }
  }

  /// Copies the store to a new database and returns its connection string.
  func push(to server: PostgresServer) async throws -> String {
    let address = try server.newAddress()
    try await push(to: address)
    return address
  }

  /// Copies the store to a database.
  @discardableResult
  func push(to address: String, replacing: Bool = false) async throws -> [StorePush.Copied] {
    try await Self.push(path, to: address, replacing: replacing)
  }

  /// Copies a store to a database.
  @discardableResult
  static func push(
    _ path: String, to address: String, replacing: Bool = false
  ) async throws -> [StorePush.Copied] {
    let snapshot = try OpenStores.store(at: path, mustExist: true).snapshot()
    let push = try StorePush(snapshot)
    return try await push.run(try await PostgresConnection.open(address), replacing: replacing)
  }

  /// Copies a database to a store.
  @discardableResult
  static func pull(
    _ address: String, to path: String, replacing: Bool = false
  ) async throws -> [StorePush.Copied] {
    let connection = try await PostgresConnection.open(address)
    return try await StorePull(try await RemoteClasses.read(connection))
      .run(storeAt: path, connection, replacing: replacing)
  }

  /// Changes the ports of a store.
  static func edit(_ path: String, _ change: (Realm) throws -> Void) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: classes))
    try realm.write { try change(realm) }
  }

  /// The properties of the ports of a store that tests change, by their codes.
  static func contents(_ path: String) throws -> [String: [String]] {
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: classes))
    // A Realm that this thread has opened before is still at its version.
    realm.refresh()
    return Dictionary(
      uniqueKeysWithValues: realm.objects(PostgresPort.self).map { port in
        (
          port.code,
          [
            "\(port.depth ?? -1)", port.sister?.code ?? "", port.partners.map(\.code).joined(),
            "\(port.site.map { Array($0.coordinates) } ?? [])", port.tags.joined(),
          ]
        )
      })
  }

  /// Ports with values at the limits of their types.
  static func ports(_ count: Int) -> [PostgresPort] {
    let ports = (0..<count).map { number in
      let port = PostgresPort()
      port.code = "P\(number)"
      port.depth = number % 5 == 0 ? nil : number % 7
      port.draft = [0.5, -0.0, .infinity, .nan, 1e300][number % 5]
      port.ratio = number % 3 == 0 ? nil : Float(number) / 3
      port.isOpen = number % 2 == 0
      port.opened = number % 4 == 0 ? nil : Date(timeIntervalSince1970: Double(number) * 1e7 - 0.25)
      port.blob = number % 4 == 1 ? nil : Data([0, 255, UInt8(number % 256)])
      port.token = number % 6 == 0 ? nil : UUID()
      port.id = number % 6 == 1 ? nil : ObjectId.generate()
      port.fee = number % 3 == 1 ? nil : Decimal128(stringLiteral: "-1.50E-\(number)")
      let degrees = Double(number) * 7
      port.site =
        number % 8 == 0
        ? nil
        : PostgresSite(
          degrees.truncatingRemainder(dividingBy: 180), -degrees.truncatingRemainder(dividingBy: 90)
        )
      port.basin = number % 2 == 0 ? nil : try? Geometry(wkt: "LINESTRING (0 0, \(number) 1)")
      port.tags.append(objectsIn: (0..<number % 4).map { "tag '\($0)\" é" })
      port.marks.insert(objectsIn: (0..<number % 3).map { $0 * number })
      if number % 3 == 0 { port.prices["a b"] = 1.5 }
      return port
    }
    for (number, port) in ports.enumerated() where number % 3 == 2 {
      port.sister = ports[(number * 7) % count]
      port.mooring = PostgresMooring()
      port.mooring?.keeper = ports[1]
      port.mooring?.others.append(objectsIn: [ports[1], ports[number]])
      port.partners.append(objectsIn: [ports[0], ports[number], ports[0]])
    }
    return ports
  }
}

/// A place with a point; a test stores many of them.
final class PostgresPlace: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted(indexed: true) var population = 0
  @Persisted var rating: Double?
  @Persisted var location: PostgresSite?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A store with places in a temporary folder.
struct PlaceStore {
  let folder: URL
  let realm: Realm

  var path: String { folder.appending(path: "places.cadastre").path }

  init(_ count: Int, seed: UInt64) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: folder.appending(path: "places.cadastre"),
        objectTypes: [PostgresPlace.self, PostgresSite.self]))
    var random = SeededGenerator(seed: seed)
    try realm.write {
      for number in 0..<count {
        let place = PostgresPlace()
        place.id = number
        place.name = "place \(random.below(count))"
        place.population = random.below(100_000)
        place.rating = random.oneIn(9) ? nil : Double(random.below(50)) / 10
        if !random.oneIn(20) {
          // Whole degrees are on the sides of cells.
          place.location = PostgresSite(
            Double(random.below(361) - 180), Double(random.below(181) - 90))
        }
        realm.add(place)
      }
    }
  }

  /// Copies the places to a new database of a server.
  func push(
    to server: PostgresServer, by expression: String, on others: [PostgresServer]
  ) async throws -> String {
    let address = try server.newAddress()
    let division = try RowDivision(
      try PartitionExpression(expression), servers: try others.map { try $0.newAddress() })
    let push = try StorePush(
      try OpenStores.store(at: path, mustExist: true).snapshot(), layout: .partitions(division))
    _ = try await push.run(try await PostgresConnection.open(address))
    return address
  }
}
