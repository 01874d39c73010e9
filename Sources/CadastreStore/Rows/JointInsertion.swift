import CadastreModel
import CadastreSQLite

/// The insertion of several rows of a table with one statement.
///
/// Starting a statement, and finding the end of the table and of an index, take as long as the insertion of a row.
/// The statement stops at a row whose primary key exists, and keeps the rows before it: undoing these would need a
/// copy of each page before its first change.
struct JointInsertion {
  /// The number of rows.
  let rowCount: Int
  private let statement: Statement
  private let types: [PropertyType]

  /// The maximum number of rows; more save no time.
  private static let mostRows = 64
  /// The number of rows of the smaller statement, which inserts short sequences and the rest of long ones.
  private static let fewRows = 8
  /// The maximum number of parameters; SQLite before 3.32 allows no more.
  private static let mostParameters = 999
  /// The maximum size in bytes of the texts and blobs of all rows.
  private static let capacity = 256 << 10

  /// Prepares the statement for a number of rows of a table.
  ///
  /// - Throws: ``StoreError``.
  init(
    _ rowCount: Int, _ layout: TableLayout, _ connection: Connection
  ) throws(StoreError) {
    self.rowCount = rowCount
    let names = [RowUpdates.key] + layout.columns.flatMap(\.sqlNames)
    // Rows before one that cannot be stored stay.
    statement = try connection.statement(
      TableLayout.insertion("INSERT OR FAIL", into: layout.tableName, names, rows: rowCount))
    types = layout.columns.map(\.type)
  }

  /// Returns the numbers of rows of a table that statements insert, descending.
  static func rowCounts(_ layout: TableLayout) -> [Int] {
    let width = 1 + layout.columns.reduce(0) { $0 + $1.width }
    let most = min(mostRows, mostParameters / width)
    return [most, fewRows].filter { 1 < $0 && $0 <= most }
  }

  /// Binds rows.
  ///
  /// - Parameters:
  ///   - rows: As many rows as the statement inserts.
  ///   - firstKey: The key of the first row; the others follow it.
  /// - Returns: False where the texts and blobs are too large, so that the statement must not run.
  /// - Throws: ``StoreError`` when a value is larger than SQLite's limit.
  func bind(_ rows: ArraySlice<[Value]>, from firstKey: Int64) throws(StoreError) -> Bool {
    statement.rebind(capacity: Self.capacity)
    var (key, index) = (firstKey, 1)
    for row in rows {
      precondition(row.count == types.count, "a row has a value for every column")
      try statement.bind(integer: key, at: index)
      index += 1
      for column in row.indices {
        index = try statement.bind(row[column], of: types[column], at: index)
      }
      guard statement.hasAllBytes else { return false }
      key += 1
    }
    return true
  }

  /// Inserts the rows that are bound.
  ///
  /// - Throws: ``StoreError``; where it is a violation of the unique index, the rows before are stored.
  func run() throws(StoreError) { try statement.run() }
}
