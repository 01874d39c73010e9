import CadastreModel
import CadastrePredicate

/// Changes of the objects of a query, within a transaction.
extension RemoteQuery {
  /// Deletes the objects, and takes them out of the collections of others.
  ///
  /// - Returns: The number of objects.
  func deleteObjects(_ connection: PostgresConnection) async throws -> Int {
    for other in classes.tables.values where other.partitions != nil {
      // No foreign key of a divided table removes its links.
      if other.allFields.contains(where: { $0.field.property.objectClassName == bound.className }) {
        try other.requireChangeable()
      }
    }
    let keys = try await lockedKeys(connection)
    guard !keys.isEmpty, let table = classes.tables[bound.className] else { return 0 }
    let changed = classes.tables.values.filter {
      !$0.removals(of: keys, className: bound.className).isEmpty
    }
    let check = TableCheck(classes.names, connection)
    try await check.requireChangeable(changed.map(\.schema.className), locks: true)
    try await check.requireAllRows(of: changed.map(\.schema.className), linkedTo: bound.className)
    // A policy or a trigger of the table may keep rows, and links to these stay.
    let deleted = try await connection.run(table.deletion(of: keys)).integers(0)
    guard !deleted.isEmpty else { return 0 }
    for other in changed {
      for statement in other.removals(of: deleted, className: bound.className) {
        try await connection.run(statement)
      }
    }
    return deleted.count
  }

  /// Sets columns of the objects.
  ///
  /// - Returns: The number of objects.
  func setValues(
    _ values: [ColumnValue], _ connection: PostgresConnection
  ) async throws -> Int {
    let keys = try await lockedKeys(connection)
    guard let table = classes.tables[bound.className] else { return 0 }
    return try await connection.run(table.update(of: keys, to: values)).changedRowCount ?? 0
  }

  /// The keys of the objects, whose rows no other transaction changes until the end of this one.
  private func lockedKeys(_ connection: PostgresConnection) async throws -> [Int64] {
    guard let table = classes.tables[bound.className] else { return [] }
    try table.requireChangeable()
    try await connection.run(
      SQLStatement("LOCK TABLE \(table.quotedName) IN SHARE ROW EXCLUSIVE MODE"))
    try await TableCheck(classes.names, connection).requireChangeable(
      [table.schema.className], locks: false)
    return try await connection.run(try await statement(.keys, connection)).integers(0)
  }
}
