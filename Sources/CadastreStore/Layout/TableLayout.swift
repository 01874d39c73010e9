package import CadastreModel
import CadastreSQLite

/// The layout of a class's table.
// A class, because readers, plans and filters share layouts and copy them often.
package final class TableLayout: Sendable {
  /// The class.
  package let schema: ObjectSchema
  /// The table's name.
  package let tableName: String
  /// The columns after the key.
  package let columns: [Column]
  /// The storage of the properties, in the schema's order.
  package let fields: [FieldLayout]
  /// The value indexes; compound ones follow the others.
  package let valueIndexes: [ValueIndex]
  /// Whether some value index is compound.
  package let hasCompoundIndexes: Bool
  /// The spatial indexes.
  package let spatialIndexes: [SpatialIndex]
  /// The full-text indexes.
  package let textIndexes: [TextIndex]
  /// The collections, each with its table.
  package let collections: [CollectionLayout]
  /// The columns with keys of embedded objects' rows, which are deleted with the object.
  package let owned: [OwnedColumn]
  /// Whether embedded objects of the rows have separate rows.
  var hasOwnedRows: Bool { !owned.isEmpty || collections.contains(where: \.isOwning) }
  /// The point columns, when this is the table of an embedded class with the shape of a point.
  package let point: PointColumns?
  /// The statement that inserts a row; its parameters are the key and all columns.
  let insertion: SQLText
  /// The query for all columns of the row with a given key.
  let rowQuery: SQLText
  /// The query that has a result if there is a row with a given key.
  let existenceQuery: SQLText
  /// The query for the keys and all columns of the rows from a key on, in order.
  let rowsQuery: SQLText
  /// The query for the key of the row with a given primary key; nil where the class has no primary key.
  let primaryKeyQuery: SQLText?
  /// The query for the key and all columns of the row with a given primary key; nil where the class has none.
  let rowOfPrimaryKeyQuery: SQLText?
  /// The queries for one column of the row with a given key, by column.
  let columnQueries: [SQLText]
  /// The columns whose values may be large, see ``LargeValue``.
  package let largeColumns: [Int]
  /// The queries for rows with large values.
  let largeRows = LargeRowQueries()
  /// The statements and flags for updates of rows.
  let updates: RowUpdates
  /// The queries for batches of rows, composed on first use.
  let batches: BatchQueries

  /// The name of the key column; no property can have it.
  package static let keyName = "#key"

  /// A column with the key of an embedded object's row.
  package struct OwnedColumn: Hashable, Sendable {
    /// The column.
    package let column: Int
    /// The embedded class.
    package let target: String
  }

  /// An ordered index on one column, or a compound index on several.
  // A class, because the planner compares all indexes of a class with each path.
  package final class ValueIndex: Sendable {
    /// The index's name in the file.
    package let name: String
    /// The properties, from the class, in the order of the index.
    package let paths: [PropertyPath]
    /// The columns, in the order of the index.
    package let columns: [Int]
    /// Whether the index has several columns.
    package let isCompound: Bool
    /// Whether values are unique.
    package let isUnique: Bool
    /// Whether the column is a link, whose index finds the links to an object.
    package let isLink: Bool
    /// The column of the integer primary key that the entries contain after the key of the row; nil for none.
    package let idColumn: Int?
    /// The texts of the queries that use the index, by the number of leading columns whose values they fix.
    let queries: [ValueIndexSQL]
    /// The texts of the queries that fix no value.
    var sql: ValueIndexSQL { queries[0] }
    /// The texts that read columns too, by the columns, composed on first use.
    private let readingQueries = Guarded(
      BoundedCache<[Int], [ValueIndexSQL]>(maximumCount: 64, maximumCost: 64))
    /// The property, or the first one.
    package var path: PropertyPath { paths[0] }
    /// The column, or the first one.
    package var column: Int { columns[0] }

    /// Returns the texts of the queries that read some columns of a class with the keys, by the number of leading columns
    /// whose values they fix.
    func queries(reading columns: [Int], of layout: TableLayout) -> [ValueIndexSQL] {
      guard !columns.isEmpty else { return queries }
      return readingQueries.withLock { cache in
        if let texts = cache.value(for: columns) { return texts }
        let read = columns.map { layout.columns[$0] }
        let texts = queries.map { $0.reading(read) }
        cache.insert(texts, for: columns, cost: 1)
        return texts
      }
    }

    /// Returns the column of the integer primary key of a class, if the entries contain it.
    package func integerKeyColumn(in layout: TableLayout) -> Int? {
      layout.integerKeyColumn.flatMap { contents(in: layout).contains($0) ? $0 : nil }
    }

    /// Returns the columns of a class's rows that the entries contain.
    package func contents(in layout: TableLayout) -> [Int] {
      // The name of a value's type is only in the row.
      columns.filter { layout.columns[$0].type != .any } + (idColumn.map { [$0] } ?? [])
    }

    /// Returns whether the entries have an integer primary key after the key of the row, except in stores of earlier
    /// versions.
    ///
    /// The indexes of links need none, and those of the primary key have it before.
    func takes(_ idColumn: Int) -> Bool { !isUnique && !isLink && !columns.contains(idColumn) }

    init(
      name: String, paths: [PropertyPath], columns: [Int], isUnique: Bool = false,
      isLink: Bool = false, idColumn: Int? = nil, queries: [ValueIndexSQL]
    ) {
      self.name = name
      self.paths = paths
      self.columns = columns
      isCompound = columns.count > 1
      self.isUnique = isUnique
      self.isLink = isLink
      self.idColumn = idColumn
      self.queries = queries
    }

    /// Returns the same index with, or without, a primary key in its entries.
    func containing(_ idColumn: Int?) -> ValueIndex {
      ValueIndex(
        name: name, paths: paths, columns: columns, isUnique: isUnique, isLink: isLink,
        idColumn: idColumn, queries: queries)
    }
  }

  /// An R*Tree on one embedded point or one geometry.
  package struct SpatialIndex: Hashable, Sendable {
    /// The virtual table's name.
    package let name: String
    /// The embedded point or the geometry, from the class.
    package let path: PropertyPath
    /// The columns of the point or the geometry.
    package let source: Source

    /// The columns whose values are indexed.
    package enum Source: Hashable, Sendable {
      /// The columns of an embedded point.
      case point(PointColumns)
      /// The column of a geometry.
      case geometry(Int)
    }

    /// The columns that determine the bounding box of a row.
    package var columns: [Int] {
      switch source {
      case .point(let point): [point.longitude, point.latitude]
      case .geometry(let column): [column]
      }
    }
  }

  /// A full-text index on one column.
  package struct TextIndex: Hashable, Sendable {
    /// The virtual table's name.
    package let name: String
    /// The property, from the class.
    package let path: PropertyPath
    /// The column.
    package let column: Int
  }

  /// Returns a statement that inserts rows; its parameters are the key and all columns of each.
  ///
  /// - Parameters:
  ///   - verb: The verb with its conflict clause, such as `INSERT OR FAIL`.
  ///   - table: The table.
  ///   - names: The quoted names of the key and the columns.
  ///   - rows: The number of rows.
  /// - Returns: The text.
  static func insertion(
    _ verb: String, into table: String, _ names: [String], rows: Int
  ) -> String {
    let row = "(\(names.map { _ in "?" }.joined(separator: ", ")))"
    return "\(verb) INTO \(SQL.quoted(table))(\(names.joined(separator: ", "))) "
      + "VALUES \(repeatElement(row, count: rows).joined(separator: ", "))"
  }

  /// Creates the layout of a class of a schema.
  ///
  /// - Parameters:
  ///   - schema: The class.
  ///   - classes: All classes.
  ///   - tableName: The name of the table.
  ///   - isWithoutID: Returns whether the entries of an index lack an integer primary key, as in stores of earlier
  ///     versions, given the index and its definition without one.
  package init(
    _ schema: ObjectSchema, in classes: Schema, tableName: String,
    isWithoutID: (StoredIndex) -> Bool = { _ in false }
  ) {
    var builder = TableLayoutBuilder(
      classes: classes, className: schema.className, tableName: tableName)
    point = schema.isPointShaped ? builder.pointColumns(of: []) : nil
    let fields = builder.fields(of: schema, point, path: [])
    self.schema = schema
    self.tableName = tableName
    self.fields = fields
    columns = builder.columns
    valueIndexes = builder.indexes(of: schema, fields, isWithoutID)
    hasCompoundIndexes = !builder.compoundIndexes.isEmpty
    spatialIndexes = builder.spatialIndexes
    textIndexes = builder.textIndexes
    collections = fields.collections
    owned = builder.owned
    let key = SQL.quoted(Self.keyName)
    let names = [key] + builder.columns.flatMap(\.sqlNames)
    let rows = "SELECT \(names.joined(separator: ", ")) FROM \(SQL.quoted(tableName)) "
    insertion = SQLText(Self.insertion("INSERT", into: tableName, names, rows: 1))
    rowsQuery = SQLText(rows + "WHERE \(key) >= ? ORDER BY \(key) LIMIT ?")
    rowQuery = SQLText(rows + "WHERE \(key) = ?")
    existenceQuery = SQLText("SELECT 1 FROM \(SQL.quoted(tableName)) WHERE \(key) = ?")
    batches = BatchQueries()
    updates = RowUpdates(
      table: tableName, builder.columns, builder.spatialIndexes, builder.textIndexes)
    columnQueries = builder.columns.map { column in
      let names = column.sqlNames.joined(separator: ", ")
      return SQLText("SELECT \(names) FROM \(SQL.quoted(tableName)) WHERE \(key) = ?")
    }
    largeColumns = builder.columns.indices.filter { builder.columns[$0].mayBeLarge }
    let hasPrimaryKey = builder.valueIndexes.first(where: \.isUnique).map { index in
      "WHERE \(SQL.quoted(builder.columns[index.column].name)) IS ?"
    }
    primaryKeyQuery = hasPrimaryKey.map {
      SQLText("SELECT \(key) FROM \(SQL.quoted(tableName)) \($0)")
    }
    rowOfPrimaryKeyQuery = hasPrimaryKey.map { SQLText(rows + $0) }
  }

  /// The column of an integer primary key; nil for other classes.
  var integerKeyColumn: Int? { schema.integerKeyColumn(fields) }

  /// Returns the column of a single-valued property of the class itself; nil for other properties.
  package func column(of property: Property) -> Int? {
    guard let index = schema.index(of: property.name) else { return nil }
    return switch fields[index] {
    case .scalar(let column), .link(let column): column
    case .embedded, .owned, .collection, .pointType, .pointCoordinates: nil
    }
  }
}

extension ObjectSchema {
  /// Returns the column of an integer primary key, given the fields of the properties; nil for other classes.
  func integerKeyColumn(_ fields: [FieldLayout]) -> Int? {
    guard let key = primaryKeyProperty, key.type == .int, let index = index(of: key.name),
      case .scalar(let column) = fields[index]
    else { return nil }
    return column
  }
}

extension TableLayout: Hashable {
  /// Returns whether two layouts have equal classes, columns, fields and indexes.
  package static func == (first: TableLayout, second: TableLayout) -> Bool {
    first === second
      || first.tableName == second.tableName && first.schema == second.schema
        && first.columns == second.columns && first.fields == second.fields
        && first.valueIndexes == second.valueIndexes
        && first.spatialIndexes == second.spatialIndexes
        && first.textIndexes == second.textIndexes && first.owned == second.owned
  }

  /// Hashes the name of the table.
  package func hash(into hasher: inout Hasher) { hasher.combine(tableName) }
}

extension TableLayout.ValueIndex: Hashable {
  /// Returns whether two indexes have the same name, paths, columns and kind.
  package static func == (
    first: TableLayout.ValueIndex, second: TableLayout.ValueIndex
  ) -> Bool {
    first === second
      || first.name == second.name && first.paths == second.paths
        && first.columns == second.columns && first.isUnique == second.isUnique
        && first.isLink == second.isLink && first.idColumn == second.idColumn
  }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// One column of a table.
///
/// A column of type `any` takes two columns in SQLite: the value in SQLite's storage class, and the name of
/// its type.
package struct Column: Hashable, Sendable {
  /// The name, such as `address.city`.
  package let name: String
  /// The type of the values; `object` for the row key of a link.
  package let type: PropertyType

  /// The declarations of the SQLite columns.
  ///
  /// The declared types give the columns an affinity, and inform other programs.
  var declarations: [String] {
    switch type {
    case .int, .bool, .date, .object, .linkingObjects: ["\(SQL.quoted(name)) INTEGER"]
    case .float, .double: ["\(SQL.quoted(name)) REAL"]
    case .string, .decimal128: ["\(SQL.quoted(name)) TEXT"]
    case .data, .objectId, .UUID, .geometry: ["\(SQL.quoted(name)) BLOB"]
    // Without a declared type SQLite stores each value in its own storage class.
    case .any: [SQL.quoted(name), "\(SQL.quoted(typeName)) TEXT"]
    }
  }

  /// The quoted names of the SQLite columns.
  var sqlNames: [String] {
    type == .any ? [SQL.quoted(name), SQL.quoted(typeName)] : [SQL.quoted(name)]
  }

  private var typeName: String { name + ".type" }
}

extension [Column] {
  /// The index of each column in a result row that contains the key and then the columns.
  var resultIndexes: [Int] {
    var index = 1
    return map { column in
      defer { index += column.width }
      return index
    }
  }

  /// The quoted names of the SQLite columns, separated by commas.
  var sqlList: String { flatMap(\.sqlNames).joined(separator: ", ") }
}

extension Column {
  /// The number of SQLite columns.
  var width: Int { type == .any ? 2 : 1 }
}

/// The statements and flags for updates of a class's rows, composed once per layout.
struct RowUpdates: Sendable {
  /// The quoted name of the table.
  let table: String
  /// The statements that set one column of the row with a given key, by column.
  let statements: [SQLText]
  /// Whether a spatial index depends on a column, by column.
  let isSpatial: [Bool]
  /// Whether a full-text index depends on a column, by column.
  let isText: [Bool]
  /// The query for the next key and the number of rows of the class with a given name.
  static let counters = SQLText(
    "SELECT \(SQL.counter("next_key")), \(SQL.counter("row_count")) FROM cadastre_class "
      + "WHERE name = ?")
  /// Sets the next key and the number of rows of the class with a given name.
  static let setCounters = SQLText(
    "UPDATE cadastre_class SET next_key = ?, row_count = ? WHERE name = ?")
  /// The quoted name of the key.
  static let key = SQL.quoted(TableLayout.keyName)

  init(
    table name: String, _ columns: [Column], _ spatial: [TableLayout.SpatialIndex],
    _ texts: [TableLayout.TextIndex]
  ) {
    let table = SQL.quoted(name)
    self.table = table
    statements = columns.map { column in
      let assignments = column.sqlNames.map { "\($0) = ?" }.joined(separator: ", ")
      return SQLText("UPDATE \(table) SET \(assignments) WHERE \(Self.key) = ?")
    }
    var isSpatial = Array(repeating: false, count: columns.count)
    for column in spatial.flatMap(\.columns) { isSpatial[column] = true }
    var isText = Array(repeating: false, count: columns.count)
    for index in texts { isText[index.column] = true }
    self.isSpatial = isSpatial
    self.isText = isText
  }
}
