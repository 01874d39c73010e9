import Cadastre
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastrePostgres

/// An object with links to objects of another class.
final class CopiedBoat: Object {
  @Persisted(primaryKey: true) var code: String?
  @Persisted var depth = 0
  @Persisted var pilot: PostgresPilot?
  @Persisted var pilots: List<PostgresPilot>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An object without a primary key, with a link to another one.
final class CopiedNote: Object {
  @Persisted var text = ""
  @Persisted var next: CopiedNote?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Objects with primary keys of other types.
final class CopiedNumber: Object {
  @Persisted(primaryKey: true) var id: Int?
  @Persisted var text = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class CopiedToken: Object {
  @Persisted(primaryKey: true) var id = UUID()
  @Persisted var text = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class CopiedMark: Object {
  @Persisted(primaryKey: true) var id = ObjectId.generate()
  @Persisted var text = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Keys and primary keys of rows in copies between stores and databases.
@Suite(.serialized, .enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct CopiedKeyTests {
  private static let classes: [ObjectBase.Type] = [
    CopiedBoat.self, CopiedNote.self, CopiedNumber.self, CopiedToken.self, CopiedMark.self,
    PostgresPilot.self,
  ]

  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private let address: String

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    address = try #require(PostgresServer.shared).newAddress()
  }

  private func file(_ name: String) -> String { folder.appending(path: name).path }

  @discardableResult
  private func run(_ text: String, on address: String? = nil) async throws -> PostgresValue? {
    let result = try await PostgresConnection.open(address ?? self.address).run(SQLStatement(text))
    return result.rowCount > 0 ? try result.value(0, 0) : nil
  }

  /// Changes a store, or makes it.
  @discardableResult
  private func edit(_ name: String, _ change: (Realm) throws -> Void) throws -> String {
    let path = file(name)
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: Self.classes))
    try realm.write { try change(realm) }
    return path
  }

  /// A line for each object of a store.
  private func contents(_ path: String) throws -> [String] {
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: Self.classes))
    realm.refresh()
    var lines: [String] = realm.objects(CopiedBoat.self).map {
      "boat \($0.code ?? "nil") \($0.depth) \($0.pilot?.name ?? "") "
        + $0.pilots.map(\.name).joined(separator: ",")
    }
    lines += realm.objects(CopiedNote.self).map { "note \($0.text) \($0.next?.text ?? "")" }
    lines += realm.objects(CopiedNumber.self).map { "\($0.id ?? -1) \($0.text)" }
    lines += realm.objects(CopiedToken.self).map { "\($0.id) \($0.text)" }
    lines += realm.objects(CopiedMark.self).map { "\($0.id) \($0.text)" }
    lines += realm.objects(PostgresPilot.self).map { "pilot \($0.name)" }
    return lines.sorted()
  }

  /// The objects of a database, as a new store gets them.
  private func contents(of address: String) async throws -> [String] {
    let path = file(UUID().uuidString + ".cadastre")
    try await PortStore.pull(address, to: path)
    return try contents(path)
  }

  private func push(_ path: String, _ classes: [String]) async throws {
    let snapshot = try OpenStores.store(at: path, mustExist: true).snapshot()
    _ = try await StorePush(snapshot, classes: classes)
      .run(try await PostgresConnection.open(address))
  }

  private func refused(_ body: () async throws -> Void) async throws -> String {
    let error = await #expect(throws: PostgresMappingError.self) { try await body() }
    return try #require(error).description
  }

  private func addBoats(_ realm: Realm, _ codes: [String?]) {
    for (number, code) in codes.enumerated() {
      let boat = CopiedBoat()
      boat.code = code
      boat.depth = number
      realm.add(boat)
    }
  }

  // MARK: Primary keys

  @Test func `rows that exchange their primary keys are pulled and pushed`() async throws {
    let path = try edit("a.cadastre") { realm in
      addBoats(realm, ["A", "B", "C", nil, "E"])
      for number in 0..<4 {
        let (first, second, third) = (CopiedNumber(), CopiedToken(), CopiedMark())
        first.id = number == 0 ? nil : number
        (first.text, second.text, third.text) = ("\(number)", "\(number)", "\(number)")
        realm.add([first])
        realm.add([second])
        realm.add([third])
      }
    }
    let second = try #require(PostgresServer.shared).newAddress()
    try await PortStore.push(path, to: address)
    try await PortStore.push(path, to: second)
    // Constraints are checked at the end, so that one statement gives each row the key of the next one.
    for (name, column) in [
      ("CopiedBoat", "code"), ("CopiedNumber", "id"), ("CopiedToken", "id"), ("CopiedMark", "id"),
    ] {
      let table = "public.\"\(name)\""
      try await run("CREATE TABLE public.k AS SELECT \"_key\" n, \(column) v FROM \(table)")
      try await run(
        "UPDATE public.k SET n = CASE n WHEN 1 THEN (SELECT max(n) FROM public.k) ELSE n - 1 END")
      try await run("ALTER TABLE \(table) DROP CONSTRAINT \"\(name)_\(column)_key\"")
      try await run("UPDATE \(table) t SET \(column) = v FROM public.k WHERE n = t.\"_key\"")
      try await run("ALTER TABLE \(table) ADD UNIQUE NULLS NOT DISTINCT (\(column))")
      try await run("DROP TABLE public.k")
    }
    try await run("UPDATE public.\"CopiedBoat\" SET code = 'F' WHERE code = 'A'")
    try await run("INSERT INTO public.\"CopiedBoat\" (code, depth, pilots) VALUES ('A', 9, '{}')")
    let expected = try await contents(of: address)
    #expect(try contents(path) != expected)
    try await PortStore.pull(address, to: path)
    #expect(try contents(path) == expected)
    #expect(try StoreCheck(OpenStores.store(at: path).snapshot()).problems() == [])
    try await PortStore.push(path, to: address)
    #expect(try await contents(of: address) == expected)
    // The other database has the rows of before.
    try await PortStore.push(path, to: second)
    #expect(try await contents(of: second) == expected)
    // Primary keys are unique again.
    #expect(throws: (any Error).self) {
      let file = try OpenStores.store(at: path, mustExist: true)
      let transaction = try file.beginWrite()
      defer { transaction.rollback() }
      let layout = try #require(transaction.catalogue.layout("CopiedToken"))
      let row = try #require(try transaction.row(layout, ObjectKey(1)))
      _ = try transaction.insert("CopiedToken", row)
    }
  }

  @Test func `a primary key that each side gives to another object is refused`() async throws {
    let path = try edit("a.cadastre") { addBoats($0, ["A", "B"]) }
    try await PortStore.push(path, to: address)
    try edit("a.cadastre") { addBoats($0, ["R"]) }
    try await run("UPDATE public.\"CopiedBoat\" SET code = 'R' WHERE code = 'A'")
    let before = try contents(path)
    let text = try await refused { try await PortStore.pull(address, to: path) }
    #expect(text.contains("the same primary key (class 'CopiedBoat': 'R')"), "\(text)")
    #expect(try contents(path) == before)
    let pulled = try await PortStore.pull(address, to: path, replacing: true)
    #expect(pulled.flatMap(\.notes).contains { $0.contains("1 row was inserted ('R')") })
    #expect(try await contents(of: address) == contents(path))
    // The server lets rows share a primary key only without its constraint.
    try await run("ALTER TABLE public.\"CopiedBoat\" DROP CONSTRAINT \"CopiedBoat_code_key\"")
    try await run("UPDATE public.\"CopiedBoat\" SET code = 'R'")
    for path in [path, file("new.cadastre")] {
      let text = try await refused { try await PortStore.pull(address, to: path, replacing: true) }
      #expect(text.contains("the same primary key (class 'CopiedBoat': 'R')"), "\(text)")
    }
  }

  // MARK: Keys

  @Test(arguments: [0, -1, -5, Int64.min])
  func `a row with a key that no object has is refused by name`(key: Int64) async throws {
    let path = try edit("a.cadastre") { addBoats($0, ["A", "B"]) }
    try await PortStore.push(path, to: address)
    try await run("UPDATE public.\"CopiedBoat\" SET \"_key\" = \(key) WHERE code = 'B'")
    let new = file("new.cadastre")
    for path in [path, new] {
      let text = try await refused { try await PortStore.pull(address, to: path) }
      #expect(text.contains("class 'CopiedBoat'") && text.contains("\(key) as _key"), "\(text)")
    }
    #expect(!FileManager.default.fileExists(atPath: new))
    let text = try await refused { try await PortStore.push(path, to: address, replacing: true) }
    #expect(text.contains("\(key) as _key"), "\(text)")
  }

  @Test func `no new row gets a key after the greatest one`() async throws {
    let path = try edit("a.cadastre") { addBoats($0, ["A", "B"]) }
    try await PortStore.push(path, to: address)
    try await run("UPDATE public.\"CopiedBoat\" SET \"_key\" = \(Int64.max) WHERE code = 'B'")
    try await PortStore.pull(address, to: path)
    try edit("a.cadastre") { addBoats($0, ["C"]) }
    let text = try await refused { try await PortStore.push(path, to: address) }
    #expect(text.contains("the greatest _key"), "\(text)")
  }

  // MARK: Links

  @Test func `links of a class that is pushed alone lead to the same objects`() async throws {
    let first = try edit("a.cadastre") { realm in
      realm.add(["X", "Y", "Z"].map { PostgresPilot($0) })
      addBoats(realm, ["A"])
    }
    try await PortStore.push(first, to: address)
    // The other store has the same pilots under other keys, and one that the database has not.
    let second = try edit("b.cadastre") { realm in
      let pilots = ["Z", "Y", "W", "X"].map { PostgresPilot($0) }
      realm.add(pilots)
      addBoats(realm, ["A"])
      guard let boat = realm.objects(CopiedBoat.self).first else { return }
      boat.pilot = pilots[0]
      boat.pilots.append(objectsIn: [pilots[1], pilots[3], pilots[1]])
    }
    _ = try await StorePush(
      OpenStores.store(at: second, mustExist: true).snapshot(), classes: ["CopiedBoat"]
    ).run(try await PostgresConnection.open(address), replacing: true)
    #expect(try await contents(of: address).contains("boat A 0 Z Y,X,Y"))
    for change in ["pilot", "pilots"] {
      try edit("b.cadastre") { realm in
        guard let boat = realm.objects(CopiedBoat.self).first else { return }
        let pilot = realm.object(ofType: PostgresPilot.self, forPrimaryKey: "W")
        boat.pilot = change == "pilot" ? pilot : nil
        if change == "pilots", let pilot { boat.pilots.append(pilot) }
      }
      let text = try await refused { try await push(second, ["CopiedBoat"]) }
      #expect(
        text.contains("column '\(change)'") && text.contains("of class 'PostgresPilot'")
          && text.contains("push that class too"), "\(text)")
    }
    try await push(second, ["CopiedBoat", "PostgresPilot"])
    #expect(try await contents(of: address).contains("boat A 0  Y,X,Y,W"))
  }

  @Test func `objects are deleted while a class without objects gets links to others`()
    async throws
  {
    let path = try edit("a.cadastre") { $0.add(["X", "Y", "Z"].map { PostgresPilot($0) }) }
    try await PortStore.push(path, to: address)
    let other = file("b.cadastre")
    try await PortStore.pull(address, to: other)
    try edit("b.cadastre") { realm in
      realm.delete(realm.objects(PostgresPilot.self).where { $0.name == "X" })
      addBoats(realm, ["A"])
      let boat = realm.objects(CopiedBoat.self).first
      boat?.pilot = realm.object(ofType: PostgresPilot.self, forPrimaryKey: "Y")
      boat?.pilots.append(objectsIn: Array(realm.objects(PostgresPilot.self)))
    }
    try await PortStore.push(other, to: address)
    try await PortStore.pull(address, to: path)
    #expect(try contents(path) == contents(other))
    #expect(try contents(path).contains("boat A 0 Y Y,Z"))
  }

  // MARK: Copies that end early

  @Test func `a push whose record is lost makes no object twice`() async throws {
    let path = try edit("a.cadastre") { realm in
      let notes = ["a", "b"].map { text in
        let note = CopiedNote()
        note.text = text
        return note
      }
      realm.add(notes)
    }
    try await PortStore.push(path, to: address)
    let remote = try await RemoteClasses.read(try await PostgresConnection.open(address))
    let table = try #require(remote.tables["CopiedNote"])
    func record() throws -> Data? {
      try OpenStores.store(at: path, mustExist: true).snapshot()
        .copyRecord("CopiedNote", remote.recordName(of: "CopiedNote"))
    }
    let before = try record()
    try edit("a.cadastre") { realm in
      // Two objects with the same values, which link to each other.
      let notes = [CopiedNote(), CopiedNote()]
      (notes[0].next, notes[1].next) = (notes[1], notes[0])
      realm.add(notes)
    }
    try await PortStore.push(path, to: address)
    let sent = CopiedRows(try record(), form: table.form).rows.suffix(2).map {
      LocalRow(local: $0.local, remote: $0.remote, hash: $0.localHash)
    }
    // The store is as after a push that ended with the commit of the server.
    try OpenStores.store(at: path, mustExist: true).snapshot().keepCopyRecords([
      CopyRecord(
        className: "CopiedNote", name: remote.recordName(of: "CopiedNote"), content: before),
      CopyRecord(
        className: "CopiedNote", name: remote.sentRecordName(of: "CopiedNote"),
        content: CopiedRows(sent: sent).data(form: table.form)),
    ])
    try await PortStore.pull(address, to: path)
    #expect(try contents(path).count == 4)
    try await PortStore.push(path, to: address)
    #expect(try await run("SELECT count(*) FROM public.\"CopiedNote\"") == .int8(4))
    #expect(try await contents(of: address) == contents(path))
  }

  @Test func `a copy without changes writes nothing`() async throws {
    let path = try edit("a.cadastre") { realm in
      realm.add(["X", "Y"].map { PostgresPilot($0) })
      addBoats(realm, ["A", "B"])
      realm.objects(CopiedBoat.self).first?.pilot = realm.objects(PostgresPilot.self).first
    }
    try await PortStore.push(path, to: address)
    func state() async throws -> [PostgresValue?] {
      var values: [PostgresValue?] = []
      for table in ["CopiedBoat", "PostgresPilot", "_cadastre_classes"] {
        values.append(
          try await run(
            "SELECT string_agg(ctid::text || xmin::text, ' ' ORDER BY ctid) FROM public.\"\(table)\""
          ))
      }
      return values
    }
    let file = try OpenStores.store(at: path, mustExist: true)
    let (before, version) = (try await state(), try file.snapshot().version)
    try await PortStore.push(path, to: address)
    try await PortStore.pull(address, to: path)
    try await PortStore.push(path, to: address, replacing: true)
    try await PortStore.pull(address, to: path, replacing: true)
    #expect(try await state() == before)
    #expect(try file.snapshot().version == version)
  }
}
