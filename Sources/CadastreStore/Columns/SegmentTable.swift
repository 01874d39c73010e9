import CadastreModel
import CadastreSQLite

/// The tables of stored segments, which only stores with such segments have.
///
/// | table | row |
/// |---|---|
/// | `cadastre_segment_column` | a stored column: its identifier, the name of its table and its name |
/// | `cadastre_segment` | a segment of a column: the number of nulls, the minimum and the maximum of numbers, the bytes |
/// | `cadastre_segment_change` | the slots of a segment that have changed since it was stored |
///
/// The set of existing rows of a segment is a column with the name of the key. A segment is valid in each snapshot in
/// which it exists, except that the values of changed slots are in the rows of the class's table.
///
/// The counter `segment_version` in `cadastre_state` equals the number of commits unless another program has written
/// since: a Cadastre that does not know segments raises only the number of commits, and triggers, which no Cadastre
/// runs, change the counter when other SQLite programs write. No segment is valid then.
enum SegmentTable {
  /// The name of the table of segments.
  static let name = "cadastre_segment"
  /// The name of the table of changed slots.
  static let changes = "cadastre_segment_change"
  private static let columns = "cadastre_segment_column"
  private static let counter = "segment_version"
  /// The value of the counter after a write of another program.
  static let noVersion: Int64 = -1

  /// The identifiers of the stored columns, by the name of the table and the name of the column.
  typealias Identifiers = [String: [String: Int64]]

  /// The number of bits of the number of a segment in its key.
  private static let segmentBits: Int64 = 40
  /// The number above the numbers of all stored segments.
  static let segmentLimit: Int64 = 1 << segmentBits
  /// The identifiers of columns, which leave room for the number of the segment.
  private static let validIdentifiers: Range<Int64> = 1..<1 << 22

  /// Returns the key of a segment of a column; nil for a segment that is never stored.
  static func key(_ column: Int64, _ segment: Int64) -> Int64? {
    (0..<segmentLimit).contains(segment) ? column << segmentBits | segment : nil
  }

  /// Returns the keys of all segments of a column.
  static func keys(_ column: Int64) -> ClosedRange<Int64> {
    column << segmentBits...column << segmentBits | (1 << segmentBits - 1)
  }

  // MARK: The catalogue

  /// Reads the identifiers of the stored columns; the tables must exist.
  static func identifiers(from connection: Connection) throws(StoreError) -> Identifiers {
    let rows = try connection.statement("SELECT id, table_name, column_name FROM \(columns)")
    var identifiers: Identifiers = [:]
    while try rows.step() {
      guard validIdentifiers.contains(rows.integer(0)) else { continue }
      identifiers[rows.text(1), default: [:]][rows.text(2)] = rows.integer(0)
    }
    return identifiers
  }

  /// Returns whether the tables exist.
  static func exists(in objects: StoredObjects) -> Bool {
    [name, changes, columns].allSatisfy(objects.hasTable)
  }

  /// Returns whether the tables exist.
  static func exists(on connection: Connection) throws(StoreError) -> Bool {
    for table in [name, changes, columns] where try !connection.hasTable(table) { return false }
    return true
  }

  /// Creates the tables, which replace those that another program has left, and the counter unless it exists.
  static func create(hasCounter: Bool, on connection: Connection) throws(StoreError) {
    for table in [name, changes, columns] {
      try connection.run("DROP TABLE IF EXISTS \(table)")
    }
    try connection.run(
      """
      CREATE TABLE \(columns)(
        id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, column_name TEXT NOT NULL,
        definition TEXT, UNIQUE (table_name, column_name))
      """)
    try connection.run(
      """
      CREATE TABLE \(name)(
        id INTEGER PRIMARY KEY, null_count INTEGER NOT NULL, minimum, maximum, bytes BLOB NOT NULL)
      """)
    try connection.run("CREATE TABLE \(changes)(id INTEGER PRIMARY KEY, slots BLOB NOT NULL)")
    guard !hasCounter else { return }
    try connection.run(
      "ALTER TABLE cadastre_state ADD COLUMN \(counter) INTEGER NOT NULL DEFAULT \(noVersion)")
  }

  /// Drops the tables and the counter; no trigger may be left.
  static func drop(on connection: Connection) throws(StoreError) {
    for table in [name, changes, columns] {
      try connection.run("DROP TABLE IF EXISTS \(table)")
    }
    do throws(StoreError) {
      try connection.run("ALTER TABLE cadastre_state DROP COLUMN \(counter)")
    } catch {
      // SQLite refuses it because of another program's view that names a missing table.
      try connection.run("UPDATE cadastre_state SET \(counter) = \(noVersion)")
    }
  }

  // MARK: Columns

  /// Returns the names of the columns of a class whose segments can be stored, and of the set of existing rows.
  private static func names(_ layout: TableLayout) -> [String] {
    [TableLayout.keyName]
      + layout.columns.filter { SegmentFormat.code(of: $0.type) != nil }.map(\.name)
  }

  /// Adds the columns of a class, without segments, and the triggers of its table.
  ///
  /// - Parameters:
  ///   - layout: The class.
  ///   - known: The identifiers of its columns, whose triggers were missing; nil for a new class.
  ///   - connection: The connection.
  /// - Returns: The identifiers of the columns.
  /// - Throws: ``StoreError`` when writing fails.
  static func add(
    _ layout: TableLayout, _ known: [String: Int64]?, on connection: Connection
  ) throws(StoreError) -> [String: Int64] {
    var identifiers = known ?? [:]
    for id in identifiers.values { try removeSegments(keys(id), on: connection) }
    for name in names(layout) where identifiers[name] == nil {
      let id = try connection.integer("SELECT coalesce(max(id), 0) + 1 FROM \(columns)") ?? 1
      guard validIdentifiers.contains(id) else { break }
      try connection.run(
        "INSERT INTO \(columns) VALUES (?, ?, ?, NULL)", .int(id), .string(layout.tableName),
        .string(name))
      identifiers[name] = id
    }
    try connection.run(
      "UPDATE \(columns) SET definition = (\(definition)) WHERE table_name = ?1 AND column_name = ?2",
      .string(layout.tableName), .string(TableLayout.keyName))
    for trigger in triggers(of: layout.tableName) {
      try connection.run("DROP TRIGGER IF EXISTS \(SQL.quoted(trigger.name))")
      try connection.run(trigger.definition)
    }
    return identifiers
  }

  /// The query for the definition of the table with the name of the first parameter.
  private static let definition =
    "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1"

  /// Removes columns and their segments.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - identifiers: The identifiers of the columns.
  ///   - others: Whether other columns of the table stay stored; otherwise the triggers of the table go too.
  ///   - connection: The connection.
  /// - Throws: ``StoreError`` when writing fails.
  static func remove(
    _ table: String, _ identifiers: [String: Int64], keepingOthers others: Bool,
    on connection: Connection
  ) throws(StoreError) {
    for id in identifiers.values {
      try removeSegments(keys(id), on: connection)
      if try connection.hasTable(columns) {
        try connection.run("DELETE FROM \(columns) WHERE id = ?", .int(id))
      }
    }
    if others { return }
    for trigger in triggers(of: table) {
      try connection.run("DROP TRIGGER IF EXISTS \(SQL.quoted(trigger.name))")
    }
  }

  private static let existence = SQLText("SELECT 1 FROM \(name) WHERE id = ?")

  /// Returns whether the segment with a key exists.
  static func exists(_ key: Int64, on connection: Connection) throws(StoreError) -> Bool {
    let statement = try connection.statement(existence)
    defer { statement.reset() }
    try statement.bind(integer: key, at: 1)
    return try statement.step()
  }

  /// Removes the segments with some keys.
  static func removeSegments(
    _ keys: ClosedRange<Int64>, on connection: Connection
  ) throws(StoreError) {
    for table in [name, changes] where try connection.hasTable(table) {
      try connection.run(
        "DELETE FROM \(table) WHERE id BETWEEN ? AND ?", .int(keys.lowerBound),
        .int(keys.upperBound))
    }
  }

  /// Removes all segments; the columns stay.
  static func removeSegments(on connection: Connection) throws(StoreError) {
    for table in [name, changes] where try connection.hasTable(table) {
      try connection.run("DELETE FROM \(table)")
    }
  }

  // MARK: Triggers

  private static let triggerPrefix = "cadastre_segment_"

  /// Returns whether a trigger has a name of those that report writes of other programs.
  static func isTrigger(_ name: String) -> Bool { name.hasPrefix(triggerPrefix) }

  /// Returns the triggers of a table: their names and the statements that create them.
  private static func triggers(of table: String) -> [(name: String, definition: String)] {
    ["INSERT", "UPDATE", "DELETE"].map { event in
      let name = "\(triggerPrefix)\(table)_\(event.lowercased())"
      return (
        name,
        "CREATE TRIGGER \(SQL.quoted(name)) AFTER \(event) ON \(SQL.quoted(table)) BEGIN "
          + "UPDATE cadastre_state SET \(counter) = \(noVersion) WHERE \(counter) <> \(noVersion); END"
      )
    }
  }

  /// Returns whether the triggers of a table exist, and its definition is that for which columns were stored; another
  /// program may have replaced the table by another one, or exchanged columns.
  static func hasTriggers(
    _ table: String, on connection: Connection
  ) throws(StoreError) -> Bool {
    guard try connection.hasTable(columns) else { return false }
    let definitions = triggers(of: table).map { Value.string($0.definition) }
    let count = try connection.integer(
      """
      SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 AND sql IN (?2, ?3, ?4)
      AND (\(definition)) = (SELECT definition FROM \(columns) WHERE table_name = ?1 AND column_name = ?5)
      """,
      .string(table), definitions[0], definitions[1], definitions[2], .string(TableLayout.keyName))
    return count == 3
  }
}

/// Where a catalogue has the identifiers of stored columns from.
enum StoredSegmentSource {
  /// There are none.
  case none
  /// The file, which has the tables of segments.
  case file(SegmentTable.Identifiers)
  /// An earlier catalogue: those of the tables whose columns are the same.
  case kept(of: Catalogue)

  /// Returns the identifiers for the tables of a catalogue; nil for a file without segments.
  func identifiers(_ layouts: [String: TableLayout]) -> SegmentTable.Identifiers? {
    switch self {
    case .none: return nil
    case .file(let identifiers): return identifiers
    case .kept(let former):
      guard let identifiers = former.segments else { return nil }
      var kept: SegmentTable.Identifiers = [:]
      for before in former.tables {
        guard let found = identifiers[before.tableName],
          let after = layouts[before.schema.className], before.tableName == after.tableName,
          before.columns == after.columns, before.fields == after.fields
        else { continue }
        kept[before.tableName] = found
      }
      return kept.isEmpty ? nil : kept
    }
  }
}

/// The identifiers of the stored columns of a class.
package struct StoredColumns: Hashable, Sendable {
  /// The identifier of the set of existing rows.
  let rows: Int64
  /// The identifiers by column.
  let columns: [Int: Int64]

  /// Returns the identifiers of a class; nil where none is stored.
  init?(_ layout: TableLayout, _ identifiers: [String: Int64]?) {
    guard let identifiers, let rows = identifiers[TableLayout.keyName] else { return nil }
    self.rows = rows
    var columns: [Int: Int64] = [:]
    for (index, column) in layout.columns.enumerated() {
      if SegmentFormat.code(of: column.type) != nil, let id = identifiers[column.name] {
        columns[index] = id
      }
    }
    self.columns = columns
  }
}
