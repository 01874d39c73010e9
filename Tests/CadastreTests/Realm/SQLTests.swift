import Cadastre
import Foundation
import Testing

/// SQL queries on a Realm, against its results.
@Suite struct SQLTests {
  private func filled() throws -> Realm {
    let realm = try makeRealm()
    try realm.write { realm.add(fiveAirports()) }
    return realm
  }

  // MARK: Reading

  @Test func `rows have the values of the objects`() throws {
    let realm = try filled()
    let rows = try realm.sql("SELECT icao, name, elevation, runways, isOpen FROM Airport")
    let airports = realm.objects(Airport.self)
    #expect(rows.count == airports.count)
    for (row, airport) in zip(rows, airports) {
      #expect(row.columnNames == ["icao", "name", "elevation", "runways", "isOpen"])
      #expect(try row["icao"] == airport.icao)
      #expect(try row["elevation"] == airport.elevation)
      #expect(try row["elevation"] as Double? == airport.elevation)
      #expect(try row[1] as String == airport.name)
      #expect(try row[2] as Double? == airport.elevation)
      #expect(try row["isOpen"] as Bool == airport.isOpen)
    }
    let french = try realm.sql("SELECT count(*) FROM Airport WHERE country = ?", ["FR"])
    #expect(try french[0][0] as Int == airports.where { $0.country == "FR" }.count)
    #expect(try realm.sql("SELECT 1 WHERE 0").isEmpty)
    #expect(try realm.sql("VALUES (1), (2)").count == 2)
    let numbers = try realm.sql(
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
        + "SELECT sum(i) AS total FROM n", [100])
    #expect(try numbers[0]["total"] as Int == 5_050)
    #expect(try realm.sql("EXPLAIN QUERY PLAN SELECT * FROM Airport").count == 1)
  }

  @Test func `rows are decoded`() throws {
    struct Share: Decodable, Hashable {
      var country: String
      var number: Int
      var mean: Double?
    }
    let realm = try filled()
    let shares = try realm.sql(
      "SELECT country, count(*) AS number, avg(elevation) AS mean FROM Airport "
        + "GROUP BY country ORDER BY number DESC, country", as: Share.self)
    #expect(
      shares == [
        Share(country: "FR", number: 2, mean: 341.5), Share(country: "BE", number: 1, mean: nil),
        Share(country: "FJ", number: 1, mean: 59), Share(country: "NL", number: 1, mean: -11),
      ])
  }

  @Test func `spatial and full-text tables can be read`() throws {
    let realm = try filled()
    let near = try realm.sql(
      ##"SELECT a.icao FROM Airport a JOIN "rtree_Airport.location" r ON r."key" = a."#key" "##
        + "WHERE r.min_longitude >= ? AND r.max_longitude <= ? AND r.min_latitude >= 48 "
        + "ORDER BY 1", [2, 3.5])
    #expect(try near.map { try $0[0] as String } == ["LFPG", "LFPO"])
  }

  @Test func `arguments of all types come back as they were`() throws {
    let realm = try makeRealm()
    let date = Date(timeIntervalSince1970: 1_700_000_000.25)
    let old = Date(timeIntervalSince1970: -20_000_000_000)
    let uuid = UUID()
    let id = ObjectId()
    let decimal = Decimal128("1.50")
    let row = try realm.sql(
      "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?",
      [
        -7, 2.5, "O'Hara; DROP TABLE Airport --\u{0}x", Data([0, 1, 255]), true, date, uuid, id,
        decimal, nil, Int8(3), Float(0.1), old, RowModels.Surface.grass,
      ])[0]
    #expect(try row[0] as Int == -7)
    #expect(try row[1] as Double == 2.5)
    #expect(try row[2] as String == "O'Hara; DROP TABLE Airport --\u{0}x")
    #expect(try row[3] as Data == Data([0, 1, 255]))
    #expect(try row[4] as Bool == true)
    #expect(try row[5] as Date == date)
    #expect(try row[6] as UUID == uuid)
    #expect(try row[7] as ObjectId == id)
    #expect(try row[8] as Decimal128 == decimal)
    #expect(try row[9] as String? == nil)
    #expect(try row[10] as Int8 == 3)
    #expect(try row[11] as Float == 0.1)
    #expect(try row[12] as Date == old)
    #expect(try row[13] as RowModels.Surface == .grass)
    for number in [Double.nan, -0.0, .infinity, .greatestFiniteMagnitude] {
      let found: Double = try realm.sql("SELECT ?", [number])[0][0]
      #expect(found.bitPattern == number.bitPattern)
    }
  }

  @Test func `stored values of all types are found by arguments`() throws {
    let realm = try makeRealm()
    let object = EveryScalar()
    try realm.write { realm.add(object) }
    let arguments: [(String, any SQLValue)] = [
      ("id", object.id), ("flag", object.flag), ("int8", object.int8), ("float", object.float),
      ("double", object.double), ("string", object.string), ("data", object.data),
      ("date", object.date), ("uuid", object.uuid),
    ]
    for (column, argument) in arguments {
      let rows = try realm.sql("SELECT * FROM EveryScalar WHERE \"\(column)\" = ?", [argument])
      #expect(rows.count == 1, "\(column)")
      #expect(try rows.first?["id"] as ObjectId? == object.id)
      #expect(try rows.first?["date"] as Date? == object.date)
      #expect(try rows.first?["optionalDate"] as Date? == nil)
    }
  }

  // MARK: Versions

  @Test func `a write transaction sees its changes, and a frozen Realm its version`() throws {
    let realm = try filled()
    let frozen = realm.freeze()
    func count(_ realm: Realm) throws -> Int { try realm.sql("SELECT count(*) FROM Airport")[0][0] }
    func near(_ realm: Realm) throws -> Int {
      try realm.sql(#"SELECT count(*) FROM "rtree_Airport.location""#)[0][0]
    }
    try realm.write { () throws in
      let added = Airport("BIKF", "Keflavik", "IS", elevation: 52, longitude: -22, latitude: 64)
      realm.add(added)
      added.name = "Reykjavik"
      #expect(try count(realm) == 6)
      #expect(try near(realm) == 6)
      #expect(
        try realm.sql("SELECT name FROM Airport WHERE icao = 'BIKF'")[0][0] as String
          == "Reykjavik")
      #expect(try count(frozen) == 5)
      realm.delete(realm.objects(Airport.self).where { $0.country == "FR" })
      #expect(try count(realm) == 4)
    }
    #expect(try count(realm) == 4)
    #expect(try count(frozen) == 5)
    realm.beginWrite()
    realm.deleteAll()
    #expect(try count(realm) == 0)
    realm.cancelWrite()
    #expect(try count(realm) == 4)
    #expect(try near(realm) == 4)
  }

  @Test func `a query in a write transaction does not disturb it`() throws {
    let realm = try filled()
    try realm.write { () throws in
      for number in 0..<50 {
        realm.add(
          Airport("X\(number)", "x", "XX", elevation: nil, longitude: 1, latitude: 2))
        #expect(
          try realm.sql("SELECT count(*) FROM Airport WHERE country = 'XX'")[0][0] == number + 1)
        #expect(throws: SQLError.self) { try realm.sql("DELETE FROM Airport") }
      }
    }
    #expect(realm.objects(Airport.self).count == 55)
    #expect(realm.objects(Airport.self).where { $0.country == "XX" }.count == 50)
  }

  // MARK: Refusals

  static let refused = [
    "INSERT INTO Airport (icao) VALUES ('XXXX')", "UPDATE Airport SET name = 'x'",
    "DELETE FROM Airport", "REPLACE INTO Airport (icao) VALUES ('LFPG')",
    "WITH x AS (SELECT 'XXXX') INSERT INTO Airport (icao) SELECT * FROM x",
    "WITH x AS (SELECT 1) DELETE FROM Airport", "DELETE FROM Airport RETURNING icao",
    "INSERT INTO Airport (icao) VALUES ('XXXX') RETURNING *",
    "/* SELECT */ DELETE FROM Airport", "-- SELECT\nDELETE FROM Airport",
    "EXPLAIN DELETE FROM Airport", "DROP TABLE Airport", "CREATE TABLE x (y)",
    "CREATE TEMP TABLE x (y)", "CREATE INDEX i ON Airport (name)",
    "CREATE TEMP VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE t USING rtree(a, b, c)",
    "ALTER TABLE Airport ADD COLUMN x", "PRAGMA user_version = 7", "PRAGMA user_version",
    "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON", "PRAGMA journal_mode = DELETE",
    "SELECT * FROM pragma_optimize", "SELECT count(*) FROM pragma_user_version",
    "SELECT * FROM Pragma_Table_Info('Airport')", "ATTACH ':memory:' AS other",
    "ATTACH DATABASE ? AS other", "DETACH main", "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK",
    "END", "SAVEPOINT s", "RELEASE s", "VACUUM", "VACUUM INTO '/tmp/cadastre-copy'", "ANALYZE",
    "REINDEX", "SELECT load_extension('x')",
    #"DELETE FROM "rtree_Airport.location""#, #"DELETE FROM "rtree_Airport.location_node""#,
    #"INSERT INTO "rtree_Airport.location" VALUES (1, 2, 3, 4, 5)"#,
    "DELETE FROM sqlite_master", "UPDATE sqlite_master SET sql = NULL",
    "UPDATE cadastre_state SET commit_version = 0",
    "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM Airport", "SELECT 1;; DELETE FROM Airport",
    "SELECT 1; nonsense", "SELECT 1; /* c */ PRAGMA user_version = 7", "", "  ", ";",
    "-- a comment", "/* a comment", "SELECT", "nonsense", "SELECT * FROM Missing",
    "SELECT missing FROM Airport", "SELECT \"missing\" FROM Airport", "SELECT (",
    "SELECT 'unterminated", "SELECT 1\u{0}; DELETE FROM Airport", "SELECT ?", "SELECT ?2",
  ]

  @Test(arguments: refused)
  func `what is no query is refused, and changes nothing`(sql: String) throws {
    let realm = try filled()
    let state = { () throws -> [String] in
      try realm.sql(
        "SELECT icao || name FROM Airport UNION ALL SELECT name || coalesce(sql, '') "
          + "FROM sqlite_master ORDER BY 1"
      ).map { try $0[0] }
    }
    let before = try state()
    #expect(throws: SQLError.self) { try realm.sql(sql) }
    #expect(try state() == before)
    try realm.write { () throws in
      #expect(throws: SQLError.self) { try realm.sql(sql) }
      #expect(try state() == before)
      #expect(realm.isInWriteTransaction)
      realm.objects(Airport.self).where { $0.icao == "LFPG" }.first?.runways = 4
    }
    #expect(try state() == before)
    #expect(realm.object(ofType: Airport.self, forPrimaryKey: "LFPG")?.runways == 4)
    #expect(!FileManager.default.fileExists(atPath: "/tmp/cadastre-copy"))
  }

  @Test func `errors say what was found and expected`() throws {
    let realm = try filled()
    func message(_ sql: String, _ arguments: [(any SQLValue)?] = []) -> String {
      do {
        _ = try realm.sql(sql, arguments)
        return "none"
      } catch { return "\(error)" }
    }
    #expect(
      message("DELETE FROM Airport")
        == "found the action DELETE on 'Airport', expected a query that only reads: SELECT, "
        + "VALUES, or WITH before them: DELETE FROM Airport")
    #expect(
      message("SELECT * FROM Missing")
        == "found an error (no such table: Missing), expected an SQL query of tables and columns "
        + "of the store: SELECT * FROM Missing")
    #expect(message("SELECT 1; SELECT 2").hasPrefix("found text after the statement, expected one"))
    #expect(message("PRAGMA user_version").hasPrefix("found the action PRAGMA on 'user_version'"))
    #expect(
      message("SELECT ?, ?", [1])
        == "found 1 arguments, expected 2, one for each placeholder: SELECT ?, ?")
    #expect(message("SELECT 1", ["secret"]).contains("secret") == false)
  }

  @Test func `a comment and a semicolon may follow the query`() throws {
    let realm = try filled()
    for end in [";", " ; ", ";;", "; -- end", "/* end */;", ";\n/* end */ -- end\n"] {
      #expect(try realm.sql("SELECT 7" + end)[0][0] as Int == 7)
    }
  }

  @Test func `a value of another type and a missing column are errors`() throws {
    let realm = try filled()
    let row = try realm.sql("SELECT icao, elevation FROM Airport WHERE icao = 'EBBR'")[0]
    #expect(throws: DecodingError.self) { try row["icao"] as Int }
    #expect(throws: DecodingError.self) { try row["icao"] as Date? }
    #expect(throws: DecodingError.self) { try row["elevation"] as Double }
    #expect(throws: DecodingError.self) { try row["missing"] as String? }
    #expect(throws: DecodingError.self) { try row[2] as String? }
    #expect(throws: DecodingError.self) { try row[-1] as String }
    struct Row: Decodable { var icao: String, missing: Int? }
    #expect(throws: DecodingError.self) { try row.decode(Row.self) }
  }
}
