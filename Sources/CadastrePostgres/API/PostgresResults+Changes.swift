import Cadastre
import CadastreModel
import CadastrePredicate
import CadastreStore

extension PostgresResults {
  /// Deletes the objects in one transaction.
  ///
  /// Links to them become nil, and they leave all lists and sets. While row security may hide rows with lists,
  /// sets or maps of links to the class from the role, nothing is deleted.
  ///
  /// - Returns: The number of deleted objects.
  /// - Throws: ``PostgresError``, ``UntranslatablePart`` for a part without exact translation,
  ///   ``PostgresMappingError`` if the database has no such class or row security may hide links, or
  ///   `QueryPredicateError`.
  @discardableResult
  public func delete() async throws -> Int {
    let query = try query()
    return try await store.pool.withConnection { connection in
      try await connection.transaction(.writing) { try await query.deleteObjects($0) }
    }
  }

  /// Sets a property of all objects in one transaction.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - keyPath: A property with a single value that is not the primary key.
  /// - Returns: The number of objects.
  /// - Throws: ``PostgresMappingError`` for another property and for a value that PostgreSQL cannot
  ///   hold, or the errors of ``delete()``.
  @discardableResult
  public func setValue<Value>(
    _ value: Value, for keyPath: KeyPath<Element, Value>
  ) async throws -> Int {
    let query = try query()
    let path = DetachedObjects.path(of: keyPath)
    guard let table = query.classes.tables[query.bound.className],
      let stored = DetachedObjects.value(value), let values = try table.assigned(stored, at: path)
    else {
      throw PostgresMappingError(
        subject: "property '\(path)' of class '\(query.bound.className)'",
        reason: "only properties with a single value, and no primary key, can be set")
    }
    return try await store.pool.withConnection { connection in
      try await connection.transaction(.writing) { try await query.setValues(values, $0) }
    }
  }
}
