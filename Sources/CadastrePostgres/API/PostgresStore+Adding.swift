public import Cadastre
import CadastreModel
import CadastrePredicate
import CadastreStore

extension PostgresStore {
  /// Adds copies of unmanaged objects in one transaction.
  ///
  /// A link must lead to an object whose class has a primary key and that the database has already.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - updating: Whether an object with the primary key of a stored one replaces its values; otherwise
  ///     it is an error.
  /// - Throws: ``PostgresMappingError`` if the database has no such class, for a value that PostgreSQL
  ///   cannot hold, and for a link to an object that is not stored; ``PostgresError``, whose
  ///   ``PostgresError/sqlState`` is `23505` for a repeated primary key. Nothing is added then.
  /// - Complexity: O(n log n); the rows are copied, not inserted one by one.
  public func add<Element: Object>(_ objects: [Element], updating: Bool = false) async throws {
    let classes = try classes(for: Element.self)
    let name = DetachedObjects.schema(of: Element.self).className
    guard let table = classes.tables[name], !objects.isEmpty else { return }
    try table.requireChangeable()
    guard !updating || table.schema.primaryKeyProperty != nil else {
      throw PostgresMappingError(
        subject: "class '\(name)'", reason: "it has no primary key by which objects are updated")
    }
    var links: [AddedObjects.Link] = []
    var rows: [ImportRow] = []
    for (index, object) in objects.enumerated() {
      rows.append(
        DetachedObjects.row(of: object, table.layout) { column, target in
          links.append(AddedObjects.Link(row: index, column: column, target))
        })
    }
    let added = AddedObjects(table: table, classes: classes, rows: rows, links: links)
    try await pool.withConnection { connection in
      try await connection.transaction(.writing) { try await added.insert($0, updating: updating) }
    }
  }
}

/// Rows that are added to a table.
private struct AddedObjects: Sendable {
  /// A link of a row to an object, by its primary key.
  struct Link: Sendable {
    let row: Int
    let column: Int
    let className: String
    /// The primary key; nil if the class has none.
    let key: Value?

    init(row: Int, column: Int, _ target: ObjectBase) {
      self.row = row
      self.column = column
      let schema = DetachedObjects.schema(of: type(of: target))
      className = schema.className
      key = schema.primaryKeyProperty.flatMap { DetachedObjects.value(target[$0.name]) }
    }
  }

  let table: PostgresTable
  let classes: RemoteClasses
  let rows: [ImportRow]
  let links: [Link]

  /// The name of the temporary table.
  private static let temporary = "\"cadastre_added\""

  func insert(_ connection: PostgresConnection, updating: Bool) async throws {
    try await TableCheck(classes.names, connection).requireChangeable(
      [table.schema.className], locks: true)
    var rows = rows
    for link in links {
      rows[link.row].values[link.column] = .link(try await target(of: link, connection))
    }
    let keys = try await keys(rows.count, connection)
    var stream = CopyStream()
    for (key, row) in zip(keys, rows) {
      stream.append(
        try table.encoded(row.values, table.layout, key: ObjectKey(key)) { collection in
          let entries =
            row.entries(of: collection)
            ?? (row.elements(of: collection) ?? []).map { (key: "", value: $0) }
          return entries.compactMap { entry in entry.value.value.map { (entry.key, $0) } }
        })
    }
    stream.finish()
    let bytes = Pending(stream.take())
    try await connection.run(
      SQLStatement(
        "CREATE TEMPORARY TABLE \(Self.temporary) (LIKE \(table.quotedName)) ON COMMIT DROP"))
    _ = try await connection.copyIn(table.copy(into: Self.temporary)) { bytes.take() }
    try await connection.run(table.insertion(from: Self.temporary, updating: updating))
  }

  private func target(of link: Link, _ connection: PostgresConnection) async throws -> ObjectKey {
    let property = table.layout.columns[link.column].name
    guard let key = link.key, let name = classes.schema[link.className]?.primaryKeyProperty?.name
    else {
      throw PostgresMappingError(
        subject: "link '\(property)' of class '\(table.schema.className)'",
        reason: "the class '\(link.className)' has no primary key by which its object is found")
    }
    let predicate = QueryPredicate.comparison(
      Comparison(.property(PropertyPath([name])), .equal, .value(key)))
    let query = RemoteQuery(
      classes, try ObjectQuery(link.className, where: predicate).bound(to: classes.schema))
    guard let found = try await query.keys(connection).first else {
      throw PostgresMappingError(
        subject: "link '\(property)' of class '\(table.schema.className)'",
        reason:
          "the database has no object of '\(link.className)' with this primary key; add it first")
    }
    return ObjectKey(found)
  }

  /// Reserves keys for new rows.
  private func keys(_ count: Int, _ connection: PostgresConnection) async throws -> [Int64] {
    var statement = SQLStatement("SELECT nextval(pg_get_serial_sequence(")
    statement.append(statement.parameter(.text(table.quotedName), .text) + ", ")
    statement.append(statement.parameter(.text(ColumnName.key), .text) + ")) ")
    statement.append(
      "FROM generate_series(1, \(statement.parameter(.int8(Int64(count)), .int8)))")
    return try await connection.run(statement).integers(0)
  }

  /// Bytes that are sent once.
  // Safe because only the connection that copies uses it.
  private final class Pending: @unchecked Sendable {
    private var bytes: [UInt8]?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func take() -> [UInt8]? {
      defer { bytes = nil }
      return bytes
    }
  }
}
