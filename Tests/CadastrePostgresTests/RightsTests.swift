import Cadastre
import CadastreModel
@testable import CadastrePostgres
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Code that a role without rights prepares, and that a superuser must not run.
@Suite(.serialized, .enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct RightsTests {
  private let local: PortStore
  private let address: String
  /// A role that may create objects in the schema of the tables.
  private let role: String

  init() async throws {
    local = try PortStore(PortStore.ports(5))
    address = try #require(PostgresServer.shared).newAddress()
    role = "m" + UUID().uuidString.replacing("-", with: "").lowercased()
    try await run("CREATE ROLE \(role) LOGIN")
    try await run("GRANT CREATE, USAGE ON SCHEMA public TO \(role)")
  }

  private func run(_ text: String) async throws {
    try await PostgresConnection.open(address).run(SQLStatement(text))
  }

  private var roleAddress: String { address.replacing("user=postgres", with: "user=\(role)") }

  private func runAsRole(_ text: String) async throws {
    try await PostgresConnection.open(roleAddress).run(SQLStatement(text))
  }

  private var isSuperuser: Bool {
    get async throws {
      try await PostgresConnection.open(address).run(
        SQLStatement("SELECT rolsuper FROM pg_roles WHERE rolname = '\(role)'")
      ).value(0, 0) == .bool(true)
    }
  }

  /// Creates a function of the role that makes the role a superuser, if a superuser runs it.
  private func createTrap(_ name: String, returns type: String, _ value: String) async throws {
    let body =
      "BEGIN IF current_user <> '\(role)' THEN EXECUTE 'ALTER ROLE \(role) SUPERUSER'; END IF; "
      + "RETURN \(value); END"
    try await runAsRole(
      "CREATE FUNCTION public.\(name) RETURNS \(type) LANGUAGE plpgsql AS $$\(body)$$")
  }

  private func createTrigger(on table: String) async throws {
    try await createTrap("trap()", returns: "trigger", "NEW")
    try await runAsRole(
      "CREATE TRIGGER trap BEFORE INSERT OR UPDATE OR DELETE ON public.\"\(table)\" "
        + "FOR EACH ROW EXECUTE FUNCTION public.trap()")
  }

  @Test func `a push refuses a table of classes with a trigger of another role`() async throws {
    try await runAsRole(
      "CREATE TABLE public.\"_cadastre_classes\" "
        + "(name text COLLATE \"C\" PRIMARY KEY, definition text NOT NULL)")
    try await createTrigger(on: "_cadastre_classes")
    let error = await #expect(throws: PostgresMappingError.self) {
      try await local.push(to: address)
    }
    #expect(error?.description.contains(role) == true, "\(String(describing: error))")
    #expect(try await !isSuperuser)
    // Its owner may push.
    try await local.push(to: roleAddress)
    #expect(try await PostgresStore.connect(address).classNames == ["PostgresPort"])
  }

  @Test func `a push refuses a register of partitions of another role`() async throws {
    try await runAsRole(
      "CREATE TABLE public.\"_cadastre_parts\" (schema text PRIMARY KEY, server text)")
    try await createTrigger(on: "_cadastre_parts")
    let other = try #require(PostgresServer.shared).newAddress()
    let push = try StorePush(
      try OpenStores.store(at: local.path, mustExist: true).snapshot(),
      layout: .partitions(try RowDivision(.hash("_key"), servers: [other])))
    let error = await #expect(throws: PostgresMappingError.self) {
      _ = try await push.run(try await PostgresConnection.open(address))
    }
    #expect(error?.subject.contains("_cadastre_parts") == true)
    #expect(try await !isSuperuser)
  }

  @Test func `changes refuse a table with a trigger of another role`() async throws {
    try await local.push(to: address)
    try await run("GRANT TRIGGER ON public.\"PostgresPort\" TO \(role)")
    try await createTrigger(on: "PostgresPort")
    let store = try await PostgresStore.connect(address)
    let ports = store.objects(PostgresPort.self)
    let port = PostgresPort()
    port.code = "new"
    await #expect(throws: PostgresMappingError.self) { try await store.add([port]) }
    await #expect(throws: PostgresMappingError.self) { try await ports.delete() }
    await #expect(throws: PostgresMappingError.self) {
      try await ports.setValue(1, for: \.depth)
    }
    #expect(try await !isSuperuser)
    #expect(try await ports.count() == 5)
    try await run("DROP TRIGGER trap ON public.\"PostgresPort\"")
    // A trigger of the superuser's own is no danger.
    try await run(
      "CREATE TRIGGER own BEFORE UPDATE ON public.\"PostgresPort\" FOR EACH ROW "
        + "EXECUTE FUNCTION suppress_redundant_updates_trigger()")
    try await store.add([port])
    #expect(try await ports.count() == 6)
  }

  @Test func `functions and operators of another role are not called`() async throws {
    try await createTrap("nextval(text)", returns: "int8", "1000")
    try await createTrap("setval(text, int8, boolean)", returns: "int8", "1000")
    try await createTrap("generate_series(int4, int8)", returns: "int8", "1000")
    try await createTrap("above(float8, int4)", returns: "boolean", "true")
    try await createTrap("overlap(int8[], int8[])", returns: "boolean", "true")
    try await runAsRole(
      "CREATE OPERATOR public.&& (FUNCTION = public.overlap, LEFTARG = int8[], RIGHTARG = int8[])")
    try await runAsRole(
      "CREATE OPERATOR public.> (FUNCTION = public.above, LEFTARG = float8, RIGHTARG = int4)")
    try await local.push(to: address)
    let store = try await PostgresStore.connect(address)
    let ports = store.objects(PostgresPort.self)
    let port = PostgresPort()
    port.code = "new"
    try await store.add([port])
    let center = try #require(GeoPoint(latitude: 10, longitude: 10))
    let radius = try #require(Distance.kilometers(9000))
    let circle = GeoCircle(center: center, radius: radius)
    _ = try await ports.where { $0.site.geoWithin(circle) }.count()
    for try await _ in ports.nearest(3, to: center, of: \.site) {}
    #expect(try await ports.where { $0.code == "P1" }.delete() == 1)
    #expect(try await !isSuperuser)
  }

  @Test func `a superuser reads no view of another role`() async throws {
    try await createTrap("look()", returns: "text", "'x'")
    try await runAsRole(
      "CREATE VIEW public.\"_cadastre_classes\" AS "
        + "SELECT public.look() AS name, public.look() AS definition")
    let error = await #expect(throws: PostgresMappingError.self) {
      _ = try await PostgresStore.connect(address)
    }
    #expect(error?.reason.contains("view") == true)
    await #expect(throws: PostgresMappingError.self) { try await local.push(to: address) }
    #expect(try await !isSuperuser)
  }

  @Test func `a role changes tables of another one, which granted it`() async throws {
    try await local.push(to: address)
    for table in ["PostgresPort", "_cadastre_classes"] {
      try await run(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON public.\"\(table)\" TO \(role)")
    }
    try await run("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \(role)")
    let store = try await PostgresStore.connect(roleAddress)
    let port = PostgresPort()
    port.code = "new"
    try await store.add([port])
    let ports = store.objects(PostgresPort.self)
    #expect(try await ports.where { $0.code == "new" }.setValue(7, for: \.depth) == 1)
    #expect(try await ports.where { $0.code == "new" }.delete() == 1)
  }

  @Test func `classes are found in a later schema of the search path`() async throws {
    try await run("CREATE SCHEMA \(role)")
    try await local.push(to: "\(address) options='-c search_path=public'")
    let store = try await PostgresStore.connect(
      "\(address) options='-c search_path=\(role),public'")
    #expect(try await store.objects(PostgresPort.self).count() == 5)
    // A push writes into the first one.
    try await local.push(to: "\(address) options='-c search_path=\(role),public'")
    try await run("DROP TABLE public.\"PostgresPort\"")
    try await store.refresh()
    #expect(try await store.objects(PostgresPort.self).count() == 5)
  }

  @Test func `a definition of a grid without cells is refused`() throws {
    let text = Data(#"{"degrees":0}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(DegreeGrid.self, from: text) }
  }
}
