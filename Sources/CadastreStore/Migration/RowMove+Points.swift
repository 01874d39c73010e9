import CadastreModel
import CadastreSQLite

extension RowMove {
  /// Writes places in another form than they had, one by one: what is odd about a place cannot be told
  /// in SQL.
  func move(_ point: PointMove) throws(StoreError) {
    var last: Int64 = 0
    while true {
      let places = try places(point, after: last)
      for place in places { try write(place.content, to: place.target, point.new) }
      guard let end = places.last?.source else { return }
      last = end
    }
  }

  private struct Place {
    let source: Int64
    let target: Int64
    var content: PointColumns.Content
  }

  /// Places that are read before they are written.
  private static let batch = 10_000

  private func places(_ point: PointMove, after last: Int64) throws(StoreError) -> [Place] {
    let key = "s.\(Self.key)"
    var columns: [String] = [key, targetKey]
    switch point.old {
    case .point(let place):
      columns += [place.longitude, place.latitude, place.altitude, place.odd].map(name)
    case .members(let type, _): columns += type.map { [name($0)] } ?? []
    }
    let isThere = point.oldPresence.map { "\(name($0)) IS NOT NULL" } ?? "1"
    let statement = try connection.statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \(rows) WHERE \(condition) AND \(isThere) "
        + "AND \(key) > ? ORDER BY \(key) LIMIT \(Self.batch)")
    try statement.bind(.int(last), at: 1)
    var places: [Place] = []
    while try statement.step() {
      let content = content(of: statement, point.old)
      places.append(
        Place(source: statement.integer(0), target: statement.integer(1), content: content))
    }
    if case .members(_, let coordinates?) = point.old {
      for index in places.indices {
        places[index].content.coordinates = try elements(coordinates, places[index].source)
      }
    }
    return places
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
    case .point(let place):
      var values = [Value](repeating: .null, count: 4)
      Self.columns.write(content, to: &values)
      let columns = [place.longitude, place.latitude, place.altitude, place.odd]
      for (column, value) in zip(columns, values) { try set(column, value, of: owner) }
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
