package import CadastreModel
package import CadastreStore
import Foundation

/// A copy of classes of a database to a store.
package struct StorePull {
  private let classes: RemoteClasses
  private let names: [String]
  private let selections: [String: RemoteQuery]

  /// Creates a copy of classes.
  ///
  /// - Parameters:
  ///   - classes: The classes of the database.
  ///   - names: The names of the classes; nil for all.
  ///   - selections: The queries of classes whose objects are copied in part, and to which no links
  ///     lead, by the names of the classes.
  /// - Throws: ``PostgresMappingError`` if there is no such class, or a link leads to another one.
  package init(
    _ classes: RemoteClasses, names: [String]? = nil, only selections: [String: RemoteQuery] = [:]
  ) throws(PostgresMappingError) {
    self.classes = classes
    self.selections = selections
    let all = classes.tables.keys.sorted()
    guard !all.isEmpty else {
      throw PostgresMappingError(
        subject: "the database", reason: "it has no classes; 'cadastre push' copies them there")
    }
    for name in names ?? [] where classes.tables[name] == nil {
      throw PostgresMappingError(
        subject: "class '\(name)'",
        reason: "the database has no such class; it has \(all.joined(separator: ", "))")
    }
    self.names = names ?? all
    let schema = schema
    try schema.objectSchema.requireTargets(in: schema, otherwise: "which is not pulled")
  }

  /// The classes that are copied, and the embedded classes of their properties.
  package var schema: Schema {
    Schema(classes.schema.classes(names))
  }

  /// Copies the objects into a store that has none of the classes.
  ///
  /// - Parameters:
  ///   - transaction: The transaction, which the caller commits or rolls back.
  ///   - connection: The connection.
  ///   - progress: Called with the class and the number of its objects that were stored.
  /// - Returns: The number of objects of each class.
  /// - Throws: ``PostgresMappingError``, ``PostgresError`` or `StoreError`.
  package func run(
    in transaction: WriteTransaction, _ connection: PostgresConnection,
    progress: @escaping (String, Int) -> Void = { _, _ in }
  ) async throws -> [StorePush.Copied] {
    let existing = schema.objectSchema.map(\.className).filter {
      transaction.catalogue.schema[$0] != nil
    }
    guard existing.isEmpty else {
      throw PostgresMappingError(
        subject: "the store",
        reason: "it has classes of the same name: \(existing.joined(separator: ", "))")
    }
    try transaction.adopt(schema)
    for name in schema.objectSchema.map(\.className) { try transaction.suspendIndexes(of: name) }
    let task = PullTask(
      tables: names.sorted().compactMap { classes.tables[$0] }, selections: selections,
      transaction: transaction, progress: progress)
    return try await connection.transaction(.snapshot) { try await task.run($0) }
  }
}

extension StorePull {
  /// Copies the objects into the store at a path, in one transaction; creates the store if it does
  /// not exist.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - connection: The connection.
  ///   - progress: Called with the class and the number of its objects that were stored.
  /// - Returns: The number of objects of each class.
  /// - Throws: ``PostgresMappingError``, ``PostgresError`` or `StoreError`; the store is unchanged.
  package func run(
    storeAt path: String, _ connection: PostgresConnection,
    progress: @escaping (String, Int) -> Void = { _, _ in }
  ) async throws -> [StorePush.Copied] {
    let isNew = !FileManager.default.fileExists(atPath: path)
    let transaction = try OpenStores.store(at: path).beginWrite()
    do {
      let copied = try await run(in: transaction, connection, progress: progress)
      try transaction.commit()
      return copied
    } catch {
      // A store created for this copy is removed; the open transaction excludes other writers.
      if isNew, transaction.version == 1 {
        for suffix in StoreFile.fileSuffixes {
          try? FileManager.default.removeItem(atPath: path + suffix)
        }
      }
      transaction.rollback()
      throw error
    }
  }
}

/// The steps of a copy within the transactions of both sides.
// Safe because the task that made it waits for the one call that uses it.
private struct PullTask: @unchecked Sendable {
  let tables: [PostgresTable]
  let selections: [String: RemoteQuery]
  let transaction: WriteTransaction
  let progress: (String, Int) -> Void

  func run(_ connection: PostgresConnection) async throws -> [StorePush.Copied] {
    var keys: [String: KeyNumbers] = [:]
    for table in tables {
      keys[table.schema.className] = try await self.keys(of: table, connection)
    }
    var copied: [StorePush.Copied] = []
    for table in tables {
      let name = table.schema.className
      guard let layout = transaction.catalogue.layout(name) else {
        throw PostgresMappingError(
          subject: "class '\(name)'", reason: "it has no table in the store")
      }
      let rows = StoredRows(table, layout, transaction, keys, progress)
      try await connection.forEachRow(of: try await statement(table, connection)) {
        try rows.add(try $0.row(0))
      }
      copied.append(StorePush.Copied(className: name, count: rows.count))
    }
    return copied
  }

  /// The statement that reads the rows of a table in order of their keys.
  private func statement(
    _ table: PostgresTable, _ connection: PostgresConnection
  ) async throws -> SQLStatement {
    if let query = selections[table.schema.className] {
      return try await query.statement(.rows, connection)
    }
    return SQLStatement(
      "SELECT \(table.selection("t")) FROM \(table.quotedName) t "
        + "ORDER BY \"\(ColumnName.key)\"")
  }

  private func keys(
    of table: PostgresTable, _ connection: PostgresConnection
  ) async throws -> KeyNumbers {
    // No links lead to the objects of a selection.
    guard selections[table.schema.className] == nil else { return KeyNumbers(keys: nil) }
    let key = "\"\(ColumnName.key)\""
    let extent = try await connection.run(
      SQLStatement("SELECT count(*), coalesce(max(\(key)), 0) FROM \(table.quotedName)"))
    let (count, last) = (try extent.integer(0, 0), try extent.integer(0, 1))
    guard count != last else { return KeyNumbers(keys: nil) }
    let result = try await connection.run(
      SQLStatement("SELECT \(key) FROM \(table.quotedName) ORDER BY \(key)"))
    return KeyNumbers(keys: try result.integers(0))
  }
}

/// The keys that the objects of a class get in a new table: their places in the order of the keys.
private struct KeyNumbers {
  /// The keys in ascending order; nil if they are 1, 2, 3 ….
  let keys: [Int64]?

  /// The new key of an object; nil if there is no object.
  func number(of key: ObjectKey) -> ObjectKey? {
    guard let keys else { return key }
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key.rawValue { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key.rawValue ? ObjectKey(Int64(low + 1)) : nil
  }
}

/// A writer of rows of a table into a store.
// Safe because only the connection that reads the rows uses it.
private final class StoredRows: @unchecked Sendable {
  private let table: PostgresTable
  private let layout: TableLayout
  private let writer: RowWriter
  private let keys: [String: KeyNumbers]
  private let links: [(column: Int, target: String)]
  private let progress: (String, Int) -> Void
  private(set) var count = 0

  init(
    _ table: PostgresTable, _ layout: TableLayout, _ transaction: WriteTransaction,
    _ keys: [String: KeyNumbers], _ progress: @escaping (String, Int) -> Void
  ) {
    self.table = table
    self.layout = layout
    self.keys = keys
    self.progress = progress
    writer = RowWriter(transaction, layout, properties: Array(layout.schema.properties.indices))
    links = Self.links(layout.schema, layout.fields)
  }

  /// Stores a row.
  func add(_ values: [PostgresValue]) throws {
    var row = try table.decoded(values, layout)
    for link in links {
      row.values[link.column] = try renumbered(row.values[link.column], link.target)
    }
    row.members = try row.members.map { member in
      guard case .list(let collection, let elements) = member, let target = collection.target
      else {
        guard case .map(let collection, let entries) = member, let target = collection.target
        else { return member }
        return .map(collection, try entries.map { ($0.key, try renumbered($0.value, target)) })
      }
      return .list(collection, try elements.map { try renumbered($0, target) })
    }
    try writer.insert(row)
    count += 1
    if count % 1024 == 0 { progress(layout.schema.className, count) }
  }

  private func renumbered(
    _ element: ImportRow.Element, _ target: String
  ) throws -> ImportRow.Element {
    guard case .value(let value) = element else { return element }
    return .value(try renumbered(value, target))
  }

  private func renumbered(_ value: Value, _ target: String) throws -> Value {
    guard case .link(let key) = value else { return value }
    guard let number = keys[target]?.number(of: key) else {
      throw PostgresMappingError(
        subject: "class '\(layout.schema.className)'",
        reason: "a link leads to row \(key) of '\(target)', which does not exist")
    }
    return .link(number)
  }

  /// The columns with links.
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
