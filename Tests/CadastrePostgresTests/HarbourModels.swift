import Cadastre
import CadastrePostgres
import CadastreStore
import CadastreTestSupport
import Foundation

/// An object to which links lead.
final class PostgresPilot: Object {
  @Persisted(primaryKey: true) var name = ""

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An embedded object with values and links.
final class PostgresBerth: EmbeddedObject {
  @Persisted var length = 0.0
  @Persisted var depth: Int?
  @Persisted var lights: List<String>
  @Persisted var pilot: PostgresPilot?
  @Persisted var deputies: List<PostgresPilot>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class with a property of each kind that a table holds, links in all collections included.
final class PostgresHarbour: Object {
  @Persisted(primaryKey: true) var code = ""
  @Persisted var isOpen = false
  @Persisted var number = 0
  @Persisted var small: Int?
  @Persisted var draft = 0.0
  @Persisted var ratio: Float?
  @Persisted var title: String?
  @Persisted var opened: Date?
  @Persisted var blob: Data?
  @Persisted var token: UUID?
  @Persisted var id: ObjectId?
  @Persisted var fee: Decimal128?
  @Persisted var basin: Geometry?
  @Persisted var site: PostgresSite?
  @Persisted var berth: PostgresBerth?
  @Persisted var tags: List<String>
  @Persisted var marks: MutableSet<Int>
  @Persisted var prices: Map<String, Double?>
  @Persisted var chief: PostgresPilot?
  @Persisted var pilots: List<PostgresPilot>
  @Persisted var crew: MutableSet<PostgresPilot>
  @Persisted var duties: Map<String, PostgresPilot?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The embedded class, as a program with fewer properties declares it.
final class NarrowBerth: EmbeddedObject {
  @Persisted var length = 0.0

  override class func _realmObjectName() -> String? { "PostgresBerth" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The class, as a program with fewer properties declares it.
final class NarrowHarbour: Object {
  @Persisted(primaryKey: true) var code = ""
  @Persisted var isOpen = false
  @Persisted var number = 0
  @Persisted var draft = 0.0
  @Persisted var berth: NarrowBerth?

  override class func _realmObjectName() -> String? { "PostgresHarbour" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A database with three harbours and four pilots, and the cells of its tables.
struct HarbourDatabase {
  let address: String
  let store: PostgresStore

  init(on server: PostgresServer) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "harbours.cadastre")
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: file,
        objectTypes: [
          PostgresHarbour.self, PostgresBerth.self, PostgresSite.self, PostgresPilot.self,
        ]))
    let pilots = (0..<4).map { PostgresPilot("P\($0)") }
    try realm.write {
      realm.add(pilots)
      realm.add(["A", "B", "C"].map { Self.harbour($0, pilots) })
    }
    address = try server.newAddress()
    let push = try StorePush(try OpenStores.store(at: file.path, mustExist: true).snapshot())
    _ = try await push.run(try await PostgresConnection.open(address))
    store = try await PostgresStore.connect(address)
  }

  /// A harbour with values at the limits of their types, and links to pilots.
  static func harbour(_ code: String, _ pilots: [PostgresPilot]) -> PostgresHarbour {
    let harbour = PostgresHarbour()
    harbour.code = code
    harbour.isOpen = true
    harbour.number = .max
    harbour.small = -1
    harbour.draft = -0.0
    harbour.ratio = 0.1
    harbour.title = "é '\""
    harbour.opened = Date(timeIntervalSince1970: -0.25)
    harbour.blob = Data([0, 255])
    harbour.token = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
    harbour.id = ObjectId.generate()
    harbour.fee = Decimal128(stringLiteral: "1.50")
    harbour.basin = try? Geometry(wkt: "LINESTRING (0 0, 1 1)")
    harbour.site = PostgresSite(10, 20)
    harbour.berth = PostgresBerth()
    harbour.berth?.length = 120
    harbour.berth?.depth = 9
    harbour.berth?.lights.append("red")
    harbour.berth?.pilot = pilots[1]
    harbour.berth?.deputies.append(objectsIn: [pilots[0], pilots[1]])
    harbour.tags.append(objectsIn: ["x", "y"])
    harbour.marks.insert(objectsIn: [1, -2])
    harbour.prices["a b"] = 1.5
    harbour.prices["none"] = .some(nil)
    harbour.chief = pilots[0]
    harbour.pilots.append(objectsIn: [pilots[0], pilots[1], pilots[0]])
    harbour.crew.insert(objectsIn: [pilots[0], pilots[2]])
    harbour.duties["day"] = pilots[0]
    harbour.duties["night"] = pilots[1]
    return harbour
  }

  @discardableResult
  func run(_ text: String) async throws -> PostgresValue {
    let result = try await PostgresConnection.open(address).run(SQLStatement(text))
    return result.rowCount > 0 ? try result.value(0, 0) : .null
  }

  /// The cells of a harbour as text, by column, and the place of its row, which each update changes.
  func cells(_ code: String) async throws -> [String: PostgresValue] {
    let columns = try await PostgresConnection.open(address).run(
      "SELECT column_name::text FROM information_schema.columns WHERE table_name = 'PostgresHarbour'"
    )
    var names = ["ctid"]
    for row in 0..<columns.rowCount {
      if case .text(let name) = try columns.value(row, 0) { names.append(name) }
    }
    let list = names.map { SQLStatement.quoted($0) + "::text" }.joined(separator: ", ")
    let row = try await PostgresConnection.open(address).run(
      SQLStatement("SELECT \(list) FROM public.\"PostgresHarbour\" WHERE code = '\(code)'"))
    return Dictionary(uniqueKeysWithValues: zip(names, try row.row(0)))
  }

  /// The columns whose cells differ, without the place of the row; those of the point as `site.*`.
  func changed(
    _ code: String, since before: [String: PostgresValue]
  ) async throws -> Set<String> {
    let after = try await cells(code)
    let changed = after.keys.filter { $0 != "ctid" && after[$0] != before[$0] }
    return Set(changed.map { $0.hasPrefix("site.") ? "site.*" : $0 })
  }

  /// The only harbour with a code, read with some links.
  func harbour(
    _ code: String,
    _ loading: (PostgresResults<PostgresHarbour>) -> PostgresResults<PostgresHarbour> = { $0 }
  ) async throws -> PostgresHarbour? {
    try await loading(store.objects(PostgresHarbour.self).where { $0.code == code }).first()
  }
}
