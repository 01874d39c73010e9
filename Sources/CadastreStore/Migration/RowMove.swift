import CadastreModel
import CadastreSQLite

/// Rows that take over what others held, set by set and not one by one.
struct RowMove {
  /// Where the values are.
  let source: TableSource
  /// The table that takes them over.
  let target: TableLayout
  /// The rows, as SQL after `FROM`, in which `s` is the source.
  let rows: String
  /// The key in the target, in those rows.
  let targetKey: String
  /// Which of the rows.
  let condition: String
  let connection: Connection

  /// What an object's own row says, in the same row.
  static func inPlace(
    _ source: TableSource, _ target: TableLayout, _ connection: Connection
  ) -> RowMove {
    RowMove(
      source: source, target: target, rows: "\(source.table) s", targetKey: "s.\(key)",
      condition: "1", connection: connection)
  }

  /// What the owner's row says, in a row whose key is where the embedded object was.
  static func unfolding(
    _ presence: Int, of source: TableSource, to target: TableLayout, _ connection: Connection
  ) -> RowMove {
    let number = "s.\(source.column(presence).sqlNames[0])"
    return RowMove(
      source: source, target: target, rows: "\(source.table) s", targetKey: number,
      condition: "\(number) IS NOT NULL", connection: connection)
  }

  /// What an object's own row says, in the row of the owner, which has its key.
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

  /// Columns before and after, as SQLite sees them.
  private func names(_ columns: [(old: Int, new: Int)]) -> [(old: String, new: String)] {
    columns.flatMap { pair in
      Array(zip(source.column(pair.old).sqlNames, target.columns[pair.new].sqlNames))
    }.map { ($0.0, $0.1) }
  }

  // MARK: Columns

  /// Makes a row of the target for each of the rows.
  ///
  /// - Parameters:
  ///   - columns: The columns before and after.
  ///   - literals: What columns hold that were not there before.
  /// - Throws: ``StoreError``.
  func insert(
    _ columns: [(old: Int, new: Int)], _ literals: [(column: Int, literal: String)]
  ) throws(StoreError) {
    let names = names(columns)
    let into =
      [Self.key] + names.map(\.new) + literals.flatMap { target.columns[$0.column].sqlNames }
    let values = [targetKey] + names.map { "s." + $0.old } + literals.map(\.literal)
    try connection.run(
      "INSERT INTO \(SQL.quoted(target.tableName))(\(into.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(rows) WHERE \(condition)")
  }

  /// Sets columns of the rows that are in the target already.
  func update(_ columns: [(old: Int, new: Int)]) throws(StoreError) {
    let names = names(columns)
    guard !names.isEmpty else { return }
    let table = SQL.quoted(target.tableName)
    try connection.run(
      "UPDATE \(table) SET (\(names.map(\.new).joined(separator: ", "))) = "
        + "(SELECT \(names.map { "s." + $0.old }.joined(separator: ", ")) FROM \(rows) "
        + "WHERE \(targetKey) = \(table).\(Self.key)) "
        + "WHERE \(Self.key) IN (SELECT \(targetKey) FROM \(rows) WHERE \(condition))")
  }

  // MARK: Collections

  /// Gives collections the elements of others.
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
