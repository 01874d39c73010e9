import CadastreModel
import CadastreSQLite

/// A change of a store's tables from one catalogue to another that keeps the data of matching fields.
///
/// Obsolete columns stay under other names until `discard()`, so that a migration can still read them. Adding
/// a property takes constant time for any number of objects. All other changes are set operations in SQL,
/// except for points that change their storage form.
final class Restructuring {
  let connection: Connection
  let old: Catalogue
  let new: Catalogue
  /// Whether unique indexes of new primary keys are created as ordinary ones, which a migration checks at its
  /// end.
  let defersKeys: Bool
  /// The matcher of fields, with the renamed properties of a migration.
  var matcher: FieldMatcher
  private var sources: [String: TableSource] = [:]
  /// The matched fields of the classes whose tables change.
  private(set) var matches: [String: FieldMatch] = [:]
  /// The tables of classes whose objects moved to their owners' rows.
  private var obsoleteTables: [TableLayout] = []
  /// The classes with a new primary key.
  var classesWithNewKey: [String] = []

  init(
    from old: Catalogue, to new: Catalogue, _ initialValues: InitialValues = InitialValues(),
    defersKeys: Bool, on connection: Connection
  ) {
    self.old = old
    self.new = new
    self.defersKeys = defersKeys
    self.connection = connection
    matcher = FieldMatcher(old: old.schema, new: new.schema, initialValues: initialValues)
  }

  /// Changes the tables.
  ///
  /// - Throws: ``StoreError``; the transaction must be rolled back then.
  func run() throws(StoreError) {
    var changed: [(before: TableLayout?, after: TableLayout)] = []
    for table in new.tables {
      let before = old.layout(table.schema.className)
      if before != table { changed.append((before, table)) }
    }
    obsoleteTables = old.tables.filter { new.layout($0.schema.className) == nil }
    for case (let before?, let after) in changed {
      let match = matcher.match(FieldMatcher.Side(before), FieldMatcher.Side(after))
      matches[after.schema.className] = match
      try dropStaleIndexes(before, after, match)
      try retire(before, after, match)
    }
    for (before, after) in changed {
      guard before != nil, let match = matches[after.schema.className] else {
        try after.createTables(on: connection)
        continue
      }
      try addColumns(to: after, match)
      for collection in match.addedCollections { try collection.create(on: connection) }
    }
    // All tables are complete before objects move between them.
    for (_, after) in changed { try fillColumns(of: after) }
    for (_, after) in changed { try moveEmbedded(of: after) }
    for rows in folded { try removeFolded(rows.target, rows.keys) }
    try indexArrivals { keptIndexes(old.layout($0.schema.className), $0) }
    for (before, after) in changed { try createMissingIndexes(before, after) }
    try describe()
  }

  /// Drops the obsolete columns and tables.
  func discard() throws(StoreError) {
    for source in sources.values { try source.discardRetired(on: connection) }
    for table in obsoleteTables { try table.drop(on: connection) }
  }

  /// Returns the former columns of a class.
  func source(of className: String) -> TableSource? {
    sources[className] ?? old.layout(className).map(TableSource.init)
  }

  // MARK: Columns

  /// Returns the new column that has the values and the name of a former one; nil where there is none.
  func sameColumn(
    as column: Int, _ before: TableLayout, _ after: TableLayout, _ match: FieldMatch
  ) -> Int? {
    match.columns.first { pair in
      pair.old == column && before.columns[column].name == after.columns[pair.new].name
    }?.new
  }

  private func retire(
    _ before: TableLayout, _ after: TableLayout, _ match: FieldMatch
  ) throws(StoreError) {
    var source = TableSource(before)
    let kept = Dictionary(match.columns.map { ($0.old, $0.new) }, uniquingKeysWith: { $1 })
    let moved = before.columns.indices.filter {
      kept[$0].map { after.columns[$0].name } != before.columns[$0].name
    }
    for column in moved where kept[column] == nil { try source.retire(column, on: connection) }
    // Through temporary names, because two columns may exchange their names.
    let renamed = moved.filter { kept[$0] != nil }
    for column in renamed {
      try source.rename(column, to: TableSource.retiredName(column), on: connection)
    }
    for column in renamed {
      guard let target = kept[column] else { continue }
      try source.rename(column, to: after.columns[target].name, on: connection)
    }
    try retireCollections(of: &source, match)
    sources[after.schema.className] = source
  }

  private func retireCollections(
    of source: inout TableSource, _ match: FieldMatch
  ) throws(StoreError) {
    var renamed: [(old: CollectionLayout, new: CollectionLayout)] = []
    for collection in source.layout.collections {
      let pair = match.collections.first { $0.old.tableName == collection.tableName }
      if let pair, pair.new.tableName == collection.tableName { continue }
      // All indexes are dropped first, because two tables may exchange their names and those of their
      // indexes.
      try collection.dropIndexes(on: connection)
      try source.rename(collection, to: retiredTableName(), on: connection)
      if let pair {
        renamed.append((pair.old, pair.new))
      } else {
        source.noteRetired(collection)
      }
    }
    for (old, new) in renamed {
      try source.rename(old, to: new.tableName, on: connection)
      try new.createIndexes(on: connection)
    }
  }

  private var retiredTableCount = 0

  private func retiredTableName() -> String {
    retiredTableCount += 1
    return "cadastre_retired_\(new.version)_\(retiredTableCount)"
  }

  private func addColumns(to table: TableLayout, _ match: FieldMatch) throws(StoreError) {
    let kept = Set(match.columns.map(\.new))
    let literals = try literals(of: match, table)
    for (index, column) in table.columns.enumerated() where !kept.contains(index) {
      for (part, declaration) in column.declarations.enumerated() {
        try connection.run(
          "ALTER TABLE \(SQL.quoted(table.tableName)) ADD COLUMN \(declaration)"
            + (column.hasExactDefault ? literals[index].map { " DEFAULT \($0[part])" } ?? "" : ""))
      }
    }
  }

  /// Returns the initial values of the new columns that all rows have, by column, as SQL literals.
  private func literals(
    of match: FieldMatch, _ table: TableLayout
  ) throws(StoreError) -> [Int: [String]] {
    var literals: [Int: [String]] = [:]
    for (column, value, presence) in match.added where presence == nil {
      literals[column] = try connection.literals(value, as: table.columns[column].type)
    }
    return literals
  }

  // MARK: Rows

  /// Converts points and fills required columns of a class.
  private func fillColumns(of table: TableLayout) throws(StoreError) {
    guard let match = matches[table.schema.className],
      let source = sources[table.schema.className]
    else { return }
    let move = RowMove.inPlace(source, table, connection)
    for point in match.points { try move.move(point) }
    try fillRequired(match, table, where: "1")
  }

  private func moveEmbedded(of table: TableLayout) throws(StoreError) {
    guard let match = matches[table.schema.className],
      let source = sources[table.schema.className]
    else { return }
    for (embedded, target) in match.unfolded { try unfold(embedded, target, from: source) }
    for (target, embedded) in match.folded { try fold(target, into: embedded, of: table) }
  }

  /// Moves embedded objects to separate rows, in the table of their class.
  func unfold(
    _ embedded: EmbeddedLayout, _ target: String, from source: TableSource
  ) throws(StoreError) {
    guard let table = new.layout(target) else { return }
    let match = matcher.match(FieldMatcher.Side(embedded), FieldMatcher.Side(table))
    let first = try assignKeys(source.column(embedded.presence), source, target)
    for (inner, target) in match.unfolded { try unfold(inner, target, from: source) }
    let move = RowMove.unfolding(embedded.presence, of: source, to: table, connection)
    try move.insert(match.columns, try literals(of: match, table))
    for (old, new, _) in match.collections { try move.move(old, to: new) }
    for point in match.points { try move.move(point) }
    try fillRequired(match, table, where: "\(RowMove.key) >= \(first)")
    arrivals[target] = min(arrivals[target] ?? first, first)
  }

  /// The first keys of moved rows that are not yet in the spatial and full-text indexes, by class.
  private var arrivals: [String: Int64] = [:]

  /// Adds moved rows to the spatial and full-text indexes that exist.
  func indexArrivals(_ present: (TableLayout) -> Set<String>) throws(StoreError) {
    for (className, first) in arrivals {
      guard let table = new.layout(className) else { continue }
      let names = present(table)
      for index in table.textIndexes where names.contains(index.name) {
        try TextIndexWriter(index, table, connection).build(table, from: first)
      }
      for index in table.spatialIndexes where names.contains(index.name) {
        try SpatialIndexWriter(index, table, connection).build(from: first)
      }
    }
    arrivals = [:]
  }

  /// Replaces the presence numbers of embedded objects by the keys of their future rows; returns the first
  /// key.
  private func assignKeys(
    _ presence: Column, _ source: TableSource, _ target: String
  ) throws(StoreError) -> Int64 {
    let number = presence.sqlNames[0]
    // A new class has no description yet.
    let stored = try connection.integer(
      "SELECT next_key FROM cadastre_class WHERE name = ?", .string(target))
    let first = keys[target] ?? stored ?? 1
    try connection.run(
      "UPDATE \(source.table) SET \(number) = r.number FROM (SELECT \(RowMove.key) AS key, "
        + "\(first) - 1 + row_number() OVER (ORDER BY \(RowMove.key)) AS number "
        + "FROM \(source.table) WHERE \(number) IS NOT NULL) AS r "
        + "WHERE r.key = \(source.table).\(RowMove.key)")
    let count = try connection.integer(
      "SELECT count(*) FROM \(source.table) WHERE \(number) IS NOT NULL")
    keys[target] = first + (count ?? 0)
    added[target, default: 0] += count ?? 0
    return first
  }

  /// The next keys of classes that received rows.
  private var keys: [String: Int64] = [:]
  /// The numbers of received rows by class.
  private var added: [String: Int64] = [:]

  /// Moves objects with separate rows to the rows that contain their keys.
  private func fold(
    _ target: String, into embedded: EmbeddedLayout, of table: TableLayout
  ) throws(StoreError) {
    guard let source = source(of: target) else { return }
    let match = matcher.match(FieldMatcher.Side(source.layout), FieldMatcher.Side(embedded))
    let move = RowMove.folding(source, into: embedded.presence, of: table, connection)
    try move.update(match.columns)
    for (old, new, _) in match.collections { try move.move(old, to: new) }
    for (target, inner) in match.folded { try fold(target, into: inner, of: table) }
    for point in match.points { try move.move(point) }
    let number = table.columns[embedded.presence].sqlNames[0]
    let exists = "\(number) IS NOT NULL"
    folded.append(
      (target, "SELECT \(number) FROM \(SQL.quoted(table.tableName)) WHERE \(exists)"))
    try fillRequired(match, table, where: exists)
  }

  /// The rows that moved to their owners' rows, as queries for their keys.
  private var folded: [(target: String, keys: String)] = []

  /// Deletes rows that moved to their owners' rows, from the table of a class that keeps other rows.
  ///
  /// The objects that these rows owned stay.
  private func removeFolded(_ className: String, _ keys: String) throws(StoreError) {
    guard let table = new.layout(className) else { return }
    for name in table.collections.map(\.tableName) {
      try connection.run("DELETE FROM \(SQL.quoted(name)) WHERE owner IN (\(keys))")
    }
    let name = SQL.quoted(table.tableName)
    try connection.run("DELETE FROM \(name) WHERE \(RowMove.key) IN (\(keys))")
    try connection.run(
      "UPDATE cadastre_class SET row_count = row_count - ? WHERE name = ?",
      .int(Int64(connection.changedRows)), .string(className))
    // Missing indexes are built by `createMissingIndexes(_:_:)`.
    let kept = keptIndexes(old.layout(className), table)
    for index in table.spatialIndexes where kept.contains(index.name) {
      try connection.run("DELETE FROM \(SQL.quoted(index.name)) WHERE \"key\" IN (\(keys))")
    }
    for index in table.textIndexes where kept.contains(index.name) {
      let writer = TextIndexWriter(index, table, connection)
      try writer.removeAll()
      try writer.build(table)
    }
  }

  /// Sets the initial values of new required columns, and replaces null in columns that became required.
  func fillRequired(
    _ match: FieldMatch, _ table: TableLayout, where condition: String
  ) throws(StoreError) {
    for (column, value, presence) in match.added {
      if presence == nil, table.columns[column].hasExactDefault { continue }
      let exists = presence.map { "\(table.columns[$0].sqlNames[0]) IS NOT NULL" } ?? "1"
      try set(column, value, table, where: "\(condition) AND \(exists)")
    }
    for (column, value, presence) in match.filled {
      let exists = presence.map { "\(table.columns[$0].sqlNames[0]) IS NOT NULL" } ?? "1"
      try set(
        column, value, table,
        where: "\(condition) AND \(exists) AND \(table.columns[column].sqlNames[0]) IS NULL")
    }
    for case (_, let collection, let value?) in match.collections {
      try fill(collection, with: value, table)
    }
  }

  private func set(
    _ column: Int, _ value: Value, _ table: TableLayout, where condition: String
  ) throws(StoreError) {
    let column = table.columns[column]
    let literals = try connection.literals(value, as: column.type)
    let values = zip(column.sqlNames, literals).map { "\($0) = \($1)" }
    try connection.run(
      "UPDATE \(SQL.quoted(table.tableName)) SET \(values.joined(separator: ", ")) "
        + "WHERE \(condition)")
  }

  /// Replaces null elements by a value; in a set, one element has the value afterwards.
  private func fill(
    _ collection: CollectionLayout, with value: Value, _ table: TableLayout
  ) throws(StoreError) {
    let name = SQL.quoted(collection.tableName)
    let literal = try connection.literals(value, as: collection.element.type)[0]
    if collection.kind == .set {
      try connection.run(
        "DELETE FROM \(name) WHERE value IS NULL AND owner IN "
          + "(SELECT owner FROM \(name) WHERE value = \(literal))")
      let count = table.columns[collection.countColumn].sqlNames[0]
      let owners = SQL.quoted(table.tableName)
      try connection.run(
        "UPDATE \(owners) SET \(count) = (SELECT count(*) FROM \(name) "
          + "WHERE owner = \(owners).\(RowMove.key)) WHERE \(count) > 0")
    }
    try connection.run("UPDATE \(name) SET value = \(literal) WHERE value IS NULL")
  }

  // MARK: The catalogue

  private func describe() throws(StoreError) {
    for schema in new.schema.objectSchema {
      let name = schema.className
      let tableName = new.layout(name)?.tableName
      guard let before = old.schema[name] else {
        try Catalogue.write(schema, tableName: tableName, on: connection)
        continue
      }
      if before.isEmbedded != schema.isEmbedded || old.layout(name)?.tableName != tableName {
        try connection.run(
          "UPDATE cadastre_class SET is_embedded = ?, table_name = ? WHERE name = ?",
          .bool(schema.isEmbedded), tableName.map(Value.string) ?? .null, .string(name))
      }
      if before.properties != schema.properties || before.compoundIndexes != schema.compoundIndexes
      {
        try Catalogue.writeMembers(of: schema, on: connection)
      }
    }
    for table in obsoleteTables {
      try connection.run(
        "UPDATE cadastre_class SET row_count = 0 WHERE name = ?", .string(table.schema.className))
    }
    try noteAddedRows()
  }

  /// Updates the counters of classes that received rows.
  func noteAddedRows() throws(StoreError) {
    for (name, count) in added {
      try connection.run(
        "UPDATE cadastre_class SET next_key = next_key + ?1, row_count = row_count + ?1 "
          + "WHERE name = ?2", .int(count), .string(name))
    }
    added = [:]
  }
}

extension Column {
  /// Whether existing rows read the default of a new column exactly: without a declared type, SQLite reads
  /// 2.0 as 2.
  fileprivate var hasExactDefault: Bool { type != .any }
}
