package import CadastreModel
import CadastreSQLite

/// The columns of dates that contain days, such as `2024-05-01`, rather than points in time.
///
/// The store lists them in a table, which the first such column creates. A column in which a value has a time
/// of day counts as one of points in time; outputs find this out when they read the values.
enum DayColumns {
  private static let table = "cadastre_day"

  /// Returns the names of the columns of a table.
  static func names(
    of tableName: String, _ connection: Connection
  ) throws(StoreError) -> Set<String> {
    guard try connection.hasTable(table) else { return [] }
    let rows = try connection.statement("SELECT column_name FROM \(table) WHERE table_name = ?")
    try rows.bind(.string(tableName), at: 1)
    var names: Set<String> = []
    while try rows.step() { names.insert(rows.text(0)) }
    return names
  }

  /// Adds columns of a table.
  static func add(
    _ columns: Set<String>, of tableName: String, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(
      "CREATE TABLE IF NOT EXISTS \(table)(table_name TEXT NOT NULL, column_name TEXT NOT NULL, "
        + "PRIMARY KEY (table_name, column_name)) WITHOUT ROWID")
    for column in columns.sorted() {
      try connection.run(
        "INSERT OR IGNORE INTO \(table) VALUES (?, ?)", .string(tableName), .string(column))
    }
  }

  /// Removes the columns of a table.
  static func remove(of tableName: String, _ connection: Connection) throws(StoreError) {
    guard try connection.hasTable(table) else { return }
    try connection.run("DELETE FROM \(table) WHERE table_name = ?", .string(tableName))
  }

  /// Removes a column of a table.
  static func remove(
    _ column: String, of tableName: String, _ connection: Connection
  ) throws(StoreError) {
    guard try connection.hasTable(table) else { return }
    try connection.run(
      "DELETE FROM \(table) WHERE table_name = ? AND column_name = ?", .string(tableName),
      .string(column))
  }

  /// Renames a column of a table.
  static func rename(
    _ column: String, to name: String, of tableName: String, _ connection: Connection
  ) throws(StoreError) {
    guard try connection.hasTable(table) else { return }
    try connection.run(
      "UPDATE OR REPLACE \(table) SET column_name = ?1 WHERE table_name = ?2 AND column_name = ?3",
      .string(name), .string(tableName), .string(column))
  }

  /// Renames a table.
  static func rename(
    _ tableName: String, to name: String, _ connection: Connection
  ) throws(StoreError) {
    guard try connection.hasTable(table) else { return }
    try connection.run(
      "UPDATE OR REPLACE \(table) SET table_name = ?1 WHERE table_name = ?2", .string(name),
      .string(tableName))
  }
}

extension StoreReader {
  /// Returns the names of the columns of a class that contain days.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  package func dayColumns(_ layout: TableLayout) throws(StoreError) -> Set<String> {
    try DayColumns.names(of: layout.tableName, connection)
  }

  /// Returns a form that represents all values of a column of dates; microseconds where no form does.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(n) in the number of rows.
  package func form(
    ofDates column: Int, _ layout: TableLayout
  ) throws(StoreError) -> DateForm {
    let (name, table) = (layout.columns[column].name, SQL.quoted(layout.tableName))
    let value = SQL.quoted(name)
    if try dayColumns(layout).contains(name), try !hasTimes(value, table) { return .days }
    let (isInteger, unit) = ("typeof(\(value)) = 'integer'", Timestamp.nanosecondsPerMicrosecond)
    let hasNanoseconds = try connection.integer(
      "SELECT 1 FROM \(table) WHERE \(isInteger) AND \(value) % \(unit) <> 0 LIMIT 1")
    let hasOthers = try connection.integer(
      "SELECT 1 FROM \(table) WHERE \(value) IS NOT NULL AND NOT \(isInteger) LIMIT 1")
    return hasNanoseconds != nil && hasOthers == nil ? .nanoseconds : .microseconds
  }

  /// Returns whether a column contains a date with a time of day, or a day whose number needs more than the
  /// 32 bits of columnar files.
  private func hasTimes(_ value: String, _ table: String) throws(StoreError) -> Bool {
    let rows = try connection.statement(
      "SELECT \(value) FROM \(table) WHERE \(value) IS NOT NULL "
        + "AND (typeof(\(value)) <> 'integer' OR \(value) % \(Timestamp.nanosecondsPerDay) <> 0)")
    defer { rows.reset() }
    while try rows.step() {
      guard let date = rows.timestamp(0), date.isStartOfDay,
        Int32(exactly: date.daysSince1970) != nil
      else { return true }
    }
    return false
  }
}

extension WriteTransaction {
  /// Marks columns of a class as columns of days.
  ///
  /// - Throws: ``StoreError``.
  package func addDayColumns(
    _ columns: Set<String>, of layout: TableLayout
  ) throws(StoreError) {
    try write { flushed throws(StoreError) in
      try DayColumns.add(columns, of: layout.tableName, flushed.connection)
    }
  }
}
