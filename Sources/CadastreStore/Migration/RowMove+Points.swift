import CadastreModel
import CadastreSQLite

extension RowMove {
  /// Converts points to another storage form, one by one, because SQL cannot interpret their members.
  func move(_ point: PointMove) throws(StoreError) {
    var last: Int64 = 0
    while true {
      let points = try points(point, after: last)
      for moved in points { try write(moved.content, to: moved.target, point.new) }
      guard let end = points.last?.source else { return }
      last = end
    }
  }

  private struct MovedPoint {
    let source: Int64
    let target: Int64
    var content: PointColumns.Content
  }

  /// The number of points that are read before they are written.
  private static let batch = 10_000

  private func points(
    _ point: PointMove, after last: Int64
  ) throws(StoreError) -> [MovedPoint] {
    let key = "s.\(Self.key)"
    var columns: [String] = [key, targetKey]
    switch point.old {
    case .point(let columnsOfPoint):
      columns += columnsOfPoint.all.map(name)
    case .members(let type, _): columns += type.map { [name($0)] } ?? []
    }
    let exists = point.oldPresence.map { "\(name($0)) IS NOT NULL" } ?? "1"
    let statement = try connection.statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \(rows) WHERE \(condition) AND \(exists) "
        + "AND \(key) > ? ORDER BY \(key) LIMIT \(Self.batch)")
    try statement.bind(.int(last), at: 1)
    var points: [MovedPoint] = []
    while try statement.step() {
      let content = content(of: statement, point.old)
      points.append(
        MovedPoint(source: statement.integer(0), target: statement.integer(1), content: content))
    }
    if case .members(_, let coordinates?) = point.old {
      for index in points.indices {
        points[index].content.coordinates = try elements(coordinates, points[index].source)
      }
    }
    return points
  }

  private func name(_ column: Int) -> String { "s.\(source.column(column).sqlNames[0])" }

  private static let columns = PointColumns(longitude: 0, latitude: 1, altitude: 2, odd: 3)

  private func content(of row: Statement, _ form: PointMove.Form) -> PointColumns.Content {
    switch form {
    case .point:
      let values = (2...4).map { row.value($0, as: .double) } + [row.value(5, as: .string)]
      return Self.columns.content(values)
    case .members(let type, _):
      guard type != nil, case .string(let name) = row.value(2, as: .string) else {
        return PointColumns.Content(type: "", coordinates: [])
      }
      return PointColumns.Content(type: name, coordinates: [])
    }
  }

  private func elements(
    _ collection: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [Double] {
    let statement = try connection.statement(
      "SELECT value FROM \(source.table(of: collection)) WHERE owner = ? ORDER BY position")
    try statement.bind(.int(owner), at: 1)
    var elements: [Double] = []
    while try statement.step() {
      elements.append(statement.value(0, as: .double).doubleValue ?? .nan)
    }
    return elements
  }

  private func write(
    _ content: PointColumns.Content, to owner: Int64, _ form: PointMove.Form
  ) throws(StoreError) {
    switch form {
    case .point(let columns):
      var values = [Value](repeating: .null, count: 4)
      Self.columns.write(content, to: &values)
      for (column, value) in zip(columns.all, values) { try set(column, value, of: owner) }
    case .members(let type, let coordinates):
      if let type { try set(type, .string(content.type), of: owner) }
      guard let coordinates else { return }
      try set(coordinates.countColumn, .int(Int64(content.coordinates.count)), of: owner)
      for (index, value) in content.coordinates.enumerated() {
        try connection.run(
          coordinates.sql.insertion, .int(owner), .int(Int64(index) * ListPositions.gap),
          .double(value))
      }
    }
  }

  private func set(_ column: Int, _ value: Value, of owner: Int64) throws(StoreError) {
    try connection.run(
      "UPDATE \(SQL.quoted(target.tableName)) SET \(target.columns[column].sqlNames[0]) = ? "
        + "WHERE \(Self.key) = ?", value, .int(owner))
  }
}
