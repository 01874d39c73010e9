package import CadastreModel
package import CadastrePredicate
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

/// A temporary store with the objects of some queries of a database, for operations that run on a store.
package enum StoreExcerpt {
  /// Copies the objects of queries, and the classes to which their links lead, to a temporary store.
  ///
  /// The objects of a class to which links lead are all copied, and so are those of a query with a part
  /// that PostgreSQL cannot run with the same meaning; the caller runs the queries again on the store.
  /// The store is deleted when its last snapshot is released.
  ///
  /// - Parameters:
  ///   - queries: The queries, each of another class, without limits.
  ///   - classes: The classes of the database.
  ///   - connection: The connection.
  /// - Returns: A snapshot of the store.
  /// - Throws: ``PostgresMappingError``, ``PostgresError`` or `StoreError`.
  package static func read(
    _ queries: [BoundQuery], _ classes: RemoteClasses, _ connection: PostgresConnection
  ) async throws -> Snapshot {
    let (names, targets) = links(from: queries.map(\.className), classes)
    var selections: [String: RemoteQuery] = [:]
    for query in queries where !targets.contains(query.className) {
      var query = RemoteQuery(classes, query)
      query.bound.order = []
      if query.isTranslated { selections[query.bound.className] = query }
    }
    let pull = try StorePull(classes, names: names.sorted(), only: selections)
    let file = try OpenStores.temporaryStore(UUID().uuidString)
    let transaction = try file.beginWrite()
    do {
      try await pull.run(in: transaction, connection)
      try transaction.commit()
    } catch {
      transaction.rollback()
      throw error
    }
    return try file.snapshot()
  }

  /// A temporary store without objects that has a class and those to which its links lead.
  ///
  /// - Throws: `StoreError`.
  package static func empty(_ className: String, _ classes: RemoteClasses) throws -> Snapshot {
    let file = try OpenStores.temporaryStore(UUID().uuidString)
    try file.prepare(
      for: Schema(classes.schema.classes(links(from: [className], classes).names.sorted())))
    return try file.snapshot()
  }

  /// The names of classes and of those to which their links lead, and the targets of links.
  private static func links(
    from first: [String], _ classes: RemoteClasses
  ) -> (names: Set<String>, targets: Set<String>) {
    var names: Set<String> = []
    var targets: Set<String> = []
    var waiting = first
    while let name = waiting.popLast() {
      guard names.insert(name).inserted else { continue }
      for owner in classes.schema.classes([name]) {
        for property in owner.properties where property.type == .object {
          guard let target = classes.schema.target(of: property), !target.isEmbedded else {
            continue
          }
          targets.insert(target.className)
          waiting.append(target.className)
        }
      }
    }
    return (names, targets)
  }
}

extension Schema {
  /// The classes with some names and the embedded classes of their properties, sorted by name.
  func classes(_ names: [String]) -> [ObjectSchema] {
    var known: [String: ObjectSchema] = [:]
    var waiting = names
    while let name = waiting.popLast() {
      guard known[name] == nil, let owner = self[name] else { continue }
      known[name] = owner
      waiting += owner.properties.compactMap { target(of: $0) }.filter(\.isEmbedded)
        .map(\.className)
    }
    return known.values.sorted { $0.className < $1.className }
  }
}

extension [ObjectSchema] {
  /// Throws an error for a property whose linked or embedded class a schema lacks.
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - reason: The reason, as a clause about the class.
  /// - Throws: ``PostgresMappingError``.
  func requireTargets(
    in schema: Schema, otherwise reason: String
  ) throws(PostgresMappingError) {
    for owner in self {
      for property in owner.properties {
        guard let target = property.objectClassName, schema[target] == nil else { continue }
        throw PostgresMappingError(
          subject: "property '\(property.name)' of class '\(owner.className)'",
          reason: "it links to the class '\(target)', \(reason)")
      }
    }
  }
}
