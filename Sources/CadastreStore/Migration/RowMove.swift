import CadastreModel
import CadastreSQLite

/// Moves values between rows by set operations in SQL.
struct RowMove {
  /// The table with the values.
  let source: TableSource
  /// The table that receives them.
  let target: TableLayout
  /// The rows as an SQL `FROM` clause, in which `s` is the source.
  let rows: String
  /// The key in the target, as an expression over these rows.
  let targetKey: String
  /// The condition that selects rows.
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

  /// Moves an embedded object from its owner's row to a row of its own, whose key replaces the presence
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

  /// Inserts a row in the target for each of the rows.
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

  /// Makes columns of the target columns of days as those of the source are.
  ///
  /// Where values of the target stay, a column of points in time remains one.
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
