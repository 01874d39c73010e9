import CadastreModel
package import CadastreSQLite

/// A comparison of a spatial index with its table.
package struct SpatialIndexCheck {
  private let index: TableLayout.SpatialIndex
  private let layout: TableLayout
  private let connection: Connection

  /// Prepares to check an index.
  package init(
    _ index: TableLayout.SpatialIndex, _ layout: TableLayout, _ connection: Connection
  ) {
    self.index = index
    self.layout = layout
    self.connection = connection
  }

  /// Returns the problems that SQLite's check of the tree reports, and a wrong number of points; one
  /// sentence each.
  package func problems(expected: Int) throws(StoreError) -> [String] {
    var problems: [String] = []
    let verdict = try connection.text("SELECT rtreecheck(?)", .string(index.name)) ?? "no answer"
    if verdict != "ok" { problems.append("\(index.name): \(verdict)") }
    let count = try index.entryCount(connection)
    if count != expected {
      problems.append("\(index.name) holds \(count) entries, expected \(expected)")
    }
    return problems
  }

  /// Returns the problems of an index of many points that a sample shows: a wrong number of points, and
  /// sampled points that a search by key or by location does not find.
  ///
  /// - Complexity: O(log n) for each sampled point.
  func problems(sampling entries: SpatialEntries) throws(StoreError) -> [String] {
    let name = SQL.quoted(index.name)
    let box =
      "min_longitude <= ?2 AND max_longitude >= ?3 AND min_latitude <= ?4 AND max_latitude >= ?5"
    let searches = ["\"key\" = ?1 AND \(box)", "+\"key\" = ?1 AND \(box)"]
    for entry in try entries.sample(Self.samples) {
      for search in searches {
        let found = try connection.integer(
          "SELECT count(*) FROM \(name) WHERE \(search)", .int(entry.key),
          .float(entry.box.west), .float(entry.box.east),
          .float(entry.box.south), .float(entry.box.north))
        guard found == 1 else { return ["\(index.name) lacks or misplaces point \(entry.key)"] }
      }
    }
    let count = try index.entryCount(connection)
    guard count == entries.count else {
      return ["\(index.name) holds \(count) entries, expected \(entries.count)"]
    }
    return []
  }

  /// The number of sampled points.
  private static let samples = 64

  /// Returns the problems of `problems(expected:)`, and the number of points in the table that lie outside of
  /// the box with their key.
  ///
  /// - Complexity: O(n log n) in the number of rows.
  package func problemsAgainstTable() throws(StoreError) -> [String] {
    guard case .point(let columns) = index.source else { return try problemsAgainstGeometries() }
    let table = SQL.quoted(layout.tableName)
    let key = SQL.quoted(TableLayout.keyName)
    let longitude = "t.\(SQL.quoted(layout.columns[columns.longitude].name))"
    let latitude = "t.\(SQL.quoted(layout.columns[columns.latitude].name))"
    let points = "FROM \(table) t WHERE \(longitude) IS NOT NULL AND \(latitude) IS NOT NULL"
    let expected = try connection.integer("SELECT count(*) \(points)") ?? 0
    var problems = try problems(expected: Int(expected))
    let missing = try connection.integer(
      """
      SELECT count(*) \(points) AND NOT EXISTS (
        SELECT 1 FROM \(SQL.quoted(index.name)) r WHERE r."key" = t.\(key)
          AND \(longitude) BETWEEN r.min_longitude AND r.max_longitude
          AND \(latitude) BETWEEN r.min_latitude AND r.max_latitude)
      """)
    if let missing, missing > 0 {
      problems.append("\(index.name) lacks or misplaces \(missing) of \(expected) points")
    }
    return problems
  }

  /// Returns the problems of an index of geometries, whose boxes SQL cannot compute, against its table.
  private func problemsAgainstGeometries() throws(StoreError) -> [String] {
    let rows = try connection.statement(index.storedEntries(of: layout))
    let search = try connection.statement(
      "SELECT count(*) FROM \(SQL.quoted(index.name)) WHERE \"key\" = ? AND min_longitude <= ? "
        + "AND max_longitude >= ? AND min_latitude <= ? AND max_latitude >= ?")
    var (expected, missing) = (0, 0)
    while try rows.step() {
      guard let entry = index.entry(rows) else { continue }
      expected += 1
      let box = entry.box
      try search.bind(.int(entry.key), at: 1)
      try search.bind(.float(box.west), at: 2)
      try search.bind(.float(box.east), at: 3)
      try search.bind(.float(box.south), at: 4)
      try search.bind(.float(box.north), at: 5)
      if try !search.step() || search.integer(0) != 1 { missing += 1 }
      search.reset()
    }
    var problems = try problems(expected: expected)
    if missing > 0 {
      problems.append("\(index.name) lacks or misplaces \(missing) of \(expected) geometries")
    }
    return problems
  }
}
