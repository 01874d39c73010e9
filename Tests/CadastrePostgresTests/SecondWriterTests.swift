import Cadastre
import CadastrePostgres
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Programs that change the tables of a push between two copies.
@Suite(.serialized, .enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct SecondWriterTests {
  private let local: PortStore
  private let address: String

  init() async throws {
    local = try PortStore(PortStore.ports(12))
    address = try await local.push(to: try #require(PostgresServer.shared))
  }

  private static let table = "public.\"PostgresPort\""
  private static let insertion =
    "INSERT INTO \(table) (code, draft, \"isOpen\", tags, marks, \"prices.keys\", prices, partners) "
    + "VALUES ('S1', 1, false, '{}', '{}', '{}', '{}', '{}')"

  @discardableResult
  private func run(_ text: String) async throws -> PostgresValue? {
    let result = try await PostgresConnection.open(address).run(SQLStatement(text))
    return result.rowCount > 0 ? try result.value(0, 0) : nil
  }

  private func depth(_ code: String) async throws -> PostgresValue? {
    try await run("SELECT depth FROM \(Self.table) WHERE code = '\(code)'")
  }

  /// The ports of the database, as a new store gets them.
  private func remoteContents() async throws -> [String: [String]] {
    let path = local.folder.appending(path: UUID().uuidString + ".cadastre").path
    try await PortStore.pull(address, to: path)
    return try PortStore.contents(path)
  }

  private func refused(_ body: () async throws -> Void) async throws -> String {
    let error = await #expect(throws: PostgresMappingError.self) { try await body() }
    return try #require(error).description
  }

  @Test(arguments: [
    ("UPDATE \(table) SET depth = 77 WHERE code = 'P3'", "1 row was changed ('P3')"),
    ("UPDATE \(table) SET tags = '{a}' WHERE code = 'P4'", "1 row was changed ('P4')"),
    ("UPDATE \(table) SET \"site.longitude\" = 3 WHERE code = 'P1'", "1 row was changed ('P1')"),
    ("DELETE FROM \(table) WHERE code = 'P4'", "1 row was deleted ('P4')"),
    (insertion, "1 row was inserted ('S1')"),
    ("UPDATE \(table) SET depth = 78", "12 rows were changed ('P0', 'P1', 'P2', …)"),
  ])
  func `a push names the rows of others, and overwrites them only on request`(
    statement: String, clause: String
  ) async throws {
    try await run(statement)
    let before = try await remoteContents()
    let text = try await refused { try await local.push(to: address) }
    #expect(text.contains("class 'PostgresPort': \(clause) since the last copy"), "\(text)")
    #expect(text.contains("--replace"))
    #expect(try await remoteContents() == before)
    let pushed = try await local.push(to: address, replacing: true)
    #expect(pushed.map(\.count) == [12])
    #expect(pushed[0].notes.contains { $0.contains(clause) }, "\(pushed)")
    #expect(try await remoteContents() == PortStore.contents(local.path))
    // Nothing of others is left.
    try await local.push(to: address)
  }

  @Test(arguments: [
    "UPDATE \(table) SET depth = 77 WHERE code = 'P3'", "DELETE FROM \(table) WHERE code = 'P4'",
    insertion, "UPDATE \(table) SET \"site.geography\" = 'POINT(3 4)' WHERE code = 'P3'",
    "UPDATE \(table) SET \"_key\" = 99 WHERE code = 'P4'",
  ])
  func `a pull takes the rows of others, and then a push sends the own ones`(
    statement: String
  ) async throws {
    try await run(statement)
    try PortStore.edit(local.path) { realm in
      realm.object(ofType: PostgresPort.self, forPrimaryKey: "P1")?.depth = 55
    }
    let expected = try await remoteContents()
    let pulled = try await PortStore.pull(address, to: local.path)
    #expect(pulled[0].notes == ["changes of the store that stay, for the next push: 1"])
    var contents = try PortStore.contents(local.path)
    #expect(contents["P1"]?[0] == "55" && expected["P1"]?[0] == "1")
    contents["P1"]?[0] = "1"
    #expect(contents == expected)
    try await local.push(to: address)
    #expect(try await depth("P1") == .int8(55))
    #expect(try await remoteContents() == PortStore.contents(local.path))
  }

  @Test func `a push changes rows in place, and keeps what others have added`() async throws {
    let role = "g" + UUID().uuidString.replacing("-", with: "").lowercased()
    for statement in [
      "CREATE ROLE \(role)", "GRANT SELECT ON \(Self.table) TO \(role)",
      "CREATE VIEW public.deep AS SELECT code, depth FROM \(Self.table)",
      "ALTER TABLE \(Self.table) ADD COLUMN note text",
      "UPDATE \(Self.table) SET note = 'n' || code",
      "CREATE INDEX own ON \(Self.table) (note)",
      "ALTER TABLE \(Self.table) ADD CONSTRAINT short CHECK (length(note) < 9)",
      "CREATE POLICY seen ON \(Self.table) USING (true)",
      "CREATE TRIGGER own BEFORE UPDATE ON \(Self.table) FOR EACH ROW "
        + "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
      "CREATE TABLE public.visit (port int8 REFERENCES \(Self.table) (\"_key\"))",
      "INSERT INTO public.visit SELECT \"_key\" FROM \(Self.table) WHERE code = 'P1'",
    ] { try await run(statement) }
    try PortStore.edit(local.path) { realm in
      let ports = realm.objects(PostgresPort.self)
      ports.where { $0.code == "P1" }.first?.depth = 50
      let port = PostgresPort()
      port.code = "N1"
      port.sister = ports.where { $0.code == "P2" }.first
      realm.add(port)
      realm.delete(ports.where { $0.code == "P7" })
    }
    let pushed = try await local.push(to: address)
    #expect(pushed.map(\.count) == [12] && pushed[0].notes.isEmpty)
    #expect(try await remoteContents() == PortStore.contents(local.path))
    #expect(try await run("SELECT depth FROM public.deep WHERE code = 'P1'") == .int8(50))
    #expect(try await run("SELECT count(*) FROM public.deep") == .int8(12))
    #expect(
      try await run("SELECT note FROM \(Self.table) WHERE code = 'P1'") == .text("nP1"))
    #expect(
      try await run("SELECT note IS NULL FROM \(Self.table) WHERE code = 'N1'") == .bool(true))
    #expect(
      try await run("SELECT has_table_privilege('\(role)', '\(Self.table)', 'SELECT')")
        == .bool(true))
    #expect(
      try await run("SELECT count(*) FROM pg_policy WHERE polrelid = '\(Self.table)'::regclass")
        == .int8(1))
    #expect(
      try await run(
        "SELECT count(*) FROM pg_trigger WHERE tgrelid = '\(Self.table)'::regclass "
          + "AND tgname IN ('own', 'cadastre_points')") == .int8(2))
    #expect(
      try await run("SELECT count(*) FROM pg_constraint WHERE conname = 'short'") == .int8(1))
    #expect(try await run("SELECT count(*) FROM pg_class WHERE relname = 'own'") == .int8(1))
    // A row to which a row of others refers is not removed.
    try PortStore.edit(local.path) { realm in
      realm.delete(realm.objects(PostgresPort.self).where { $0.code == "P1" })
    }
    let error = await #expect(throws: PostgresError.self) { try await local.push(to: address) }
    #expect(error?.sqlState == "23503")
  }

  @Test func `a second device pulls before it pushes`() async throws {
    let other = local.folder.appending(path: "other.cadastre").path
    try await PortStore.pull(address, to: other)
    // Both add an object, which gets the same key in each store.
    try PortStore.edit(local.path) { realm in
      realm.object(ofType: PostgresPort.self, forPrimaryKey: "P1")?.depth = 50
      let port = PostgresPort()
      port.code = "A1"
      realm.add(port)
    }
    try PortStore.edit(other) { realm in
      realm.object(ofType: PostgresPort.self, forPrimaryKey: "P2")?.depth = 60
      let port = PostgresPort()
      port.code = "B1"
      port.sister = realm.object(ofType: PostgresPort.self, forPrimaryKey: "P2")
      realm.add(port)
    }
    try await local.push(to: address)
    let text = try await refused { try await PortStore.push(other, to: address) }
    #expect(text.contains("1 row was inserted ('A1'), 1 row was changed ('P1')"), "\(text)")
    try await PortStore.pull(address, to: other)
    try PortStore.edit(other) { realm in
      let ports = realm.objects(PostgresPort.self)
      guard let first = ports.where({ $0.code == "A1" }).first else { return }
      ports.where { $0.code == "B1" }.first?.partners.append(first)
    }
    try await PortStore.push(other, to: address)
    let back = try await refused { try await local.push(to: address) }
    #expect(back.contains("('B1')") && back.contains("('P2')"), "\(back)")
    try await PortStore.pull(address, to: local.path)
    let contents = try PortStore.contents(local.path)
    #expect(contents.count == 14 && contents["B1"]?[1] == "P2" && contents["B1"]?[2] == "A1")
    #expect(contents["P1"]?[0] == "50" && contents["P2"]?[0] == "60")
    #expect(try PortStore.contents(other) == contents)
    #expect(try await remoteContents() == contents)
    // A copy of the file is another device.
    let copy = local.folder.appending(path: "copy.cadastre").path
    try await PortStore.push(other, to: address)
    try StoreCopy(of: OpenStores.store(at: other, mustExist: true).snapshot()).write(to: copy)
    try PortStore.edit(other) { realm in
      realm.object(ofType: PostgresPort.self, forPrimaryKey: "P3")?.depth = 1
    }
    try await PortStore.push(other, to: address)
    try PortStore.edit(copy) { realm in
      realm.object(ofType: PostgresPort.self, forPrimaryKey: "P4")?.depth = 1
    }
    let copied = try await refused { try await PortStore.push(copy, to: address) }
    #expect(copied.contains("1 row was changed ('P3')"), "\(copied)")
  }

  @Test func `of two pushes at the same time one is refused`() async throws {
    let other = local.folder.appending(path: "other.cadastre").path
    try await PortStore.pull(address, to: other)
    for (path, code) in [(local.path, "P1"), (other, "P2")] {
      try PortStore.edit(path) { realm in
        realm.object(ofType: PostgresPort.self, forPrimaryKey: code)?.depth = 50
      }
    }
    let (address, paths) = (address, [local.path, other])
    let refused = try await withThrowingTaskGroup(of: Int.self) { group in
      for path in paths {
        group.addTask {
          do {
            try await PortStore.push(path, to: address)
            return 0
          } catch is PostgresMappingError {
            return 1
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(refused == 1)
  }

  @Test func `a row that both sides have changed stays on both until one is chosen`() async throws {
    try await run("UPDATE \(Self.table) SET depth = 70 WHERE code = 'P3'")
    try PortStore.edit(local.path) { realm in
      realm.object(ofType: PostgresPort.self, forPrimaryKey: "P3")?.depth = 71
    }
    let text = try await refused { try await PortStore.pull(address, to: local.path) }
    #expect(text.contains("1 row was changed ('P3') here, and in the database too"), "\(text)")
    #expect(try PortStore.contents(local.path)["P3"]?[0] == "71")
    #expect(try await depth("P3") == .int8(70))
    let pulled = try await PortStore.pull(address, to: local.path, replacing: true)
    #expect(
      pulled[0].notes == ["overwrote what has changed in the store: 1 row was changed ('P3')"])
    #expect(try PortStore.contents(local.path)["P3"]?[0] == "70")
    // Now both are equal.
    try await local.push(to: address)
  }

  @Test func `links to deleted rows are left out and counted`() async throws {
    try PortStore.edit(local.path) { realm in
      let ports = realm.objects(PostgresPort.self)
      // The row with the greatest key, after which no key is missing.
      guard let last = ports.where({ $0.code == "P11" }).first else { return }
      ports.where { $0.code == "P3" }.first?.partners.append(last)
    }
    try await local.push(to: address)
    try await run("DELETE FROM \(Self.table) WHERE code = 'P11'")
    let path = local.folder.appending(path: "pulled.cadastre").path
    let pulled = try await PortStore.pull(address, to: path)
    #expect(pulled[0].notes == ["links to objects that do not exist were left out: 1"])
    #expect(try PortStore.contents(path)["P3"]?[2] == "")
    // P0 is twice a partner of each third port: of P2, P5 and P8.
    try await run("DELETE FROM \(Self.table) WHERE code = 'P0'")
    let again = local.folder.appending(path: "again.cadastre").path
    let second = try await PortStore.pull(address, to: again)
    #expect(second[0].notes == ["links to objects that do not exist were left out: 7"])
    #expect(try PortStore.contents(again)["P2"]?[2] == "P2")
    // The elements that others left are no changes of this store, which it could push.
    let pushed = try await PortStore.push(again, to: address)
    #expect(pushed.map(\.count) == [10])
    #expect(
      try await run("SELECT cardinality(partners) FROM \(Self.table) WHERE code = 'P2'")
        == .int4(3))
  }

  @Test func `a role from which row security hides rows does not push`() async throws {
    let role = "s" + UUID().uuidString.replacing("-", with: "").lowercased()
    try await run("CREATE ROLE \(role) LOGIN")
    try await run("GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role)")
    try await run("GRANT CREATE, USAGE ON SCHEMA public TO \(role)")
    try await run("CREATE POLICY few ON \(Self.table) USING (depth > 3)")
    try await run("ALTER TABLE \(Self.table) ENABLE ROW LEVEL SECURITY")
    let text = try await refused {
      try await local.push(to: address.replacing("user=postgres", with: "user=\(role)"))
    }
    #expect(text.contains("row security"), "\(text)")
  }

  @Test func `a table of an earlier version is read, pushed and completed`() async throws {
    try await run("DROP FUNCTION public.\"PostgresPort.points\"() CASCADE")
    try await run("ALTER TABLE \(Self.table) DROP COLUMN \"site.geography\"")
    try await run(
      "ALTER TABLE \(Self.table) ADD COLUMN \"site.geography\" public.geography(Point, 4326) "
        + "GENERATED ALWAYS AS (public.ST_SetSRID(public.ST_MakePoint(\"site.longitude\", "
        + "\"site.latitude\"), 4326)::public.geography) STORED")
    try await run(
      "UPDATE public.\"_cadastre_classes\" SET definition = "
        + "regexp_replace(definition, '\"id\":\"[^\"]*\",', '')")
    #expect(try await remoteContents() == PortStore.contents(local.path))
    try PortStore.edit(local.path) { realm in
      realm.object(ofType: PostgresPort.self, forPrimaryKey: "P3")?.depth = 71
    }
    let text = try await refused { try await local.push(to: address) }
    #expect(text.contains("no record of an earlier copy"), "\(text)")
    try await local.push(to: address, replacing: true)
    #expect(try await remoteContents() == PortStore.contents(local.path))
    try await run("UPDATE \(Self.table) SET \"site.geography\" = 'POINT(1 2)' WHERE code = 'P3'")
    #expect(try await remoteContents()["P3"]?[3] == "[1.0, 2.0]")
  }
}
