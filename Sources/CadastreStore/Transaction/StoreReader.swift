package import CadastreModel
package import CadastreSQLite

/// A reader of single rows: a snapshot, or a write transaction, which reads its buffer too.
package protocol RowReader: AnyObject {
  /// The classes.
  var catalogue: Catalogue { get }
  /// The store's file.
  var path: String { get }
  /// Returns the columns of an object; nil when there is none with this key.
  ///
  /// - Complexity: O(log n), one statement.
  func row(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> [Value]?
  /// Returns whether there is an object with a key.
  func contains(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> Bool
  /// Returns the object with a value of its class's primary key.
  ///
  /// - Complexity: O(log n).
  func key(_ layout: TableLayout, primaryKey value: Value) throws(StoreError) -> ObjectKey?
  /// Returns the key and the columns of the object with a value of its class's primary key; nil where there is
  /// none.
  ///
  /// - Complexity: O(log n), one statement.
  func row(
    _ layout: TableLayout, primaryKey value: Value
  ) throws(StoreError) -> (key: ObjectKey, row: [Value])?
  /// Returns the columns of an object without its large values, which are not read; nil when there is none with
  /// this key.
  ///
  /// - Complexity: O(log n), one statement; up to four for a row with large values.
  func partialRow(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> PartialRow?
  /// Returns the key, and the columns without large values, of the object with a value of its class's primary key;
  /// nil where there is none.
  ///
  /// - Complexity: O(log n), one statement; up to five for a row with large values.
  func partialRow(
    _ layout: TableLayout, primaryKey value: Value
  ) throws(StoreError) -> (key: ObjectKey, row: PartialRow)?
  /// Returns one column of an object; nil when there is none with this key.
  ///
  /// - Complexity: O(log n), one statement.
  func value(_ layout: TableLayout, _ key: ObjectKey, _ column: Int) throws(StoreError) -> Value?
  /// Returns the number of objects of a class.
  func rowCount(_ className: String) throws(StoreError) -> Int
}

extension RowReader {
  /// Returns the object with a value of its class's primary key.
  ///
  /// - Complexity: O(log n).
  package func key(
    _ className: String, primaryKey value: Value
  ) throws(StoreError) -> ObjectKey? {
    guard let layout = catalogue.layout(className) else { return nil }
    return try key(layout, primaryKey: value)
  }
}

/// A source of rows with a connection: a snapshot, or a write transaction after a flush.
package protocol StoreReader: RowReader {
  /// The connection that sees the rows.
  var connection: Connection { get }
  /// The number of the commit that is seen.
  var version: Int64 { get }
  /// Returns the access to a class's cached columns; nil where the cache may not be used.
  func columnSource(_ className: String) -> ColumnSource?
  /// The open readers of spatial indexes; nil where the indexes may change.
  var spatialNodes: SpatialNodePool? { get }
  /// The access to the cached nodes of spatial indexes; nil where the cache may not be used.
  var nodeSource: NodeSource? { get }
  /// Opens another reader of the same version, which another thread may use; nil where there is none.
  func sibling() -> (any StoreReader)?
  /// Returns the smallest and the largest row key of a class; nil where the class has no objects.
  func keyRange(_ layout: TableLayout) throws(StoreError) -> ClosedRange<Int64>?
  /// Returns the number of elements of an owner's collection.
  func elementCount(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> Int
  /// Returns the positions of the elements of an owner's list.
  func positions(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> ListPositions
  /// Returns the elements of an owner's set in ascending order.
  func setElements(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [SetElement]
}

extension StoreReader {
  package var spatialNodes: SpatialNodePool? { nil }

  package var nodeSource: NodeSource? { nil }

  package func sibling() -> (any StoreReader)? { nil }

  package var path: String { connection.path }

  package func keyRange(_ layout: TableLayout) throws(StoreError) -> ClosedRange<Int64>? {
    try SegmentReader(layout, connection).keys()
  }
}

extension Statement {
  /// Returns all columns of a class, which follow the key in the result row.
  func row(_ layout: TableLayout) -> [Value] {
    var index = 1
    return layout.columns.map { column in
      defer { index += column.width }
      return value(index, as: column.type)
    }
  }
}

extension Statement {
  /// Moves to the next row of a class, unless it has values above a size in bytes.
  func step(
    of layout: TableLayout, _ limit: Int32 = LargeValue.limit
  ) throws(StoreError) -> LimitedStep {
    guard layout.largeColumns.isEmpty else { return try step(valueLimit: limit) }
    return try step() ? .row : .end
  }
}

extension StoreReader {
  package func key(
    _ layout: TableLayout, primaryKey value: Value
  ) throws(StoreError) -> ObjectKey? {
    guard let query = layout.primaryKeyQuery else { return nil }
    let statement = try connection.statement(query)
    try statement.bind(value.withoutNegativeZero, at: 1)
    return try connection.firstInteger(of: statement).map(ObjectKey.init)
  }

  package func row(
    _ layout: TableLayout, primaryKey value: Value
  ) throws(StoreError) -> (key: ObjectKey, row: [Value])? {
    guard let query = layout.rowOfPrimaryKeyQuery else { return nil }
    let statement = try connection.statement(query)
    try statement.bind(value.withoutNegativeZero, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return (ObjectKey(statement.integer(0)), statement.row(layout))
  }

  package func row(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> [Value]? {
    let statement = try connection.statement(layout.rowQuery)
    try statement.bind(.link(key), at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.row(layout) : nil
  }

  package func partialRow(
    _ layout: TableLayout, _ key: ObjectKey
  ) throws(StoreError) -> PartialRow? {
    let statement = try connection.statement(layout.rowQuery)
    try statement.bind(.link(key), at: 1)
    defer { statement.reset() }
    switch try statement.step(of: layout) {
    case .row: return PartialRow(values: statement.row(layout))
    case .end: return nil
    case .tooLarge: return try largeRow(layout, key)
    }
  }

  package func partialRow(
    _ layout: TableLayout, primaryKey value: Value
  ) throws(StoreError) -> (key: ObjectKey, row: PartialRow)? {
    guard let query = layout.rowOfPrimaryKeyQuery else { return nil }
    let statement = try connection.statement(query)
    try statement.bind(value.withoutNegativeZero, at: 1)
    defer { statement.reset() }
    switch try statement.step(of: layout) {
    case .row:
      return (ObjectKey(statement.integer(0)), PartialRow(values: statement.row(layout)))
    case .end: return nil
    case .tooLarge:
      guard let key = try key(layout, primaryKey: value) else { return nil }
      return try largeRow(layout, key).map { (key, $0) }
    }
  }

  /// Returns the columns of a row that has large values.
  private func largeRow(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> PartialRow? {
    guard let row = try LargeRowReader(layout, connection).row(from: key.rawValue) else {
      return nil
    }
    defer { row.statement.reset() }
    guard row.key == key.rawValue else { return nil }
    return PartialRow(values: row.statement.row(layout), omitted: row.omitted)
  }

  package func value(
    _ layout: TableLayout, _ key: ObjectKey, _ column: Int
  ) throws(StoreError) -> Value? {
    let statement = try connection.statement(layout.columnQueries[column])
    try statement.bind(.link(key), at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.value(0, as: layout.columns[column].type) : nil
  }

  /// Returns the columns of the objects from a key on without their large values, by key: at most `limit`, and
  /// fewer where they have much text and data nevertheless.
  ///
  /// - Complexity: O(log n + k) for k objects, one statement; up to four more for each object with large values.
  package func partialRows(
    _ layout: TableLayout, from key: ObjectKey, limit: Int
  ) throws(StoreError) -> [Int64: PartialRow] {
    let cursor = TableCursor(layout, connection, from: key.rawValue)
    var rows: [Int64: PartialRow] = [:]
    rows.reserveCapacity(limit)
    var bytes = 0
    while rows.count < limit, bytes < Self.largestReadAhead, let key = try cursor.next() {
      let row = cursor.row
      for value in row.values { bytes += value.byteCount ?? 0 }
      rows[key] = row
    }
    return rows
  }

  /// Returns the columns of the objects from a key on, by key: at most `limit`, and fewer where they are
  /// large.
  ///
  /// - Complexity: O(log n + k) for k objects, one statement.
  package func rows(
    _ layout: TableLayout, from key: ObjectKey, limit: Int
  ) throws(StoreError) -> [Int64: [Value]] {
    let statement = try connection.statement(layout.rowsQuery)
    try statement.bind(.link(key), at: 1)
    try statement.bind(.int(Int64(limit)), at: 2)
    defer { statement.reset() }
    var rows: [Int64: [Value]] = [:]
    rows.reserveCapacity(limit)
    var bytes = 0
    while bytes < Self.largestReadAhead, try statement.step() {
      let row = statement.row(layout)
      for value in row { bytes += value.byteCount ?? 0 }
      rows[statement.integer(0)] = row
    }
    return rows
  }

  /// The size of text and data in bytes after which no more rows are read ahead.
  private static var largestReadAhead: Int { 1 << 18 }

  /// Returns the keys of the objects after a key, ascending: at most `limit`.
  ///
  /// - Complexity: O(log n + k) for k keys, one statement.
  package func keys(
    _ layout: TableLayout, after key: ObjectKey, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    let name = SQL.quoted(TableLayout.keyName)
    let statement = try connection.statement(
      "SELECT \(name) FROM \(SQL.quoted(layout.tableName)) WHERE \(name) > ? ORDER BY \(name) LIMIT ?"
    )
    try statement.bind(.link(key), at: 1)
    try statement.bind(.int(Int64(limit)), at: 2)
    defer { statement.reset() }
    var order = AscendingKeys(of: layout.tableName, in: key.rawValue ... .max, connection)
    var keys: [ObjectKey] = []
    while try statement.step() {
      let key = statement.integer(0)
      try order.accept(key)
      keys.append(ObjectKey(key))
    }
    return keys
  }

  package func contains(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> Bool {
    let statement = try connection.statement(layout.existenceQuery)
    try statement.bind(integer: key.rawValue, at: 1)
    return try connection.firstInteger(of: statement) != nil
  }
}
