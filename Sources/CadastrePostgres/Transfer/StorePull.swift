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
  /// - Throws: ``PostgresMappingError``, ``PostgresError`` or `StoreError`.
  package func run(
    in transaction: WriteTransaction, _ connection: PostgresConnection
  ) async throws {
    try adopt(in: transaction)
    let task = PullTask(
      classes: classes, names: names, selections: selections, transaction: transaction,
      snapshot: nil, isReplacing: false, progress: { _, _ in })
    _ = try await connection.transaction(.snapshot) { try await task.run($0) }
  }

  /// Copies the objects into the store at a path, in one transaction; creates the store if it does
  /// not exist.
  ///
  /// Objects that the store has from an earlier copy are updated, inserted and deleted as in the database. Objects
  /// that only the store has changed since stay as they are.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - connection: The connection.
  ///   - replacing: Whether the classes become as in the database, whatever has changed in the store.
  ///   - progress: Called with the class and the number of its objects that were stored.
  /// - Returns: The number of objects of each class.
  /// - Throws: ``PostgresMappingError``, also for what would be lost, ``PostgresError`` or `StoreError`; the store
  ///   is unchanged.
  package func run(
    storeAt path: String, _ connection: PostgresConnection, replacing: Bool = false,
    progress: @escaping (String, Int) -> Void = { _, _ in }
  ) async throws -> [StorePush.Copied] {
    let isNew = !FileManager.default.fileExists(atPath: path)
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    do {
      // No other writer changes the store until the end of the transaction.
      let before = try file.snapshot()
      try adopt(in: transaction)
      let task = PullTask(
        classes: classes, names: names, selections: [:], transaction: transaction,
        snapshot: before, isReplacing: replacing, progress: progress)
      let pulled = try await connection.transaction(.snapshot) { try await task.run($0) }
      let records = try records(of: pulled, in: transaction)
      try transaction.keepCopyRecords(records)
      // Without other changes there is no new version.
      if try transaction.commit().isEmpty { try before.keepCopyRecords(records) }
      return pulled.copied
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

  /// Adds the classes to a store.
  ///
  /// - Throws: ``PostgresMappingError`` if the store has other classes of these names, or `StoreError`.
  private func adopt(in transaction: WriteTransaction) throws {
    do throws(StoreError) {
      try transaction.adopt(schema)
    } catch {
      guard case .schemaMismatch(let conflicts) = error.reason else { throw error }
      throw PostgresMappingError(
        subject: "the store",
        reason:
          "it has other classes of the same names (\(conflicts.joined(separator: "; "))); pull into "
          + "another store")
    }
  }

  /// What the store has in common with the database after the transaction.
  private func records(
    of pulled: PullTask.Pulled, in transaction: WriteTransaction
  ) throws -> [CopyRecord] {
    var records: [CopyRecord] = []
    for (name, remote) in pulled.remote {
      guard let table = classes.tables[name], let layout = transaction.catalogue.layout(name) else {
        continue
      }
      let local = try StoreRows(table, layout, transaction, keys: pulled.keys).hashes()
      let rows = CopiedRows(remote, local, keeping: pulled.kept[name] ?? [:])
      records.append(
        CopyRecord(
          className: name, name: classes.recordName(of: name),
          content: rows.data(form: table.form)))
    }
    return records
  }
}
