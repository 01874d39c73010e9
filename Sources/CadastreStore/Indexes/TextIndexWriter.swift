import CadastreModel
import CadastreSQLite

/// A writer of one full-text index within one transaction.
///
/// The FTS5 table stores no text (it is contentless), so removing a row requires its old words.
struct TextIndexWriter {
  let index: TableLayout.TextIndex
  private let connection: Connection
  private let name: String
  private let oldText: String

  init(_ index: TableLayout.TextIndex, _ layout: TableLayout, _ connection: Connection) {
    self.index = index
    self.connection = connection
    name = SQL.quoted(index.name)
    oldText =
      "SELECT \(SQL.quoted(layout.columns[index.column].name)) FROM \(SQL.quoted(layout.tableName)) "
      + "WHERE \(SQL.quoted(TableLayout.keyName)) = ?"
  }

  func insert(_ key: Int64, _ text: Value) throws(StoreError) {
    guard case .string(let text) = text, let words = TextIndexForm.words(of: text) else { return }
    try connection.run("INSERT INTO \(name)(rowid, words) VALUES (?, ?)", .int(key), .string(words))
  }

  /// Removes a row; called before its text is changed or deleted.
  func remove(_ key: Int64) throws(StoreError) {
    guard let text = try connection.text(oldText, .int(key)),
      let words = TextIndexForm.words(of: text)
    else { return }
    try connection.run(
      "INSERT INTO \(name)(\(name), rowid, words) VALUES ('delete', ?, ?)", .int(key),
      .string(words))
  }

  func removeAll() throws(StoreError) {
    try connection.run("INSERT INTO \(name)(\(name)) VALUES ('delete-all')")
  }

  /// Adds the rows of the table from a key on; the index must contain none of them.
  func build(_ layout: TableLayout, from first: Int64 = 1) throws(StoreError) {
    let key = SQL.quoted(TableLayout.keyName)
    let column = SQL.quoted(layout.columns[index.column].name)
    let rows = try connection.statement(
      "SELECT \(key), \(column) FROM \(SQL.quoted(layout.tableName)) WHERE \(column) IS NOT NULL "
        + "AND \(key) >= ?")
    try rows.bind(.int(first), at: 1)
    while try rows.step() { try insert(rows.integer(0), .string(rows.text(1))) }
  }
}
