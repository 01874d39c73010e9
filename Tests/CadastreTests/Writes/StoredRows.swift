import CadastreSQLite

/// The rows of a store, as another program reads them.
struct StoredRows {
  private let connection: Connection

  init(_ path: String) throws { connection = try Connection(path: path, mode: .read) }

  /// Compares the rows and elements with a content.
  ///
  /// - Throws: ``WriteFailure``, or an error of the store.
  func check(_ model: WriteModel) throws {
    let plots = model.ids().compactMap { model.plots[$0] }
    try require(
      #"""
      SELECT id || ' ' || rank || ' ' || number || ' ' || coalesce(name, '-') || ' ' || words || ' '
        || hex(bytes) || ' ' || flag FROM "WritePlot" ORDER BY id
      """#,
      plots.map { plot in
        let digits = Array("0123456789ABCDEF")
        let bytes = plot.bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
        let name = plot.name ?? "-"
        return "\(plot.id) \(plot.rank) \(plot.number) \(name) \(plot.words) \(bytes) "
          + "\(plot.flag ? 1 : 0)"
      })
    try require(
      #"SELECT serial || ' ' || value FROM "WriteLeaf" ORDER BY serial"#,
      model.leaves.values.sorted { $0.serial < $1.serial }.map { "\($0.serial) \($0.value)" })
    let counts: [(table: String, count: Int)] = [
      ("numbers", plots.reduce(0) { $0 + $1.numbers.count }),
      ("links", plots.reduce(0) { $0 + $1.links.count }),
      ("tags", plots.reduce(0) { $0 + $1.tags.count }),
      ("marks", plots.reduce(0) { $0 + $1.marks.count }),
    ]
    for (table, count) in counts {
      try require(#"SELECT count(*) || ' ' FROM "WritePlot.\#(table)""#, ["\(count) "])
    }
  }

  private func require(_ sql: String, _ expected: [String]) throws {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var found: [String] = []
    while try statement.step() { found.append(statement.text(0)) }
    try WriteFailure.require(found, is: expected)
  }
}
