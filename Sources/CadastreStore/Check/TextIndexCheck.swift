import CadastreModel
import CadastreSQLite

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
