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
  ///   - selections: The queries of the classes that are copied in part, by class; no links
  ///     refer to these classes.
  /// - Throws: ``PostgresMappingError`` for a missing class, or a link to a class that is not copied.
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

  /// The copied classes, and the embedded classes of their properties.
  package var schema: Schema {
    Schema(classes.schema.classes(names))
  }

  /// Copies the objects into a store without these classes.
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
  /// A store with an earlier copy gets the insertions, updates and deletions of the database since that copy.
  /// Objects that only the store has changed keep their values.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - connection: The connection.
  ///   - replacing: Whether to overwrite all changes of the store.
  ///   - progress: Called with a class and the number of its stored objects.
  /// - Returns: The number of objects of each class.
  /// - Throws: ``PostgresMappingError``, also for changes that would be lost, ``PostgresError`` or `StoreError`; the
  ///   store is unchanged then.
  package func run(
    storeAt path: String, _ connection: PostgresConnection, replacing: Bool = false,
    progress: @escaping (String, Int) -> Void = { _, _ in }
  ) async throws -> [StorePush.Copied] {
    let isNew = !FileManager.default.fileExists(atPath: path)
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    do {
      // The open transaction excludes other writers.
      let before = try file.snapshot()
      try adopt(in: transaction)
      let task = PullTask(
        classes: classes, names: names, selections: [:], transaction: transaction,
        snapshot: before, isReplacing: replacing, progress: progress)
      let pulled = try await connection.transaction(.snapshot) { try await task.run($0) }
      let records = try records(of: pulled, in: transaction)
      try transaction.keepCopyRecords(records)
      // A transaction without changes of objects does not store the records.
      if try transaction.commit().isEmpty { try before.keepCopyRecords(records) }
      return pulled.copied
    } catch {
      // A store that this copy created is removed; the open transaction excludes other writers.
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
  /// - Throws: ``PostgresMappingError`` if the store has different classes with these names, or `StoreError`.
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

  /// Returns the records of the rows that store and database share after the transaction.
  private func records(
    of pulled: PullTask.Pulled, in transaction: WriteTransaction
  ) throws -> [CopyRecord] {
    var records: [CopyRecord] = []
    for (name, remote) in pulled.remote {
      guard let table = classes.tables[name], let layout = transaction.catalogue.layout(name) else {
        continue
      }
      let local = try StoreRows(
        table, layout, try transaction.flush(.everything), keys: pulled.keys
      ).hashes()
      let rows = CopiedRows(remote, local, keeping: pulled.kept[name] ?? [:])
      records.append(
        CopyRecord(
          className: name, name: classes.recordName(of: name),
          content: rows.data(form: table.form)))
    }
    return records
  }
}

/// Temporary stores with objects of a database, for operations that need a store.
package enum StoreExcerpt {
  /// Copies the objects of queries, and the target classes of their links, to a temporary store.
  ///
  /// A target class of links is copied completely, and so is the class of a query without an exact translation to
  /// SQL. The caller runs the queries again on the store, which is deleted with its last snapshot.
  ///
  /// - Parameters:
  ///   - queries: The queries without limits, at most one per class.
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

  /// Creates an empty temporary store with a class and the target classes of its links.
  ///
  /// - Throws: `StoreError`.
  package static func empty(_ className: String, _ classes: RemoteClasses) throws -> Snapshot {
    let file = try OpenStores.temporaryStore(UUID().uuidString)
    try file.prepare(
      for: Schema(classes.schema.classes(links(from: [className], classes).names.sorted())))
    return try file.snapshot()
  }

  /// Returns the names of classes with all classes that links reach, and the target classes of links.
  private static func links(
    from first: [String], _ classes: RemoteClasses
  ) -> (names: Set<String>, targets: Set<String>) {
    var names: Set<String> = []
    var targets: Set<String> = []
    var pending = first
    while let name = pending.popLast() {
      guard names.insert(name).inserted else { continue }
      for owner in classes.schema.classes([name]) {
        for property in owner.properties where property.type == .object {
          guard let target = classes.schema.target(of: property), !target.isEmbedded else {
            continue
          }
          targets.insert(target.className)
          pending.append(target.className)
        }
      }
    }
    return (names, targets)
  }
}

extension Schema {
  /// Returns the classes with some names and the embedded classes of their properties, sorted by name.
  func classes(_ names: [String]) -> [ObjectSchema] {
    var classes: [String: ObjectSchema] = [:]
    var pending = names
    while let name = pending.popLast() {
      guard classes[name] == nil, let owner = self[name] else { continue }
      classes[name] = owner
      pending += owner.properties.compactMap { target(of: $0) }.filter(\.isEmbedded)
        .map(\.className)
    }
    return classes.values.sorted { $0.className < $1.className }
  }
}

extension [ObjectSchema] {
  /// Requires that a schema has the target classes of all properties.
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
