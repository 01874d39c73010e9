import CadastreModel
import CadastreSQLite

/// Updates one spatial index within one transaction.
///
/// New points are pending in memory until the transaction flushes them. A few are inserted through SQLite's
/// R*Tree; many, compared with the present points, are packed with them into a new tree.
final class SpatialIndexWriter {
  private let index: TableLayout.SpatialIndex
  private let layout: TableLayout
  private let connection: Connection
  private let name: String
  private var pending: [SpatialEntry] = []
  private let packer: PackedRTree

  init(_ index: TableLayout.SpatialIndex, _ layout: TableLayout, _ connection: Connection) {
    self.index = index
    self.layout = layout
    self.connection = connection
    name = SQL.quoted(index.name)
    packer = PackedRTree(index.name, connection)
  }

  /// The number of new points from which packing is considered; inserting fewer takes a few milliseconds.
  static let packingThreshold = 2000

  func insert(_ key: Int64, _ row: [Value]) throws(StoreError) {
    guard case .double(let longitude) = row[index.point.longitude],
      case .double(let latitude) = row[index.point.latitude]
    else { return }
    pending.append(SpatialEntry(key: key, longitude: longitude, latitude: latitude))
  }

  func update(_ key: Int64, _ changed: [(column: Int, value: Value)]) throws(StoreError) {
    let columns = [index.point.longitude, index.point.latitude]
    guard changed.contains(where: { columns.contains($0.column) }) else { return }
    try flush()
    try remove(key)
    if let entry = try storedEntry(key) { try insert(entry) }
  }

  func delete(_ key: Int64) throws(StoreError) {
    try flush()
    try remove(key)
  }

  /// Removes several points, whose rows are deleted already.
  func delete(_ keys: [Int64]) throws(StoreError) {
    try flush()
    let present = try entryCount()
    // Packing writes the points that are left, and takes a tenth of the time for each.
    guard keys.count >= Self.packingThreshold, present < keys.count * 10 else {
      for key in keys { try remove(key) }
      return
    }
    try pack(allStoredEntries())
  }

  func deleteAll() throws(StoreError) {
    pending = []
    try connection.run("DELETE FROM \(name)")
  }

  /// Writes the pending points to the index.
  func flush() throws(StoreError) {
    guard !pending.isEmpty else { return }
    let entries = pending
    pending = []
    guard entries.count >= Self.packingThreshold else {
      for entry in entries { try insert(entry) }
      return
    }
    let present = try entryCount()
    // Packing writes all points; inserting writes the new ones only, but each takes about ten times as
    // long.
    if present == 0 {
      try pack(entries)
    } else if present < entries.count * 10 {
      try pack(allStoredEntries())
    } else {
      for entry in entries { try insert(entry) }
    }
  }

  private func entryCount() throws(StoreError) -> Int {
    let count = try connection.integer(
      "SELECT count(*) FROM \(SQL.quoted(index.name + "_rowid"))")
    return Int(count ?? 0)
  }

  /// Adds all rows of the table from a key on, none of which is in the index.
  func build(from first: Int64 = 1) throws(StoreError) {
    pending = try allStoredEntries().filter { $0.key >= first }
    try flush()
  }

  // MARK: One point

  /// Inserts the point's box with our rounding: SQLite's rounding can exclude a coordinate such as 1e-300
  /// from its box, and its boxes are wider than packed ones.
  private func insert(_ entry: SpatialEntry) throws(StoreError) {
    let box = NodeBox(longitude: entry.longitude, latitude: entry.latitude)
    try connection.run(
      "INSERT INTO \(name) VALUES (?, ?, ?, ?, ?)", .int(entry.key),
      .float(box.minLongitude), .float(box.maxLongitude), .float(box.minLatitude),
      .float(box.maxLatitude))
  }

  private func remove(_ key: Int64) throws(StoreError) {
    try connection.run("DELETE FROM \(name) WHERE \"key\" = ?", .int(key))
  }

  private func storedEntry(_ key: Int64) throws(StoreError) -> SpatialEntry? {
    let statement = try connection.statement(
      storedEntries + " AND \(SQL.quoted(TableLayout.keyName)) = ?")
    try statement.bind(.int(key), at: 1)
    defer { statement.reset() }
    return try statement.step() ? Self.entry(statement) : nil
  }

  // MARK: All points

  /// Packs all points and checks a sample; inserts the points one by one where the check fails.
  private func pack(_ entries: [SpatialEntry]) throws(StoreError) {
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
    try connection.run("DELETE FROM \(name)")
    for entry in entries { try insert(entry) }
  }

  private func allStoredEntries() throws(StoreError) -> [SpatialEntry] {
    var entries: [SpatialEntry] = []
    let statement = try connection.statement(storedEntries)
    while try statement.step() { entries.append(Self.entry(statement)) }
    return entries
  }

  private var storedEntries: String {
    let key = SQL.quoted(TableLayout.keyName)
    let longitude = SQL.quoted(layout.columns[index.point.longitude].name)
    let latitude = SQL.quoted(layout.columns[index.point.latitude].name)
    return "SELECT \(key), \(longitude), \(latitude) FROM \(SQL.quoted(layout.tableName)) "
      + "WHERE \(longitude) IS NOT NULL AND \(latitude) IS NOT NULL"
  }

  private static func entry(_ row: Statement) -> SpatialEntry {
    SpatialEntry(key: row.integer(0), longitude: row.real(1), latitude: row.real(2))
  }
}
