import CadastreModel

/// Reads columns of a class in batches, either of all rows or of rows with given keys.
///
/// Columns behind links are read by the same statement, through left joins on the linked rows' keys,
/// so that a null link gives nulls.
package final class BatchReader {
  private let connection: Connection
  private let sql: String
  private let columns: [ColumnReference]
  private let key = SQL.quoted(TableLayout.keyName)
  private var all: Statement?
  private var one: Statement?
  /// Rows read so far.
  package private(set) var rowsRead = 0

  /// Prepares to read columns of a class.
  package init(
    _ layout: TableLayout, _ columns: [ColumnReference], _ reader: any StoreReader
  ) {
    connection = reader.connection
    self.columns = columns
    var joins = Joins(layout, reader.catalogue)
    let names = columns.flatMap { joins.names(of: $0) }
    sql =
      "SELECT \((["t0.\(key)"] + names).joined(separator: ", ")) "
      + "FROM \(SQL.quoted(layout.tableName)) t0\(joins.sql)"
  }

  deinit {
    all?.reset()
    one?.reset()
  }

  /// An empty batch of the right columns.
  package func makeBatch() -> ColumnBatch { ColumnBatch(columns) }

  /// Reads the next rows of all, in order of key; false when there are none left.
  package func readNext(into batch: inout ColumnBatch) throws(StoreError) -> Bool {
    batch.removeAll()
    let statement: Statement
    if let all {
      statement = all
      guard statement.isInUse else { return false }
    } else {
      statement = try connection.statement("\(sql) ORDER BY t0.\(key)")
      all = statement
    }
    while batch.keys.count < ColumnBatch.capacity, try statement.step() {
      batch.append(statement)
      rowsRead += 1
    }
    return !batch.keys.isEmpty
  }

  /// Reads the rows with the given keys, in their order; keys without a row are left out.
  package func read(
    _ keys: some Sequence<Int64>, into batch: inout ColumnBatch
  ) throws(StoreError) {
    batch.removeAll()
    let statement: Statement
    if let one {
      statement = one
    } else {
      statement = try connection.statement("\(sql) WHERE t0.\(key) = ?")
      one = statement
    }
    for key in keys {
      try statement.bind(.int(key), at: 1)
      if try statement.step() {
        batch.append(statement)
        rowsRead += 1
      }
      statement.reset()
    }
  }
}

/// The joins that the columns of a query need, one for each distinct chain of links.
private struct Joins {
  private let root: TableLayout
  private let catalogue: Catalogue
  private var aliases: [[ColumnReference.Hop]: String] = [[]: "t0"]
  private(set) var sql = ""

  init(_ root: TableLayout, _ catalogue: Catalogue) {
    self.root = root
    self.catalogue = catalogue
  }

  mutating func names(of reference: ColumnReference) -> [String] {
    let alias = alias(of: reference.hops)
    return layout(reference.hops).columns[reference.column].sqlNames.map { "\(alias).\($0)" }
  }

  private mutating func alias(of hops: [ColumnReference.Hop]) -> String {
    if let known = aliases[hops] { return known }
    let before = Array(hops.dropLast())
    let link = "\(alias(of: before)).\(columnName(before, hops[hops.count - 1].column))"
    let alias = "t\(aliases.count)"
    aliases[hops] = alias
    let table = SQL.quoted(layout(hops).tableName)
    sql += " LEFT JOIN \(table) \(alias) ON \(alias).\(SQL.quoted(TableLayout.keyName)) = \(link)"
    return alias
  }

  private func layout(_ hops: [ColumnReference.Hop]) -> TableLayout {
    hops.last.flatMap { catalogue.layout($0.target) } ?? root
  }

  private func columnName(_ hops: [ColumnReference.Hop], _ column: Int) -> String {
    SQL.quoted(layout(hops).columns[column].name)
  }
}
