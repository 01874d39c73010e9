import CadastreModel
package import CadastreSQLite

/// Holds a spatial index against its table.
package struct SpatialIndexCheck {
  private let index: TableLayout.SpatialIndex
  private let layout: TableLayout
  private let connection: Connection

  package init(
    _ index: TableLayout.SpatialIndex, _ layout: TableLayout, _ connection: Connection
  ) {
    self.index = index
    self.layout = layout
    self.connection = connection
  }

  /// What is wrong, one sentence each: SQLite's own check of the tree, and its number of points.
  ///
  /// The index must hold as many points as are expected.
  package func problems(expected: Int) throws(StoreError) -> [String] {
    var problems: [String] = []
    let verdict = try connection.text("SELECT rtreecheck(?)", .string(index.name)) ?? "no answer"
    if verdict != "ok" { problems.append("\(index.name): \(verdict)") }
    let count = try connection.integer("SELECT count(*) FROM \(SQL.quoted(index.name + "_rowid"))")
    if count != Int64(expected) {
      problems.append("\(index.name) holds \(count ?? 0) points, expected \(expected)")
    }
    return problems
  }

  /// What is wrong with the index of many points, found without going through all of it: their number,
  /// and whether some of them are found by their key and by their place.
  ///
  /// - Complexity: O(log n) for each point looked for.
  func problems(sampling entries: [SpatialEntry]) throws(StoreError) -> [String] {
    let name = SQL.quoted(index.name)
    let box =
      "min_longitude <= ?2 AND max_longitude >= ?2 AND min_latitude <= ?3 AND max_latitude >= ?3"
    let ways = ["\"key\" = ?1 AND \(box)", "+\"key\" = ?1 AND \(box)"]
    for entry in stride(from: 0, to: entries.count, by: max(entries.count / Self.samples, 1))
      .map({ entries[$0] })
    {
      for way in ways {
        let found = try connection.integer(
          "SELECT count(*) FROM \(name) WHERE \(way)", .int(entry.key), .double(entry.longitude),
          .double(entry.latitude))
        guard found == 1 else { return ["\(index.name) lacks or misplaces point \(entry.key)"] }
      }
    }
    let count = try connection.integer("SELECT count(*) FROM \(SQL.quoted(index.name + "_rowid"))")
    guard count == Int64(entries.count) else {
      return ["\(index.name) holds \(count ?? 0) points, expected \(entries.count)"]
    }
    return []
  }

  /// How many points are looked for.
  private static let samples = 64

  /// As `problems(expected:)`, and every point of the table must lie in the box that the index has
  /// for its key.
  ///
  /// - Complexity: O(n log n) in the number of rows.
  package func problemsAgainstTable() throws(StoreError) -> [String] {
    let table = SQL.quoted(layout.tableName)
    let key = SQL.quoted(TableLayout.keyName)
    let longitude = "t.\(SQL.quoted(layout.columns[index.point.longitude].name))"
    let latitude = "t.\(SQL.quoted(layout.columns[index.point.latitude].name))"
    let places = "FROM \(table) t WHERE \(longitude) IS NOT NULL AND \(latitude) IS NOT NULL"
    let expected = try connection.integer("SELECT count(*) \(places)") ?? 0
    var problems = try problems(expected: Int(expected))
    let missing = try connection.integer(
      """
      SELECT count(*) \(places) AND NOT EXISTS (
        SELECT 1 FROM \(SQL.quoted(index.name)) r WHERE r."key" = t.\(key)
          AND \(longitude) BETWEEN r.min_longitude AND r.max_longitude
          AND \(latitude) BETWEEN r.min_latitude AND r.max_latitude)
      """)
    if let missing, missing > 0 {
      problems.append("\(index.name) lacks or misplaces \(missing) of \(expected) points")
    }
    return problems
  }
}
