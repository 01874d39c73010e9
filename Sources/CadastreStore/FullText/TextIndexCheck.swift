import CadastreModel

/// Compares a full-text index with its table.
struct TextIndexCheck {
  let index: TableLayout.TextIndex
  let layout: TableLayout
  let connection: Connection

  /// What differs, one sentence; nothing in a sound index.
  func problems() throws(StoreError) -> [String] {
    let vocabulary = "temp.\(SQL.quoted("words of \(index.name)"))"
    try connection.run("DROP TABLE IF EXISTS \(vocabulary)")
    try connection.run(
      "CREATE VIRTUAL TABLE \(vocabulary) USING fts5vocab('main', \(SQL.quoted(index.name)), 'instance')"
    )
    var indexed: [Int64: [(place: Int64, word: String)]] = [:]
    do {
      let words = try connection.statement("SELECT doc, \"offset\", term FROM \(vocabulary)")
      defer { words.reset() }
      while try words.step() {
        indexed[words.integer(0), default: []].append((words.integer(1), words.text(2)))
      }
    }
    connection.forgetStatements()
    try connection.run("DROP TABLE \(vocabulary)")
    return try differing(indexed) == 0
      ? []
      : ["the full-text index '\(layout.schema.className).\(index.path)' is not that of its texts"]
  }

  private func differing(
    _ indexed: [Int64: [(place: Int64, word: String)]]
  ) throws(StoreError) -> Int {
    let key = SQL.quoted(TableLayout.keyName)
    let column = SQL.quoted(layout.columns[index.column].name)
    let rows = try connection.statement(
      "SELECT \(key), \(column) FROM \(SQL.quoted(layout.tableName)) WHERE \(column) IS NOT NULL")
    var (differing, withWords) = (0, 0)
    while try rows.step() {
      let found = indexed[rows.integer(0)]
      let words = (found ?? []).sorted { $0.place < $1.place }.map(\.word).joined(separator: " ")
      if words != TextIndexForm.words(of: rows.text(1)) ?? "" { differing += 1 }
      if found != nil { withWords += 1 }
    }
    return differing + abs(indexed.count - withWords)
  }
}
