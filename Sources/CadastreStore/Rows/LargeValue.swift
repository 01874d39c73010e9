package import CadastreModel
import CadastreSQLite
import Foundation

/// The rule for large values: texts, data and geometries that partial rows leave out.
package enum LargeValue {
  /// The size in bytes above which the stored form of a value is large: a page of SQLite.
  ///
  /// A greater value needs overflow pages of its own, also in a row with nothing else.
  package static let limit: Int32 = 4096

  /// The size in bytes above which the values of two versions are compared in pieces.
  ///
  /// Preparing to read a value in pieces takes as long as reading some 15 KB.
  static let comparisonLimit: Int32 = 64 << 10

  /// Returns whether a text or data is large.
  package static func contains(_ value: Value) -> Bool { value.byteCount ?? 0 > Int(limit) }

  /// Returns whether a value is large when it is stored, or may be: the size of a geometry, a list and a map is not
  /// known before.
  package static func mayContain(_ value: Value) -> Bool {
    switch value {
    case .geometry, .list, .map: true
    default: contains(value)
    }
  }
}

extension Column {
  /// Whether values of the column may be large.
  var mayBeLarge: Bool {
    switch type {
    case .string, .data, .geometry, .any: true
    case .int, .bool, .date, .float, .double, .object, .linkingObjects, .objectId, .decimal128,
      .UUID:
      false
    }
  }
}

/// The columns of an object's row without its large values.
package struct PartialRow: Hashable, Sendable {
  /// A value for every column; null for the omitted ones.
  package var values: [Value]
  /// The columns whose values are not in `values`, because they are large, see ``LargeValue/limit``.
  package var omitted: ColumnSet

  /// Creates a row from a value for every column, and the columns that are left out.
  package init(values: [Value], omitted: ColumnSet = []) {
    self.values = values
    self.omitted = omitted
  }
}

/// The queries for rows with large values, composed on first use.
final class LargeRowQueries: Sendable {
  final class Texts: Sendable {
    /// The query for the first row from a key on: its key, and for each column that may be large the number of
    /// bytes of a blob, -1 for a text, and 0 for other values.
    ///
    /// SQLite reads no overflow pages for the type of a value and for the length of a blob.
    let sizes: SQLText
    /// The query for the key and all columns of the row with a given key; a parameter for each column that may be
    /// large, before that of the key, says whether it is null instead of its value.
    let row: SQLText
    /// The columns in which a large text was found.
    let usualColumns = Guarded(ColumnSet())

    fileprivate init(_ layout: TableLayout) {
      let key = SQL.quoted(TableLayout.keyName)
      let table = SQL.quoted(layout.tableName)
      let sizes = layout.largeColumns.map { column in
        let name = layout.columns[column].sqlNames[0]
        return
          "CASE typeof(\(name)) WHEN 'blob' THEN length(\(name)) WHEN 'text' THEN -1 ELSE 0 END"
      }
      self.sizes = SQLText(
        "SELECT \(([key] + sizes).joined(separator: ", ")) FROM \(table) "
          + "WHERE \(key) >= ? ORDER BY \(key) LIMIT 1")
      var parameters = 0
      let names = layout.columns.flatMap { column -> [String] in
        guard column.mayBeLarge else { return column.sqlNames }
        parameters += 1
        let value = "CASE WHEN ?\(parameters) THEN NULL ELSE \(column.sqlNames[0]) END"
        return [value] + column.sqlNames.dropFirst()
      }
      row = SQLText(
        "SELECT \(([key] + names).joined(separator: ", ")) FROM \(table) "
          + "WHERE \(key) = ?\(parameters + 1)")
    }
  }

  private let composed = Guarded<Texts?>(nil)

  /// Returns the texts of the queries for a layout, which owns this instance.
  func texts(_ layout: TableLayout) -> Texts {
    composed.withLock { composed in
      if let composed { return composed }
      let texts = Texts(layout)
      composed = texts
      return texts
    }
  }
}

/// A reader of rows with large values, which it leaves out.
struct LargeRowReader {
  private let layout: TableLayout
  private let connection: Connection
  private let texts: LargeRowQueries.Texts
  /// The size in bytes above which a value is left out.
  private let limit: Int32

  init(
    _ layout: TableLayout, _ connection: Connection, limit: Int32 = LargeValue.limit
  ) {
    self.limit = limit
    self.layout = layout
    self.connection = connection
    texts = layout.largeRows.texts(layout)
  }

  /// Reads the first row from a key on.
  ///
  /// - Parameter key: The key.
  /// - Returns: The key of the row, a statement whose current row has the key and the columns, and the columns that
  ///   are null there because their values are large; nil if there is no row. The caller resets the statement.
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(log n), two or three statements.
  func row(
    from key: Int64
  ) throws(StoreError) -> (key: Int64, statement: Statement, omitted: ColumnSet)? {
    let sizes = try connection.statement(texts.sizes)
    try sizes.bind(integer: key, at: 1)
    defer { sizes.reset() }
    guard try sizes.step() else { return nil }
    let key = sizes.integer(0)
    var omitted = ColumnSet()
    var unmeasured: [Int] = []
    for (index, column) in layout.largeColumns.enumerated() {
      let size = sizes.integer(index + 1)
      if size < 0 { unmeasured.append(column) }
      if size > Int64(limit) { omitted.insert(column) }
    }
    let row = try connection.statement(texts.row)
    if !omitted.isEmpty {
      // Most rows with a large blob have no large text.
      try bind(key, omitted, to: row)
      if case .row = try row.step(valueLimit: limit) { return (key, row, omitted) }
    }
    // Rows of a class mostly have large texts in the same columns.
    let usual = texts.usualColumns.withLock { $0 }
    for column in unmeasured where usual.contains(column) {
      if try byteCount(column, key) > Int(limit) { omitted.insert(column) }
    }
    if !omitted.isEmpty {
      try bind(key, omitted, to: row)
      if case .row = try row.step(valueLimit: limit) { return (key, row, omitted) }
    }
    for column in unmeasured where !usual.contains(column) {
      guard try byteCount(column, key) > Int(limit) else { continue }
      omitted.insert(column)
      texts.usualColumns.withLock { $0.insert(column) }
    }
    try bind(key, omitted, to: row)
    return try row.step() ? (key, row, omitted) : nil
  }

  private func bind(
    _ key: Int64, _ omitted: ColumnSet, to row: Statement
  ) throws(StoreError) {
    var parameter = 1
    for column in layout.largeColumns {
      try row.bind(integer: omitted.contains(column) ? 1 : 0, at: parameter)
      parameter += 1
    }
    try row.bind(integer: key, at: parameter)
  }

  /// Returns the size of a text in bytes, without reading it.
  private func byteCount(_ column: Int, _ key: Int64) throws(StoreError) -> Int {
    try BlobReader(
      connection, table: layout.tableName, column: layout.columns[column].name, row: key
    ).count
  }
}

/// The comparison of large values of two connections, in pieces.
final class LargeValueComparison {
  private let buffers: (UnsafeMutableRawBufferPointer, UnsafeMutableRawBufferPointer)

  /// The number of bytes that are read of each value together.
  private static let pieceBytes = 256 << 10

  init() {
    buffers = (
      .allocate(byteCount: Self.pieceBytes, alignment: 16),
      .allocate(byteCount: Self.pieceBytes, alignment: 16)
    )
  }

  deinit {
    buffers.0.deallocate()
    buffers.1.deallocate()
  }

  /// Returns whether a column of a row, which is a text or a blob for one of two connections, has the same storage
  /// class and the same bytes for both.
  ///
  /// - Complexity: O(1) for values of different sizes, O(n) for n equal bytes.
  func isSame(
    _ column: Int, of key: Int64, _ layout: TableLayout, _ first: Connection, _ second: Connection
  ) throws(StoreError) -> Bool {
    let name = layout.columns[column].name
    let query =
      "SELECT typeof(\(SQL.quoted(name))) FROM \(SQL.quoted(layout.tableName)) "
      + "WHERE \(SQL.quoted(TableLayout.keyName)) = ?"
    let storage = try first.text(query, .int(key))
    guard try storage == second.text(query, .int(key)) else { return false }
    let left = try BlobReader(first, table: layout.tableName, column: name, row: key)
    let right = try BlobReader(second, table: layout.tableName, column: name, row: key)
    guard left.count == right.count else { return false }
    var offset = 0
    while offset < left.count {
      let count = min(Self.pieceBytes, left.count - offset)
      let pieces = (
        UnsafeMutableRawBufferPointer(rebasing: buffers.0[..<count]),
        UnsafeMutableRawBufferPointer(rebasing: buffers.1[..<count])
      )
      try left.read(into: pieces.0, at: offset)
      try right.read(into: pieces.1, at: offset)
      guard isEqual(UnsafeRawBufferPointer(pieces.0), UnsafeRawBufferPointer(pieces.1)) else {
        return false
      }
      offset += count
    }
    return true
  }
}

/// Returns whether two buffers have the same bytes.
func isEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
  guard first.count == second.count else { return false }
  guard let left = first.baseAddress, let right = second.baseAddress else { return true }
  return memcmp(left, right, first.count) == 0
}
