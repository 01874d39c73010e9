import CadastreModel
import CadastreSQLite

/// Holds the columns of places against what they may contain.
struct GeographyCheck {
  private let layout: TableLayout
  private let connection: Connection

  init(_ layout: TableLayout, _ connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// What is wrong with the places of a class, one sentence each.
  ///
  /// - Complexity: O(n) in the number of rows.
  func problems() throws(StoreError) -> [String] {
    var problems: [String] = []
    let className = layout.schema.className
    if let point = layout.point { problems += try self.problems(point, className) }
    for index in layout.spatialIndexes {
      problems += try self.problems(index.point, "\(className).\(index.path)")
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
      (Int(wrong ?? 0), "have a longitude or a latitude that is none"),
      (odd, "have odd members that are no point, or not the one of their columns"),
    ].filter { $0.0 > 0 }.map { "\($0.0) places '\(name)' \($0.1)" }
  }

  private static func isNoNumber(_ column: String) -> String {
    "typeof(\(column)) NOT IN ('real', 'integer')"
  }

  /// The number of points whose JSON cannot be read, or says another place than their columns.
  private func oddProblems(_ point: PointColumns) throws(StoreError) -> Int {
    let columns = [point.longitude, point.latitude, point.odd].map { layout.columns[$0] }
    let rows = try connection.statement(
      "SELECT \(columns.sqlList) FROM \(SQL.quoted(layout.tableName)) "
        + "WHERE \(columns[2].sqlNames[0]) IS NOT NULL")
    var wrong = 0
    while try rows.step() {
      let place = PointColumns.content(rows.text(2)).map {
        PointShape.location(type: $0.type, coordinates: $0.coordinates)
      }
      let isRight =
        place.map { place in
          rows.double(0) == place.map(\.longitude) && rows.double(1) == place.map(\.latitude)
        } ?? false
      if !isRight { wrong += 1 }
    }
    return wrong
  }
}
