import CadastreTestSupport
import Foundation
import Testing

/// The SQL of other engines as text; `Scripts/compare files` runs it in DuckDB and SedonaDB.
@Suite struct SQLCommandTests {
  private let store: String

  init() throws { store = try Airports.store() }

  private func sql(_ predicate: String, _ options: String...) throws -> String {
    try succeed(["sql", store, "Airport", predicate] + options).stdout
  }

  private func succeed(_ arguments: [String]) throws -> Outcome {
    let outcome = try Program.run(arguments)
    #expect(outcome.status == 0, "\(outcome.stderr)")
    return outcome
  }

  @Test func `conditions on columns are written for a file`() throws {
    #expect(
      try sql("country == 'FR' AND elevation > 300.5", "--dialect", "duckdb")
        == """
        SELECT * FROM 'Airport.parquet' t WHERE ((t."country" = 'FR') AND \
        (t."elevation" > CAST('300.5' AS DOUBLE) AND NOT isnan(t."elevation")));

        """)
    #expect(
      try sql(
        "name CONTAINS 'O\\'Hare' OR NOT name LIKE 'A*_'", "--dialect", "sedona", "--file",
        "it's.parquet")
          == """
          SELECT * FROM 'it''s.parquet' t WHERE (contains(t."name", 'O''Hare') OR \
          (((t."name" LIKE 'A%\\_' ESCAPE '\\')) IS DISTINCT FROM true));

          """)
  }

  @Test func `comments say where results may differ`() throws {
    let circle = "location GEOWITHIN geoCircle([2.35, 48.86], 50km)"
    let duckdb = try sql(circle, "--dialect", "duckdb")
    #expect(
      duckdb.hasPrefix("-- The distance is computed by its formula, on a sphere of 6,378,100 m"))
    #expect(duckdb.contains("\n-- Needs the extension spatial: LOAD spatial;\nSELECT "))
    let box = "location GEOWITHIN geoBox([2, 48], [3, 49])"
    #expect(
      try sql(box, "--dialect", "sedona").hasPrefix("-- ST_Intersects may differ for points within")
    )
    #expect(try sql(box, "--dialect", "postgis").hasPrefix("-- ST_Covers may differ for points"))
    #expect(
      try sql(box, "--dialect", "duckdb", "--edges", "planar").contains(
        "ST_X(t.\"geometry\") BETWEEN CAST('2.0' AS DOUBLE) AND CAST('3.0' AS DOUBLE)"))
  }

  @Test func `literals of PostGIS have the types of their columns`() throws {
    let text = try sql("name == 'it\\'s $1' AND elevation IN {1, 2}", "--dialect", "postgis")
    #expect(
      text.hasSuffix(
        """
         FROM "Airport" t0 WHERE (t0."name" = E'it''s $1'::text AND (t0."elevation" = '1.0'::float8 OR \
        t0."elevation" = '2.0'::float8)) ORDER BY t0."_key" ASC;

        """), "\(text)")
  }

  @Test(arguments: [
    (
      "location GEOWITHIN geoBox([2, 48], [3, 49])", "duckdb", "'GEOWITHIN' cannot be run on DuckDB"
    ),
    ("name CONTAINS[c] 'paris'", "sedona", "'[c]' cannot be run on SedonaDB"),
    ("name CONTAINS[d] 'paris'", "duckdb", "'[d]' cannot be run on DuckDB"),
    ("name MATCHES 'P.*'", "duckdb", "'name MATCHES' cannot be run on DuckDB"),
    ("location.coordinates[0] > 2", "duckdb", "'location.coordinates[0]' cannot be run on DuckDB"),
  ])
  func `a part without the same meaning is refused by name`(
    predicate: String, dialect: String, message: String
  ) throws {
    let outcome = try Program.run(["sql", store, "Airport", predicate, "--dialect", dialect])
    #expect(outcome.status == 1 && outcome.stdout.isEmpty)
    #expect(outcome.stderr.contains(message), "\(outcome.stderr)")
  }
}
