import CadastreModel
import CadastreSQLite

/// A check of the points and geometries of a class.
struct GeographyCheck {
  private let layout: TableLayout
  private let connection: Connection

  init(_ layout: TableLayout, _ connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// Returns the problems of the points of a class, one sentence each.
  ///
  /// - Complexity: O(n) in the number of rows.
  func problems() throws(StoreError) -> [String] {
    var problems: [String] = []
    let className = layout.schema.className
    if let point = layout.point { problems += try self.problems(point, className) }
    for index in layout.spatialIndexes {
      let name = "\(className).\(index.path)"
      switch index.source {
      case .point(let point): problems += try self.problems(point, name)
      case .geometry(let column): problems += try self.problems(geometry: column, name)
      }
    }
    return try problems + missingPoints(layout.fields)
  }

  /// Returns the problems of points that are null but have coordinates.
  private func missingPoints(_ fields: [FieldLayout]) throws(StoreError) -> [String] {
    var problems: [String] = []
    for case .embedded(let embedded) in fields {
      problems += try missingPoints(embedded.fields)
      guard let point = embedded.point else { continue }
      let members = [point.longitude, point.latitude].map {
        "\(layout.columns[$0].sqlNames[0]) IS NOT NULL"
      }
      let count = try connection.integer(
        "SELECT count(*) FROM \(SQL.quoted(layout.tableName)) WHERE "
          + "\(layout.columns[embedded.presence].sqlNames[0]) IS NULL "
          + "AND (\(members.joined(separator: " OR ")))")
      if let count, count > 0 {
        problems.append(
          "\(count) points '\(layout.schema.className).\(embedded.path)' are missing, but have coordinates"
        )
      }
    }
    return problems
  }

  private func problems(
    _ point: PointColumns, _ name: String
  ) throws(StoreError) -> [String] {
    let longitude = SQL.quoted(layout.columns[point.longitude].name)
    let latitude = SQL.quoted(layout.columns[point.latitude].name)
    let wrong = try connection.integer(
      """
      SELECT count(*) FROM \(SQL.quoted(layout.tableName))
        WHERE (\(longitude) IS NULL) <> (\(latitude) IS NULL)
          OR (\(longitude) IS NOT NULL AND (\(Self.isNoNumber(longitude)) OR abs(\(longitude)) > 180))
          OR (\(latitude) IS NOT NULL AND (\(Self.isNoNumber(latitude)) OR abs(\(latitude)) > 90))
      """)
    let odd = try oddProblems(point)
    return [
      (Int(wrong ?? 0), "have an invalid longitude or latitude"),
      (odd, "have members in column 'odd' that are invalid or contradict the other columns"),
    ].filter { $0.0 > 0 }.map { "\($0.0) points '\(name)' \($0.1)" }
  }

  /// Returns the problem of blobs that are not valid geometries, which read as null.
  private func problems(geometry column: Int, _ name: String) throws(StoreError) -> [String] {
    let column = layout.columns[column].sqlNames[0]
    let rows = try connection.statement(
      "SELECT \(column) FROM \(SQL.quoted(layout.tableName)) WHERE typeof(\(column)) = 'blob'")
    var wrong = 0
    while try rows.step() { if rows.value(0, as: .geometry).isNull { wrong += 1 } }
    return wrong > 0 ? ["\(wrong) geometries '\(name)' are no well-known binary"] : []
  }

  private static func isNoNumber(_ column: String) -> String {
    "typeof(\(column)) NOT IN ('real', 'integer')"
  }

  /// Returns the number of points whose JSON in column 'odd' is invalid or contradicts the other columns.
  private func oddProblems(_ point: PointColumns) throws(StoreError) -> Int {
    let columns = [point.longitude, point.latitude, point.odd].map { layout.columns[$0] }
    let rows = try connection.statement(
      "SELECT \(columns.sqlList) FROM \(SQL.quoted(layout.tableName)) "
        + "WHERE \(columns[2].sqlNames[0]) IS NOT NULL")
    var wrong = 0
    while try rows.step() {
      let location = PointColumns.content(rows.text(2)).map {
        PointShape.location(type: $0.type, coordinates: $0.coordinates)
      }
      let isRight =
        location.map { location in
          rows.double(0) == location.map(\.longitude) && rows.double(1) == location.map(\.latitude)
        } ?? false
      if !isRight { wrong += 1 }
    }
    return wrong
  }
}
