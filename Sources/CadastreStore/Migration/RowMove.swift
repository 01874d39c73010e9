import CadastreModel
import CadastreSQLite

/// A move of values between rows by set operations in SQL.
struct RowMove {
  /// The table with the values.
  let source: TableSource
  /// The table that receives the values.
  let target: TableLayout
  /// The rows as an SQL `FROM` clause, in which `s` is the source.
  let rows: String
  /// The key in the target, as an expression over `rows`.
  let targetKey: String
  /// The condition that selects rows of `rows`.
  let condition: String
  let connection: Connection

  /// Moves values within the rows of a table.
  static func inPlace(
    _ source: TableSource, _ target: TableLayout, _ connection: Connection
  ) -> RowMove {
    RowMove(
      source: source, target: target, rows: "\(source.table) s", targetKey: "s.\(key)",
      condition: "1", connection: connection)
  }

  /// Moves an embedded object from its owner's row to a separate row, whose key replaces the presence
  /// number.
  static func unfolding(
    _ presence: Int, of source: TableSource, to target: TableLayout, _ connection: Connection
  ) -> RowMove {
    let number = "s.\(source.column(presence).sqlNames[0])"
    return RowMove(
      source: source, target: target, rows: "\(source.table) s", targetKey: number,
      condition: "\(number) IS NOT NULL", connection: connection)
  }

  /// Moves an object from its own row to the row of its owner, which contains its key.
  static func folding(
    _ source: TableSource, into link: Int, of target: TableLayout, _ connection: Connection
  ) -> RowMove {
    let owners = SQL.quoted(target.tableName)
    let number = target.columns[link].sqlNames[0]
    return RowMove(
      source: source, target: target,
      rows: "\(owners) n CROSS JOIN \(source.table) s ON s.\(key) = n.\(number)",
      targetKey: "n.\(key)", condition: "n.\(number) IS NOT NULL", connection: connection)
  }

  static let key = SQL.quoted(TableLayout.keyName)

  /// Returns the SQLite names of columns before and after.
  private func names(_ columns: [(old: Int, new: Int)]) -> [(old: String, new: String)] {
    columns.flatMap { pair in
      Array(zip(source.column(pair.old).sqlNames, target.columns[pair.new].sqlNames))
    }.map { ($0.0, $0.1) }
  }

  // MARK: Columns

  /// Inserts a row in the target for each selected row.
  ///
  /// - Parameters:
  ///   - columns: The columns before and after.
  ///   - literals: The values of new columns, by column, as SQL literals.
  /// - Throws: ``StoreError`` when writing fails.
  func insert(
    _ columns: [(old: Int, new: Int)], _ literals: [Int: [String]]
  ) throws(StoreError) {
    try copyDays(columns, replacesValues: false)
    let names = names(columns)
    let into =
      [Self.key] + names.map(\.new) + literals.keys.flatMap { target.columns[$0].sqlNames }
    let values = [targetKey] + names.map { "s." + $0.old } + literals.values.joined()
    try connection.run(
      "INSERT INTO \(SQL.quoted(target.tableName))(\(into.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(rows) WHERE \(condition)")
  }

  /// Sets columns of rows that exist in the target.
  func update(_ columns: [(old: Int, new: Int)]) throws(StoreError) {
    let names = names(columns)
    guard !names.isEmpty else { return }
    try copyDays(columns, replacesValues: true)
    let table = SQL.quoted(target.tableName)
    try connection.run(
      "UPDATE \(table) SET (\(names.map(\.new).joined(separator: ", "))) = "
        + "(SELECT \(names.map { "s." + $0.old }.joined(separator: ", ")) FROM \(rows) "
        + "WHERE \(targetKey) = \(table).\(Self.key)) "
        + "WHERE \(Self.key) IN (SELECT \(targetKey) FROM \(rows) WHERE \(condition))")
  }

  /// Marks columns of the target as columns of days where the columns of the source are.
  ///
  /// A column of points in time remains one where values of the target stay.
  private func copyDays(
    _ columns: [(old: Int, new: Int)], replacesValues: Bool
  ) throws(StoreError) {
    let days = try DayColumns.names(of: source.layout.tableName, connection)
    let former = try DayColumns.names(of: target.tableName, connection)
    guard !days.isEmpty || !former.isEmpty else { return }
    for pair in columns where target.columns[pair.new].type == .date {
      let column = target.columns[pair.new]
      var isDay = days.contains(source.column(pair.old).name)
      if isDay, !replacesValues, !former.contains(column.name) {
        isDay =
          try connection.integer(
            "SELECT 1 FROM \(SQL.quoted(target.tableName)) "
              + "WHERE \(column.sqlNames[0]) IS NOT NULL LIMIT 1") == nil
      }
      if isDay {
        try DayColumns.add([column.name], of: target.tableName, connection)
      } else {
        try DayColumns.remove(column.name, of: target.tableName, connection)
      }
    }
  }

  // MARK: Collections

  /// Copies the elements of a collection to another one.
  func move(_ old: CollectionLayout, to new: CollectionLayout) throws(StoreError) {
    let slot = new.kind == .set ? [] : [new.kind == .list ? "position" : "key"]
    let columns = slot + new.element.sqlNames
    try connection.run(
      "INSERT INTO \(SQL.quoted(new.tableName))(\((["owner"] + columns).joined(separator: ", "))) "
        + "SELECT \(([targetKey] + columns.map { "t." + $0 }).joined(separator: ", ")) "
        + "FROM \(rows) JOIN \(source.table(of: old)) t ON t.owner = s.\(Self.key) "
        + "WHERE \(condition)")
  }
}

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
