import Foundation
import RealmFileTestSupport
import Testing

@Suite struct RealmFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the path of a Realm file of the tests of the reader.
  private func fixture(_ name: String) -> String {
    repository.appendingPathComponent("Tests/CadastreRealmFileTests/Fixtures/\(name).realm").path
  }

  @Test func `all classes are imported, with counts`() throws {
    let store = scratch.path("s")
    let outcome = try succeed("import", fixture("objectstore"), "--store", store)

    #expect(
      outcome.stderr.hasPrefix(
        """
          Address: 5
          GeoPoint: 5
          Person: 7
          Pet: 12
        imported 4 classes, schema version 5: 29 objects in 
        """))
    #expect(outcome.stdout.isEmpty)
    #expect(try succeed("check", store).status == 0)
    let person = try succeed(
      "query", store, "Person", "pets.name == 'pet 2'", "--format", "ndjson")
    #expect(
      person.stdout.hasPrefix(
        #"{"_id":"650000000000000000000001","name":"Person 1","born":"1973-03-03T09:46:40.5Z","#
          + #""score":0.3333333333333333,"tags":["tag1"],"#), "\(person.stdout)")
  }

  @Test func `objects of a class without properties are queried and exported`() throws {
    let store = scratch.path("s")
    let fixture = RealmFixture("spread")
    _ = try fixture.withFile { try succeed("import", $0, "--store", store) }

    #expect(try succeed("query", store, "NoColumns", "--format", "ndjson").stdout == "{}\n")
    #expect(try succeed("query", store, "NoColumns").stderr.contains("1 object"))
    for name in ["n.csv", "n.geojson", "n.gpkg", "n.parquet", "n.fgb", "n.kml"] {
      let outcome = try succeed("export", store, "NoColumns", "--to", scratch.path(name))
      #expect(outcome.stderr.hasPrefix("1 object to "))
    }
  }

  @Test func `the summary is JSON`() throws {
    let outcome = try succeed(
      "import", fixture("objectstore"), "--store", scratch.path("s"), "--summary", "json")
    let summary = try #require(outcome.json as? [String: Any])

    #expect(
      summary["objects"] as? [String: Int] == ["Address": 5, "GeoPoint": 5, "Person": 7, "Pet": 12])
    #expect(summary["schemaVersion"] as? Int == 5)
    #expect(summary["notes"] as? [String] == [])
  }

  @Test func `a dry run prints the classes and stores nothing`() throws {
    let outcome = try succeed(
      "import", fixture("objectstore"), "--store", scratch.path("s"), "--class", "Pet", "--dry-run")

    #expect(
      outcome.stdout == """
        Pet
          name: string, optional
          age: int
          price: decimal128

        """)
    #expect(outcome.stderr.contains("would import 1 class, schema version 5: 12 objects in "))
    #expect(scratch.names.isEmpty)
  }

  @Test func `classes that do not exist or are linked are named`() throws {
    let file = fixture("objectstore")
    try fail(
      "import", file, "--store", scratch.path("s"), "--class", "Pets", saying: "no class 'Pets'",
      "Person")
    try fail(
      "import", file, "--store", scratch.path("s"), "--class", "Person", saying: "'Person.pets'",
      "'Pet'", "not selected")
    #expect(scratch.names.isEmpty)
  }

  @Test func `a second import into the same store is refused`() throws {
    let store = scratch.path("s")
    try succeed("import", fixture("objectstore"), "--store", store)
    try fail(
      "import", fixture("objectstore"), "--store", store, saying: "classes of the same name",
      "Address, GeoPoint, Person, Pet")
  }

  @Test func `options of rows do not apply`() throws {
    try fail(
      "import", fixture("tiny"), "--store", scratch.path("s"), "--into", "T",
      saying: "--into does not apply to a Realm file", status: 64)
    let csv = try scratch.csv("a\n1\n")
    try fail("import", csv, "--store", scratch.path("s"), saying: "--into <CLASS>", status: 64)
    try fail(
      "import", csv, "--store", scratch.path("s"), "--class", "T", saying: "--class applies to",
      status: 64)
  }

  @Test func `the classes are printed as Swift`() throws {
    let swift = """
      import Cadastre
      import Foundation

      class Pet: Object {
        @Persisted var name: String?
        @Persisted var age: Int
      }

      """
    #expect(try succeed("schema", fixture("tiny"), "--format", "swift").stdout == swift)
    let store = scratch.path("s")
    try succeed("import", fixture("tiny"), "--store", store)
    #expect(try succeed("schema", store, "--format", "swift").stdout == swift)
    #expect(
      try succeed("schema", fixture("tiny")).stdout
        == "Pet\n  name: string, optional\n  age: int\n")
  }

  @Test func `a query reads a Realm file`() throws {
    let outcome = try succeed(
      "query", fixture("tiny"), "Pet", "age > 100 OR name == 'Rex'", "--format", "ndjson")
    #expect(
      outcome.stdout == """
        {"name":"Rex","age":7}
        {"name":null,"age":300}

        """)
  }

  @Test func `a damaged file and a missing key are explained`() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture("tiny")))
    bytes[0x9C] = 0x45
    let damaged = try scratch.file("damaged.realm", bytes).path
    try fail(
      "import", damaged, "--store", scratch.path("s"),
      saying: "table 'class_Pet', column 'age'", "is damaged at byte 152")
    let key = try scratch.file("key", Data(repeating: 1, count: 64)).path
    try fail(
      "schema", fixture("tiny"), "--key-file", key, saying: "is not encrypted; open it without")
    let text = try scratch.file("text.realm", "text").path
    try fail("query", text, "T", saying: "is not a Realm file")
    #expect(!scratch.names.contains("s"))
  }
}
