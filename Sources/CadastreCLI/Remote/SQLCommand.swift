import ArgumentParser
import CadastreDatasets
import CadastrePostgres

struct SQLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Print a query as SQL for DuckDB, SedonaDB or PostGIS.",
    discussion: """
      The SQL for DuckDB and SedonaDB selects rows of a Parquet file that 'cadastre export' has written with all \
      fields, the SQL for PostGIS rows of a table that 'cadastre push' has written. A part of the predicate \
      without the same meaning there is refused by name. Comments say where results may still \
      differ, such as at borders of regions.

      EXAMPLES
        cadastre export a.cadastre Airport --to airports.parquet
        cadastre sql a.cadastre Airport \\
          "elevation > 300 AND location GEOWITHIN geoCircle([2.35, 48.86], 0.0157)" \\
          --dialect duckdb --file airports.parquet
      """)

  @OptionGroup var match: MatchOptions

  @Option(help: "duckdb, sedona or postgis.")
  var dialect: SQLDialect

  @Option(
    help: ArgumentHelp(
      "The Parquet file; by default CLASS.parquet.", valueName: "FILE"),
    completion: .file())
  var file: String?

  func validate() throws {
    guard file == nil || dialect != .postgis else {
      throw ValidationError("--file names a Parquet file, which PostGIS does not read")
    }
  }

  func run() throws {
    let query = try match.query()
    try Terminal.write(
      source: try dialect.statement(
        query.bound, query.schema, file: file ?? "\(match.className).parquet"))
  }
}

extension SQLDialect: ExpressibleByArgument {}
