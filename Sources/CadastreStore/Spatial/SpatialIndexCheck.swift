import CadastreModel

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
