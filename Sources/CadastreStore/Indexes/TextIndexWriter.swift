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

/// A comparison of a full-text index with its table: a search for each word must return the rows that contain
/// it, and each row must have as many words as its text.
struct TextIndexCheck {
  let index: TableLayout.TextIndex
  let layout: TableLayout
  let connection: Connection

  /// Returns a sentence where the index differs from the table.
  ///
  /// - Complexity: O(n) time and memory for n words in the table.
  func problems() throws(StoreError) -> [String] {
    var rowsByWord: [String: [Int64]] = [:]
    var counts: [Int64: Int] = [:]
    let key = SQL.quoted(TableLayout.keyName)
    let column = SQL.quoted(layout.columns[index.column].name)
    let rows = try connection.statement(
      "SELECT \(key), \(column) FROM \(SQL.quoted(layout.tableName)) WHERE \(column) IS NOT NULL "
        + "ORDER BY \(key)")
    while try rows.step() {
      let row = rows.integer(0)
      let words = TextTokens.words(of: rows.text(1)).map(TextIndexForm.word)
      if !words.isEmpty { counts[row] = words.count }
      for word in Set(words) { rowsByWord[word, default: []].append(row) }
    }
    if try counts == indexedCounts(), try finds(rowsByWord) { return [] }
    return [
      "the full-text index '\(layout.schema.className).\(index.path)' does not match its texts"
    ]
  }

  private func finds(_ rowsByWord: [String: [Int64]]) throws(StoreError) -> Bool {
    let name = SQL.quoted(index.name)
    let search = "SELECT rowid FROM \(name) WHERE \(name) MATCH ? ORDER BY rowid"
    for (word, rows) in rowsByWord
    where try connection.integers(search, .string("\"\(word)\"")) != rows { return false }
    return true
  }

  /// Returns the number of words of each row, which FTS5 stores as a number with seven bits per byte.
  private func indexedCounts() throws(StoreError) -> [Int64: Int] {
    let sizes = try connection.statement(
      "SELECT id, sz FROM \(SQL.quoted(index.name + "_docsize"))")
    var counts: [Int64: Int] = [:]
    while try sizes.step() {
      var count = 0
      sizes.withBlobBytes(1) { bytes in
        for byte in bytes.prefix(9) { count = count << 7 | Int(byte & 0x7F) }
      }
      counts[sizes.integer(0)] = count
    }
    return counts
  }
}
