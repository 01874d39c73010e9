import CadastreGeometry
import CadastreModel
import CadastreSQLite

/// A writer of one spatial index, which writes to the file at once.
///
/// A few entries are inserted through SQLite's R*Tree; many, compared with the present ones, are packed with them into a
/// new tree.
final class SpatialIndexWriter {
  private let index: TableLayout.SpatialIndex
  private let layout: TableLayout
  private let connection: Connection
  private let name: String
  /// The prepared insertion, after its first use.
  @exclusivity(unchecked) private var insertion: Statement?
  private let packer: PackedRTree

  init(_ index: TableLayout.SpatialIndex, _ layout: TableLayout, _ connection: Connection) {
    self.index = index
    self.layout = layout
    self.connection = connection
    name = SQL.quoted(index.name)
    packer = PackedRTree(index.name, connection)
  }

  /// The number of new entries from which packing is considered; inserting fewer takes a few milliseconds.
  static let packingThreshold = 2000

  /// Inserts new entries of stored rows.
  ///
  /// - Parameter entries: The entries, which are not in the index.
  /// - Throws: ``StoreError``.
  func insert(_ entries: SpatialEntries) throws(StoreError) {
    guard entries.count >= Self.packingThreshold else { return try insertSingly(entries) }
    let present = try index.entryCount(connection)
    // Packing writes all entries; inserting writes the new ones only, but each takes about ten times as
    // long.
    if present == 0 {
      try pack(entries)
    } else if present < entries.count * 10 {
      try pack(storedEntries())
    } else {
      try insertSingly(entries)
    }
  }

  /// Replaces the entry of a row some of whose columns have changed.
  func update(_ key: Int64, _ changed: [(column: Int, value: Value)]) throws(StoreError) {
    let columns = index.columns
    guard changed.contains(where: { columns.contains($0.column) }) else { return }
    try delete(key)
    if let entry = try storedEntry(key) { try insert(entry) }
  }

  func delete(_ key: Int64) throws(StoreError) {
    try connection.run("DELETE FROM \(name) WHERE \"key\" = ?", .int(key))
  }

  /// Removes several entries, whose rows are deleted already.
  func delete(_ keys: [Int64]) throws(StoreError) {
    let present = try index.entryCount(connection)
    // Packing writes the entries that are left, and takes a tenth of the time for each.
    guard keys.count >= Self.packingThreshold, present < keys.count * 10 else {
      for key in keys { try delete(key) }
      return
    }
    try pack(storedEntries())
  }

  func deleteAll() throws(StoreError) {
    try connection.run("DELETE FROM \(name)")
  }

  /// Adds all rows of the table from a key on, which are not in the index.
  func build(from first: Int64 = 1) throws(StoreError) {
    try insert(storedEntries(from: first))
  }

  // MARK: One entry

  /// Inserts an entry's box with our rounding: SQLite's rounding can exclude a coordinate such as 1e-300
  /// from its box, and its boxes are wider than packed ones.
  private func insert(_ entry: SpatialEntry) throws(StoreError) {
    let box = entry.box
    let statement =
      if let insertion { insertion } else {
        try connection.statement("INSERT INTO \(name) VALUES (?, ?, ?, ?, ?)")
      }
    insertion = statement
    try statement.bind(integer: entry.key, at: 1)
    try statement.bind(.float(box.west), at: 2)
    try statement.bind(.float(box.east), at: 3)
    try statement.bind(.float(box.south), at: 4)
    try statement.bind(.float(box.north), at: 5)
    try statement.run()
  }

  private func storedEntry(_ key: Int64) throws(StoreError) -> SpatialEntry? {
    let statement = try connection.statement(
      index.storedEntries(of: layout) + " AND \(SQL.quoted(TableLayout.keyName)) = ?")
    try statement.bind(.int(key), at: 1)
    defer { statement.reset() }
    return try statement.step() ? index.entry(statement) : nil
  }

  // MARK: All entries

  /// Packs all entries and checks a sample; inserts the entries one by one where the check fails.
  private func pack(_ entries: SpatialEntries) throws(StoreError) {
    try connection.run("SAVEPOINT packing")
    let packed = Result { () throws(StoreError) in
      try packer.replace(with: entries)
      return try SpatialIndexCheck(index, layout, connection).problems(sampling: entries)
    }
    if case .success(let problems) = packed, problems.isEmpty {
      try connection.run("RELEASE packing")
      return
    }
    do throws(StoreError) {
      try connection.run("ROLLBACK TO packing")
    } catch {
      if case .failure(let first) = packed { throw first }
      throw error
    }
    try connection.run("RELEASE packing")
    try deleteAll()
    try insertSingly(entries)
  }

  private func insertSingly(_ entries: SpatialEntries) throws(StoreError) {
    try entries.forEach { entry throws(StoreError) in try insert(entry) }
  }

  /// Returns the entries of the rows with a key of at least `first`.
  private func storedEntries(from first: Int64 = .min) throws(StoreError) -> SpatialEntries {
    let entries = SpatialEntries(for: connection.path)
    let statement = try connection.statement(index.storedEntries(of: layout))
    while try statement.step() {
      if let entry = index.entry(statement), entry.key >= first { try entries.add(entry) }
    }
    return entries
  }
}

extension TableLayout.SpatialIndex {
  /// Returns the number of entries of the index.
  func entryCount(_ connection: Connection) throws(StoreError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM \(SQL.quoted(name + "_rowid"))") ?? 0)
  }

  /// Returns the query for the keys and columns of the rows of a table that may be in the index.
  func storedEntries(of layout: TableLayout) -> String {
    let names = columns.map { SQL.quoted(layout.columns[$0].name) }
    return "SELECT \(SQL.quoted(TableLayout.keyName)), \(names.joined(separator: ", ")) "
      + "FROM \(SQL.quoted(layout.tableName)) "
      + "WHERE \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))"
  }

  /// Returns the entry of a row of that query; nil if its geometry is empty or invalid.
  func entry(_ row: Statement) -> SpatialEntry? {
    switch source {
    case .point:
      return SpatialEntry(key: row.integer(0), longitude: row.real(1), latitude: row.real(2))
    case .geometry:
      guard case .geometry(let geometry) = row.value(1, as: .geometry),
        let envelope = geometry.indexEnvelope
      else { return nil }
      return SpatialEntry(key: row.integer(0), envelope)
    }
  }
}
