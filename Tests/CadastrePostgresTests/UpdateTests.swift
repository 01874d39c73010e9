import Cadastre
import CadastrePostgres
import CadastreTestSupport
import Foundation
import Testing

/// What `add` and `delete` do not name stays as it is; the cells are compared by SQL.
@Suite(.serialized, .enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct UpdateTests {
  private let database: HarbourDatabase
  private var store: PostgresStore { database.store }

  init() async throws {
    database = try await HarbourDatabase(on: try #require(PostgresServer.shared))
  }

  private typealias Change = (columns: Set<String>, change: @Sendable (PostgresHarbour) -> Void)

  private static func list(_ names: String...) -> List<PostgresPilot> {
    let list = List<PostgresPilot>()
    list.append(objectsIn: names.map { PostgresPilot($0) })
    return list
  }

  /// A change of each kind of property, and the columns that it may change.
  private static let changes: [Change] = [
    (["isOpen"], { $0.isOpen = false }),
    (["number"], { $0.number = 2 }),
    (["small"], { $0.small = nil }),
    (["draft"], { $0.draft = 0.0 }),
    (["ratio"], { $0.ratio = 0.2 }),
    (["title"], { $0.title = "" }),
    (["opened", "opened.nanoseconds"], { $0.opened = Date(timeIntervalSince1970: 7.5) }),
    (["blob"], { $0.blob = nil }),
    (["token"], { $0.token = UUID() }),
    (["id"], { $0.id = ObjectId.generate() }),
    (["fee"], { $0.fee = Decimal128(stringLiteral: "2.50") }),
    (["basin"], { $0.basin = try? Geometry(wkt: "POINT (3 4)") }),
    (["site.*"], { $0.site = PostgresSite(11, 21) }),
    (["tags"], { $0.tags.append("z") }),
    (["marks"], { $0.marks.remove(1) }),
    (["prices"], { $0.prices["a b"] = 2.5 }),
    (["prices", "prices.keys"], { $0.prices["c"] = 3 }),
    (["chief"], { $0.chief = PostgresPilot("P3") }),
    (["pilots"], { $0.pilots = list("P3", "P1") }),
    (
      ["crew"],
      { harbour in
        harbour.crew = MutableSet()
        harbour.crew.insert(PostgresPilot("P1"))
      }
    ),
    (
      ["duties", "duties.keys"],
      { harbour in
        let duties = Map<String, PostgresPilot?>()
        duties["week"] = PostgresPilot("P2")
        duties["none"] = .some(nil)
        harbour.duties = duties
      }
    ),
    (["berth.length"], { $0.berth?.length = 1 }),
    (["berth.depth"], { $0.berth?.depth = nil }),
    (["berth.lights"], { $0.berth?.lights.removeAll() }),
    (["berth.pilot"], { $0.berth?.pilot = nil }),
    (["berth.deputies"], { $0.berth?.deputies = list("P2") }),
    (
      ["berth.length", "berth.depth", "berth.lights", "berth.pilot", "berth.deputies"],
      { harbour in
        harbour.berth = PostgresBerth()
        harbour.berth?.pilot = PostgresPilot("P2")
        harbour.berth?.lights.append("green")
        harbour.berth?.depth = 4
      }
    ),
  ]

  @Test(arguments: 0..<changes.count)
  func `an object that was read changes the property that was set, and no other`(
    number: Int
  ) async throws {
    let (columns, change) = Self.changes[number]
    let harbour = try #require(try await database.harbour("A"))
    let (before, other) = (try await database.cells("A"), try await database.cells("B"))
    change(harbour)
    // Another program changes what this one does not set.
    let second = columns.contains("small") ? "number" : "small"
    try await database.run("UPDATE public.\"PostgresHarbour\" SET \(second) = 77 WHERE code = 'A'")
    try await store.add([harbour], update: .modified)
    #expect(try await database.changed("A", since: before) == columns.union([second]))
    #expect(try await database.cells("B") == other)
    // What was written once is not written again.
    let written = try await database.cells("A")
    try await store.add([harbour], update: .modified)
    #expect(try await database.cells("A") == written)
  }

  @Test func `an object that was read and not changed is not written`() async throws {
    let before = try await database.cells("A")
    let harbour = try #require(try await database.harbour("A"))
    // Reading is no change.
    #expect(harbour.chief == nil && harbour.pilots.isEmpty && harbour.crew.isEmpty)
    #expect(harbour.duties.count == 0 && harbour.berth?.pilot == nil)
    try await store.add([harbour], update: .modified)
    #expect(try await database.cells("A") == before)
    let loaded = try #require(
      try await database.harbour("A") {
        $0.loading(\.chief).loading(\.pilots).loading(\.crew).loading(\.duties)
          .loading(\.berth?.pilot).loading(\.berth?.deputies)
      })
    #expect(loaded.chief?.name == "P0" && loaded.pilots.map(\.name) == ["P0", "P1", "P0"])
    #expect(loaded.pilots[0] === loaded.pilots[2])
    #expect(Set(loaded.crew.map(\.name)) == ["P0", "P2"])
    #expect(loaded.duties["day"]??.name == "P0" && loaded.duties["night"]??.name == "P1")
    #expect(loaded.berth?.pilot?.name == "P1")
    #expect(loaded.berth?.deputies.map(\.name) == ["P0", "P1"])
    try await store.add([loaded], update: .modified)
    #expect(try await database.cells("A") == before)
    loaded.pilots.remove(at: 1)
    loaded.berth?.deputies.append(PostgresPilot("P3"))
    try await store.add([loaded], update: .modified)
    #expect(try await database.changed("A", since: before) == ["pilots", "berth.deputies"])
    let again = try #require(
      try await database.harbour("A") { $0.loading(\.pilots).loading(\.berth?.deputies) })
    #expect(again.pilots.map(\.name) == ["P0", "P0"])
    #expect(again.berth?.deputies.map(\.name) == ["P0", "P1", "P3"])
  }

  @Test func `the policy all writes every property, and requires loaded links`() async throws {
    let before = try await database.cells("A")
    let loaded = try #require(
      try await database.harbour("A") {
        $0.loading(\.chief).loading(\.pilots).loading(\.crew).loading(\.duties)
          .loading(\.berth?.pilot).loading(\.berth?.deputies)
      })
    try await database.run(
      "UPDATE public.\"PostgresHarbour\" SET small = 77, number = 77 WHERE code = 'A'")
    try await store.add([loaded], update: .all)
    #expect(try await database.changed("A", since: before).isEmpty)
    let partial = try #require(try await database.harbour("A"))
    let error = await #expect(throws: PostgresMappingError.self) {
      try await store.add([partial], update: .all)
    }
    #expect(error?.reason.contains("loading") == true)
    #expect(try await database.changed("A", since: before).isEmpty)
  }

  @Test func `links that were not loaded are cleared, and not mixed with new ones`() async throws {
    let before = try await database.cells("A")
    let harbour = try #require(try await database.harbour("A"))
    harbour.pilots.append(PostgresPilot("P3"))
    let error = await #expect(throws: PostgresMappingError.self) {
      try await store.add([harbour], update: .modified)
    }
    #expect(error?.subject == "property 'pilots' of class 'PostgresHarbour'")
    #expect(error?.reason.contains("loading") == true)
    #expect(try await database.cells("A") == before)
    harbour.pilots.removeAll()
    harbour.chief = nil
    harbour.crew.removeAll()
    harbour.duties.removeAll()
    try await store.add([harbour], update: .modified)
    #expect(
      try await database.changed("A", since: before)
        == ["pilots", "chief", "crew", "duties", "duties.keys"])
    let after = try await database.cells("A")
    #expect(
      after["chief"] == .null && after["pilots"] == .text("{}") && after["crew"] == .text("{}"))
  }

  @Test func `an object is written whole only with all of its links`() async throws {
    let harbour = try #require(try await database.harbour("A"))
    harbour.code = "D"
    await #expect(throws: PostgresMappingError.self) {
      try await store.add([harbour], update: .modified)
    }
    let removed = try #require(try await database.harbour("B"))
    removed.number = 3
    try await database.run("DELETE FROM public.\"PostgresHarbour\" WHERE code = 'B'")
    let error = await #expect(throws: PostgresMappingError.self) {
      try await store.add([removed], update: .modified)
    }
    #expect(error?.reason.contains("no more") == true)
    let whole = try #require(
      try await database.harbour("A") {
        $0.loading(\.chief).loading(\.pilots).loading(\.crew).loading(\.duties)
          .loading(\.berth?.pilot).loading(\.berth?.deputies)
      })
    let before = try await database.cells("A")
    whole.code = "D"
    try await store.add([whole], update: .modified)
    let copy = try await database.cells("D")
    let differing = before.keys.filter { before[$0] != copy[$0] }
    // A set has no order, but the server keeps that of the object.
    #expect(Set(differing).subtracting(["crew", "marks"]) == ["ctid", "_key", "code"])
    #expect(try await database.cells("A") == before)
  }

  @Test func `copies of an object do not say that it has no links`() async throws {
    let harbour = try #require(try await database.harbour("A"))
    let before = try await database.cells("A")
    let copy = PostgresHarbour(value: harbour)
    copy.number = 4
    await #expect(throws: PostgresMappingError.self) {
      try await store.add([copy], update: .modified)
    }
    #expect(try await database.cells("A") == before)
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [
          PostgresHarbour.self, PostgresBerth.self, PostgresSite.self, PostgresPilot.self,
        ]))
    try realm.write {
      realm.add(HarbourDatabase.harbour("A", (0..<4).map { PostgresPilot("P\($0)") }))
    }
    harbour.number = 4
    harbour.crew.removeAll()
    try realm.write { realm.add(harbour, update: .modified) }
    let stored = try #require(
      realm.object(ofType: PostgresHarbour.self, forPrimaryKey: "A"))
    #expect(stored.number == 4 && stored.crew.isEmpty)
    #expect(stored.chief?.name == "P0" && stored.pilots.count == 3 && stored.duties.count == 2)
    #expect(stored.berth?.pilot?.name == "P1" && stored.berth?.deputies.count == 2)
  }

  @Test func `a new object keeps its links, lists, sets and maps`() async throws {
    let before = try await database.cells("A")
    let pilots = (0..<4).map { PostgresPilot("P\($0)") }
    let harbour = HarbourDatabase.harbour("N", pilots)
    let later = HarbourDatabase.harbour("M", pilots)
    try await store.add([harbour, later])
    let (first, second) = (try await database.cells("N"), try await database.cells("A"))
    for column in ["chief", "pilots", "duties", "duties.keys", "berth.pilot", "berth.deputies"] {
      #expect(first[column] == second[column], "\(column)")
    }
    let found = try #require(try await database.harbour("N") { $0.loading(\.crew) })
    #expect(Set(found.crew.map(\.name)) == ["P0", "P2"])
    #expect(second == before)
    // A new object with the key of a stored one has all properties.
    let other = PostgresHarbour()
    other.code = "N"
    try await store.add([other], update: .modified)
    let cleared = try await database.cells("N")
    #expect(cleared["chief"] == .null && cleared["pilots"] == .text("{}"))
    #expect(cleared["berth"] == .null && cleared["berth.length"] == .null)
    #expect(cleared["berth.pilot"] == .null && cleared["_key"] == first["_key"])
    harbour.pilots.append(PostgresPilot("missing"))
    let error = await #expect(throws: PostgresMappingError.self) {
      try await store.add([harbour], update: .modified)
    }
    #expect(error?.subject.contains("pilots") == true)
    #expect(try await database.cells("N") == cleared)
  }

  @Test func `objects that are added together link to each other`() async throws {
    let local = try PortStore(PortStore.ports(5))
    let ports = try await PostgresStore.connect(
      try await local.push(to: try #require(PostgresServer.shared)))
    let (first, second) = (PostgresPort(), PostgresPort())
    (first.code, second.code) = ("first", "second")
    first.sister = second
    second.sister = first
    first.partners.append(objectsIn: [first, second])
    try await ports.add([first, second])
    let found = try #require(
      try await ports.objects(PostgresPort.self).where { $0.code == "first" }
        .loading(\.sister).loading(\.partners).first())
    #expect(found.sister?.code == "second")
    #expect(found.partners.map(\.code) == ["first", "second"])
    // Of two objects with one key the later one is kept.
    let (third, fourth) = (PostgresPort(), PostgresPort())
    (third.code, fourth.code) = ("third", "third")
    (third.depth, fourth.depth) = (1, 2)
    try await ports.add([third, fourth], update: .modified)
    #expect(
      try await ports.objects(PostgresPort.self).where { $0.code == "third" }.first()?.depth == 2)
  }

  @Test func `a class without some properties leaves their columns`() async throws {
    let before = try await database.cells("A")
    let harbours = store.objects(NarrowHarbour.self)
    let harbour = try #require(try await harbours.where { $0.code == "A" }.first())
    harbour.number = 5
    harbour.berth?.length = 6
    try await store.add([harbour], update: .modified)
    #expect(try await database.changed("A", since: before) == ["number", "berth.length"])
    let new = NarrowHarbour()
    new.code = "A"
    new.number = 8
    new.berth = NarrowBerth()
    try await store.add([new], update: .modified)
    #expect(
      try await database.changed("A", since: before)
        == ["isOpen", "number", "draft", "berth.length"])
    new.berth = nil
    try await store.add([new], update: .modified)
    // A removed embedded object has no values that a query could find.
    let after = try await database.cells("A")
    #expect(
      after["berth"] == .null && after["berth.depth"] == .null && after["berth.pilot"] == .null)
    for column in [
      "small", "opened", "tags", "marks", "prices", "chief", "pilots", "duties", "site",
    ] {
      #expect(after[column] == before[column], "\(column)")
    }
    new.code = "E"
    try await store.add([new])
    let inserted = try await database.cells("E")
    #expect(inserted["tags"] == .text("{}") && inserted["pilots"] == .text("{}"))
    #expect(inserted["small"] == .null && inserted["number"] == .text("8"))
    // What the database requires and the program does not know is refused.
    try await database.run(
      "ALTER TABLE public.\"PostgresHarbour\" ADD COLUMN owner text DEFAULT 'state', "
        + "ALTER COLUMN small SET DEFAULT 4")
    new.code = "F"
    try await store.add([new])
    let defaults = try await database.cells("F")
    #expect(defaults["owner"] == .text("state") && defaults["small"] == .text("4"))
    try await database.run(
      "ALTER TABLE public.\"PostgresHarbour\" ADD COLUMN tax int8 NOT NULL DEFAULT 0")
    try await database.run(
      "ALTER TABLE public.\"PostgresHarbour\" ALTER COLUMN tax DROP DEFAULT")
    new.code = "G"
    let error = await #expect(throws: PostgresError.self) { try await store.add([new]) }
    #expect(error?.sqlState == "23502")
  }

  @Test func `links to an object that SQL deleted are left out`() async throws {
    try await database.run("DELETE FROM public.\"PostgresPilot\" WHERE name = 'P0'")
    let harbour = try #require(
      try await database.harbour("A") {
        $0.loading(\.chief).loading(\.pilots).loading(\.crew).loading(\.duties)
          .loading(\.berth?.deputies)
      })
    #expect(harbour.chief == nil && harbour.pilots.map(\.name) == ["P1"])
    #expect(harbour.crew.map(\.name) == ["P2"] && harbour.berth?.deputies.map(\.name) == ["P1"])
    #expect(harbour.duties.count == 2 && harbour.duties["day"] == .some(nil))
    for text in [
      "pilots.@count == 1", "crew.@count == 1", "ALL pilots.name == 'P1'", "pilots[0].name == 'P1'",
      "pilots[LAST].name == 'P1'", "duties['day'] == nil", "NONE pilots.name == 'P0'",
      "SUBQUERY(pilots, $p, $p.name != 'P9').@count == 1",
    ] {
      let found = try store.objects(PostgresHarbour.self).filter(parsing: text)
      #expect(try await found.count() == 3, "\(text)")
    }
    let before = try await database.cells("A")
    harbour.number = 1
    try await store.add([harbour], update: .modified)
    #expect(try await database.changed("A", since: before) == ["number"])
    harbour.pilots.append(PostgresPilot("P3"))
    try await store.add([harbour], update: .modified)
    let after = try await database.harbour("A") { $0.loading(\.pilots) }
    #expect(after?.pilots.map(\.name) == ["P1", "P3"])
    #expect(try await store.objects(PostgresPilot.self).where { $0.name == "P1" }.delete() == 1)
    let last = try await database.harbour("A") { $0.loading(\.pilots) }
    #expect(last?.pilots.map(\.name) == ["P3"])
  }

  // MARK: Row security

  private static let rights = "SELECT, INSERT, UPDATE, DELETE"

  /// Connects as a new role that may change all tables.
  private func connectAsRole() async throws -> (role: String, store: PostgresStore) {
    let role = "s" + UUID().uuidString.replacing("-", with: "").lowercased()
    try await database.run("CREATE ROLE \(role) LOGIN")
    for table in ["PostgresHarbour", "PostgresPilot", "_cadastre_classes"] {
      try await database.run("GRANT \(Self.rights) ON public.\"\(table)\" TO \(role)")
    }
    return (
      role,
      try await PostgresStore.connect(
        database.address.replacing("user=postgres", with: "user=\(role)"))
    )
  }

  @Test func `a deletion that cannot reach hidden rows is refused`() async throws {
    let (role, limited) = try await connectAsRole()
    try await database.run("ALTER TABLE public.\"PostgresHarbour\" ENABLE ROW LEVEL SECURITY")
    try await database.run(
      "CREATE POLICY own ON public.\"PostgresHarbour\" TO \(role) USING (code = 'A')")
    let (seen, hidden) = (try await database.cells("A"), try await database.cells("B"))
    #expect(try await limited.objects(PostgresHarbour.self).count() == 1)
    let error = await #expect(throws: PostgresMappingError.self) {
      try await limited.objects(PostgresPilot.self).where { $0.name == "P0" }.delete()
    }
    #expect(error?.subject == "class 'PostgresPilot'")
    #expect(error?.reason.contains("row security may hide rows of table 'PostgresHarbour'") == true)
    #expect(error?.reason.contains("BYPASSRLS") == true)
    #expect(try await store.objects(PostgresPilot.self).count() == 4)
    #expect(try await database.cells("A") == seen)
    #expect(try await database.cells("B") == hidden)
    // No links lead to harbours, so their deletion needs no other rows.
    #expect(try await limited.objects(PostgresHarbour.self).delete() == 1)
    // A role that sees all rows deletes the links of all.
    #expect(try await store.objects(PostgresPilot.self).where { $0.name == "P0" }.delete() == 1)
    let after = try await database.harbour("B") { $0.loading(\.chief).loading(\.pilots) }
    #expect(after?.chief == nil && after?.pilots.map(\.name) == ["P1"])
    #expect(
      try await database.run(
        "SELECT cardinality(pilots)::int8 FROM public.\"PostgresHarbour\" WHERE code = 'B'")
        == .int8(1))
  }

  @Test func `links to objects that a policy keeps are kept`() async throws {
    let (role, limited) = try await connectAsRole()
    try await database.run("ALTER TABLE public.\"PostgresPilot\" ENABLE ROW LEVEL SECURITY")
    try await database.run(
      "CREATE POLICY seen ON public.\"PostgresPilot\" FOR SELECT TO \(role) USING (true)")
    try await database.run(
      "CREATE POLICY gone ON public.\"PostgresPilot\" FOR DELETE TO \(role) USING (name = 'P1')")
    #expect(
      try await limited.objects(PostgresPilot.self).where { $0.name == "P0" || $0.name == "P1" }
        .delete() == 1)
    let harbour = try await database.harbour("A") { $0.loading(\.pilots).loading(\.chief) }
    #expect(harbour?.pilots.map(\.name) == ["P0", "P0"] && harbour?.chief?.name == "P0")
  }
}
