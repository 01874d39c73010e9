import BenchmarkPlaces
import EngineSupport
import GRDB

/// The tables of places.
enum Tables {
  /// Creates the table of places, and an R*Tree with the same ids; it stores floats that are
  /// rounded outwards.
  static func create(_ database: Database) throws {
    try database.create(table: "place", body: columns)
    try createIndex(database)
  }

  /// Copies the places to a table with indexes on name and population.
  static func createIndexed(_ database: Database) throws {
    try database.create(table: "indexed", body: columns)
    try database.execute(sql: "INSERT INTO indexed SELECT * FROM place")
    try addIndexes(to: "indexed", database)
  }

  static func createIndex(_ database: Database) throws {
    try database.execute(
      sql: "CREATE VIRTUAL TABLE spot USING rtree(id, west, east, south, north)")
  }

  static func addIndexes(to table: String, _ database: Database) throws {
    try database.create(index: "\(table)_name", on: table, columns: ["name"])
    try database.create(index: "\(table)_population", on: table, columns: ["population"])
  }

  private static func columns(_ table: TableDefinition) {
    table.primaryKey("id", .integer)
    table.column("name", .text).notNull()
    table.column("category", .text).notNull()
    table.column("population", .integer).notNull()
    table.column("rating", .double).notNull()
    table.column("longitude", .double).notNull()
    table.column("latitude", .double).notNull()
  }

  static func insert(_ id: Int, _ place: Place, _ database: Database) throws {
    try database.cachedStatement(sql: "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)").execute(
      arguments: [
        id, place.name, place.category, place.population, place.rating, place.longitude,
        place.latitude,
      ])
    try database.cachedStatement(sql: "INSERT INTO spot VALUES (?, ?, ?, ?, ?)").execute(
      arguments: [id, place.longitude, place.longitude, place.latitude, place.latitude])
  }
}
