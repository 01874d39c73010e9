import CadastreModel
import CadastreStore

/// The steps of a pull within the transactions of both sides.
// Safe because the task that created it awaits its only call.
struct PullTask: @unchecked Sendable {
  let classes: RemoteClasses
  let names: [String]
  /// The queries of the classes that are copied in part, by class.
  let selections: [String: RemoteQuery]
  let transaction: WriteTransaction
  /// The store before the transaction; nil for an empty temporary store.
  let snapshot: Snapshot?
  /// Whether changes of the store are overwritten.
  let isReplacing: Bool
  let progress: (String, Int) -> Void

  /// The result of a pull.
  struct Pulled: Sendable {
    var copied: [StorePush.Copied] = []
    /// The rows of the database, by class.
    var remote: [String: RowHashes] = [:]
    /// The maps from keys of the store to keys of the database, by class.
    var keys: [String: KeyMap] = [:]
    /// The rows of an earlier copy that the store has changed since, by class and key in the database.
    var kept: [String: [Int64: CopiedRows.Row]] = [:]
  }

  /// The changes of the objects of a class.
  private struct Change {
    let table: PostgresTable
    let layout: TableLayout
    /// The keys of the rows to read from the database; nil for all rows, which are new.
    var read: [Int64]?
    /// The keys in the store of the objects to delete, ascending.
    var deleted: [Int64] = []
    /// The map from keys of the database to keys of the store; nil if no links refer to the objects.
    var keys: KeyMap?
    /// The map from keys of the database to keys of objects that the store has before the pull.
    var existing = KeyMap.empty
    /// The number of rows of the database.
    var count = 0
    /// Sentences about the pull for the report.
    var notes: [String] = []
  }

  func run(_ connection: PostgresConnection) async throws -> Pulled {
    var pulled = Pulled()
    var changes: [Change] = []
    if let snapshot {
      for name in names where snapshot.catalogue.layout(name) != nil {
        guard try snapshot.rowCount(name) > 0 else { continue }
        try await classes.tables[name]?.requireAllRows(
          connection, otherwise: "a pull would delete them here")
      }
      let sides = try await CopySides.read(names, of: classes, snapshot, .none, connection)
      let notes = try await overwritten(sides, snapshot, connection)
      for name in names.sorted() {
        guard let side = sides.sides[name] else { continue }
        var change = try change(side, sides.keys[name])
        if let note = notes[name] { change.notes.append(note) }
        pulled.remote[name] = side.remote
        pulled.keys[name] = change.keys?.inverted
        pulled.kept[name] = isReplacing ? [:] : side.changedHere
        changes.append(change)
      }
    } else {
      for name in names.sorted() {
        if let table = classes.tables[name] {
          changes.append(try await change(table, connection))
        }
      }
    }
    let keys = Dictionary(
      uniqueKeysWithValues: changes.compactMap { change in
        change.keys.map { (change.table.schema.className, $0) }
      })
    for change in changes where !change.deleted.isEmpty {
      try transaction.delete(change.table.schema.className, change.deleted)
    }
    // Deletions need the indexes, which are suspended after them.
    for change in changes { try transaction.suspendIndexes(of: change.table.schema.className) }
    var rows: [StoredRows] = []
    for change in changes {
      let stored = StoredRows(
        change.table, change.layout, transaction, keys, existing: change.existing, progress)
      pulled.copied.append(try await store(change, stored, connection))
      rows.append(stored)
    }
    guard try transaction.checkDeferredKeys().isEmpty else {
      throw sharedKeys(try rows.compactMap { try $0.sharedKeys() })
    }
    return pulled
  }

  // MARK: Keys

  /// Finds the changes of the store that the pull overwrites.
  ///
  /// - Returns: A sentence for each class with such changes.
  /// - Throws: ``PostgresMappingError`` with the changes, unless the pull replaces them.
  private func overwritten(
    _ sides: CopySides, _ snapshot: Snapshot, _ connection: PostgresConnection
  ) async throws -> [String: String] {
    var notes: [String: String] = [:]
    var clauses: [String] = []
    for (name, side) in sides.sides.sorted(by: { $0.key < $1.key }) {
      let lost = side.comparison.both + (isReplacing ? side.comparison.local : [])
      guard
        let clause = try await CopyRefusal.clause(
          lost, changedBy: .local, side.table, snapshot, connection)
      else { continue }
      notes[name] = "overwrote what has changed in the store: \(clause)"
      let reason =
        side.base.hasRecord
        ? " here, and in the database too, since the last copy"
        : ", and the store has no record of an earlier copy with the same columns"
      clauses.append("class '\(name)': \(clause)\(reason)")
    }
    guard isReplacing || clauses.isEmpty else {
      throw PostgresMappingError(
        subject: "the store",
        reason:
          "the pull would lose what has changed in it (\(clauses.joined(separator: "; "))); "
          + "pull into another store to compare them, pull with --replace to overwrite it, or push with "
          + "--replace to keep it")
    }
    return notes
  }

  /// Returns the changes that make the objects of a class equal to the rows of the database.
  private func change(_ side: CopySides.Side, _ keyMap: KeyMap?) throws -> Change {
    let name = side.table.schema.className
    guard let layout = transaction.catalogue.layout(name) else {
      throw PostgresMappingError(subject: "class '\(name)'", reason: "it has no table in the store")
    }
    var change = Change(table: side.table, layout: layout)
    change.count = side.remote.count
    let differences = isReplacing ? side.comparison.all : side.comparison.remote
    let read = differences.filter(\.isRemote).compactMap(\.remote).sorted()
    change.deleted = differences.filter { !$0.isRemote }.compactMap(\.local).sorted()
    change.existing = keyMap?.inverted ?? .empty
    var next = try transaction.nextKey(name).rawValue
    var pairs: [(Int64, Int64)] = []
    var new = read.filter { change.existing[$0] == nil }[...]
    change.read = new.count == side.remote.count ? nil : read
    for key in side.remote.keys {
      if let local = change.existing[key] {
        pairs.append((key, local))
      } else if new.first == key {
        new.removeFirst()
        pairs.append((key, next))
        next += 1
      }
    }
    change.keys = KeyMap(pairs)
    if !isReplacing, !side.comparison.local.isEmpty {
      let count = side.comparison.local.count
      change.notes.append("changes of the store that stay, for the next push: \(count)")
    }
    return change
  }

  /// Returns the changes of a class without objects.
  private func change(
    _ table: PostgresTable, _ connection: PostgresConnection
  ) async throws -> Change {
    let name = table.schema.className
    guard let layout = transaction.catalogue.layout(name) else {
      throw PostgresMappingError(subject: "class '\(name)'", reason: "it has no table in the store")
    }
    var change = Change(table: table, layout: layout)
    // No links refer to the objects of a selection.
    guard selections[name] == nil else { return change }
    let key = "\"\(ColumnNaming.key)\""
    let extent = try await connection.run(
      SQLStatement("SELECT count(*), coalesce(max(\(key)), 0) FROM \(table.quotedName)"))
    let count = try extent.integer(0, 0)
    if try extent.integer(0, 1) == count {
      change.keys = KeyMap(upTo: count)
    } else {
      let result = try await connection.run(
        SQLStatement("SELECT \(key) FROM \(table.quotedName) ORDER BY \(key)"))
      change.keys = KeyMap(try result.integers(0).enumerated().map { ($1, Int64($0 + 1)) })
    }
    return change
  }

  /// Returns the error for primary keys that several objects would share.
  private func sharedKeys(_ classes: [String]) -> PostgresMappingError {
    PostgresMappingError(
      subject: "the store",
      reason:
        "after the pull several objects would have the same primary key (\(classes.joined(separator: "; "))), "
        + "because rows of the database have it, or one row and an object that has changed in the store; change "
        + "one of them" + (isReplacing ? "" : ", or pull with --replace to overwrite the store"))
  }

  // MARK: Objects

  /// Stores the rows of a class.
  private func store(
    _ change: Change, _ rows: StoredRows, _ connection: PostgresConnection
  ) async throws -> StorePush.Copied {
    let name = change.table.schema.className
    if change.read?.isEmpty != true {
      let statement = try await statement(change, connection)
      try await connection.forEachRow(of: statement) { try rows.add(try $0.row(0)) }
    }
    var notes = change.notes
    if rows.danglingCount > 0 {
      notes.append("links to objects that do not exist were left out: \(rows.danglingCount)")
    }
    return StorePush.Copied(
      className: name, count: snapshot == nil ? rows.count : change.count, notes: notes)
  }

  /// Returns the statement that reads the rows of a table, in ascending order of their keys.
  private func statement(
    _ change: Change, _ connection: PostgresConnection
  ) async throws -> SQLStatement {
    let table = change.table
    if let query = selections[table.schema.className] {
      return try await query.statement(.rows, connection)
    }
    var statement = SQLStatement("SELECT \(table.selection("t")) FROM \(table.quotedName) t ")
    if let read = change.read {
      statement.append("WHERE \"\(ColumnNaming.key)\" = ANY(\(statement.keys(read))) ")
    }
    statement.append("ORDER BY \"\(ColumnNaming.key)\"")
    return statement
  }
}

extension CopySides.Side {
  /// The rows of the last copy that only the store has changed since.
  fileprivate var changedHere: [Int64: CopiedRows.Row] {
    let changed = Set(comparison.local.compactMap(\.remote))
    return Dictionary(
      uniqueKeysWithValues: base.rows.filter { changed.contains($0.remote) }.map { ($0.remote, $0) }
    )
  }
}

/// A writer of the rows of a table into a store.
// Safe because only the connection that reads the rows uses it.
private final class StoredRows: @unchecked Sendable {
  private let table: PostgresTable
  private let layout: TableLayout
  private let transaction: WriteTransaction
  private let writer: RowWriter
  private let keyColumn: Int?
  private let keys: [String: KeyMap]
  /// The map from keys of the database to keys of objects that the store has before the pull.
  private let existing: KeyMap
  private let links: [(column: Int, target: String)]
  private let progress: (String, Int) -> Void
  private(set) var count = 0
  /// The number of dangling links.
  private(set) var danglingCount = 0
  /// The primary keys of stored rows that another object had at that time, and this object; nil before the first
  /// conflict.
  private var holders: [(value: Value, key: ObjectKey)]?

  init(
    _ table: PostgresTable, _ layout: TableLayout, _ transaction: WriteTransaction,
    _ keys: [String: KeyMap], existing: KeyMap, _ progress: @escaping (String, Int) -> Void
  ) {
    self.table = table
    self.layout = layout
    self.transaction = transaction
    self.keys = keys
    self.existing = existing
    self.progress = progress
    writer = RowWriter(transaction, layout, properties: Array(layout.schema.properties.indices))
    keyColumn = layout.schema.primaryKeyProperty.flatMap(layout.column)
    links = Self.links(layout.schema, layout.fields)
  }

  /// Stores a row.
  func add(_ values: [PostgresValue]) throws {
    var row = try table.decoded(values, layout)
    for link in links {
      row.values[link.column] = translated(row.values[link.column], link.target) ?? .null
    }
    row.members = row.members.map { member in
      switch member {
      case .list(let collection, let elements):
        guard let target = collection.target else { return member }
        return .list(collection, elements.compactMap { translated($0, target) })
      case .map(let collection, let entries):
        guard let target = collection.target else { return member }
        return .map(
          collection, entries.map { ($0.key, translated($0.value, target) ?? .value(.null)) })
      case .owned: return member
      }
    }
    var key: ObjectKey?
    if case .int8(let number) = values[0] { key = existing[number].map { ObjectKey($0) } }
    if holders != nil { try noteHolder(of: row, otherThan: key) }
    do throws(StoreError) {
      try write(row, to: key)
    } catch {
      // A later row may change the primary key of the other object.
      guard case .duplicateKey = error.reason, holders == nil else { throw error }
      holders = []
      try noteHolder(of: row, otherThan: key)
      try transaction.deferKey(of: layout.schema.className)
      try write(row, to: key)
    }
    count += 1
    if count % 1024 == 0 { progress(layout.schema.className, count) }
  }

  /// Updates an object with a row, or inserts the row.
  private func write(_ row: ImportRow, to key: ObjectKey?) throws(StoreError) {
    guard let key else {
      try writer.insert(row)
      return
    }
    if let keyColumn, let old = try transaction.row(layout, key)?[keyColumn],
      old != row.values[keyColumn]
    {
      try transaction.update(layout.schema.className, key, [(keyColumn, row.values[keyColumn])])
    }
    try writer.update(key, row)
  }

  private func noteHolder(of row: ImportRow, otherThan key: ObjectKey?) throws(StoreError) {
    guard let keyColumn else { return }
    let value = row.values[keyColumn]
    if let other = try transaction.key(layout.schema.className, primaryKey: value), other != key {
      holders?.append((value, other))
    }
  }

  /// Returns the class and the primary keys that several objects share; nil for none.
  func sharedKeys() throws(StoreError) -> String? {
    guard let holders, let keyColumn else { return nil }
    var values: [String] = []
    for (value, key) in holders where try transaction.row(layout, key)?[keyColumn] == value {
      values.append(CopyRefusal.text(value))
    }
    return values.isEmpty
      ? nil : "class '\(layout.schema.className)': \(values.joined(separator: ", "))"
  }

  private func translated(_ element: ImportRow.Element, _ target: String) -> ImportRow.Element? {
    guard case .value(let value) = element else { return element }
    return translated(value, target).map { .value($0) }
  }

  /// Returns the value with the key of the store; nil for a dangling link.
  private func translated(_ value: Value, _ target: String) -> Value? {
    guard case .link(let key) = value else { return value }
    guard let number = keys[target]?[key.rawValue] else {
      danglingCount += 1
      return nil
    }
    return .link(ObjectKey(number))
  }

  /// Returns the to-one link columns with their target classes.
  private static func links(
    _ schema: ObjectSchema, _ fields: [FieldLayout]
  ) -> [(column: Int, target: String)] {
    zip(schema.properties, fields).flatMap { (property, field) -> [(column: Int, target: String)] in
      switch field {
      case .link(let column): property.objectClassName.map { [(column, $0)] } ?? []
      case .embedded(let embedded): links(embedded.schema, embedded.fields)
      default: []
      }
    }
  }
}
