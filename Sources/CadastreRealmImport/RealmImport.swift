import CadastreModel
package import CadastreRealmFile
package import CadastreStore
import Foundation

/// An import of the classes of a Realm file into a store.
///
///     let file = try RealmFile(path: "app.realm")
///     let report = try RealmImport(RealmClasses(file), file).run(in: transaction)
package struct RealmImport {
  /// The progress of an import.
  package struct Progress: Sendable {
    /// The class whose objects are stored.
    package let className: String
    /// The number of objects that were stored, without embedded ones.
    package let objects: Int
    /// The number of objects to store, without embedded ones.
    package let total: Int
  }

  private let classes: RealmClasses
  private let file: RealmFile

  /// Creates an import of classes of a file.
  package init(_ classes: RealmClasses, _ file: RealmFile) {
    self.classes = classes
    self.file = file
  }

  /// Stores all objects of the classes, and the version of the schema if the store was empty.
  ///
  /// Links keep their targets: the classes are new in the store, so their objects are numbered in
  /// the order of the file.
  ///
  /// - Parameters:
  ///   - transaction: The transaction, which the caller commits.
  ///   - progress: Called after each batch of objects.
  /// - Returns: The numbers of objects.
  /// - Throws: ``RealmImportError``, `RealmFileError` or `StoreError`; the caller rolls back.
  /// - Complexity: O(n log n) in the number of objects; the memory does not depend on it.
  package func run(
    in transaction: WriteTransaction, progress: (Progress) -> Void = { _ in }
  ) throws -> RealmImportReport {
    let isEmpty = transaction.catalogue.schema.objectSchema.isEmpty
    try refuseExisting(transaction.catalogue.schema)
    try transaction.adopt(classes.schema)
    for schema in classes.schema.objectSchema {
      try transaction.suspendIndexes(of: schema.className)
    }
    var report = RealmImportReport()
    report.asymmetric = classes.asymmetric
    report.schemaVersion = file.schemaVersion
    let state = RealmConversion(classes, transaction.catalogue, try file.pass())
    let objects = try content(state, &report)
    let total = objects.reduce(0) { $0 + $1.objects.count }
    var count = 0
    for (className, objects) in objects {
      try store(className, objects, state, transaction) { stored in
        count += stored
        progress(Progress(className: className, objects: count, total: total))
      }
    }
    report.unownedCounts = state.unowned
    for (name, number) in state.unowned { report.objectCounts[name, default: 0] -= number }
    report.danglingCounts = state.links.dangling
    try file.requireUnchanged()
    if isEmpty, let version = file.schemaVersion { try transaction.setSchemaVersion(version) }
    return report
  }

  private func refuseExisting(_ stored: Schema) throws {
    let names = classes.schema.objectSchema.map(\.className).filter { stored[$0] != nil }
    guard names.isEmpty else {
      throw RealmImportError(
        "the store has classes of the same name as the file: \(names.joined(separator: ", ")); "
          + "import into another store, or select other classes")
    }
  }

  /// Opens the objects of all classes, and returns the objects of top-level classes.
  private func content(
    _ state: RealmConversion, _ report: inout RealmImportReport
  ) throws -> [(className: String, objects: RealmFileObjects)] {
    var result: [(className: String, objects: RealmFileObjects)] = []
    for schema in classes.schema.objectSchema {
      guard let table = classes.tables[schema.className] else { continue }
      let objects = try file.objects(of: table)
      report.objectCounts[schema.className] = objects.count
      if schema.isEmbedded {
        state.addEmbedded(schema.className, objects)
      } else {
        state.links.add(schema.className, objects)
        result.append((schema.className, objects))
      }
    }
    return result
  }

  private func store(
    _ className: String, _ objects: RealmFileObjects, _ state: RealmConversion,
    _ transaction: WriteTransaction, _ stored: (Int) -> Void
  ) throws {
    guard let layout = transaction.catalogue.layout(className) else {
      throw RealmImportError("class '\(className)' has no table")
    }
    let converter = try state.converter(table: className)
    let writer = RowWriter(
      transaction, layout, properties: Array(layout.schema.properties.indices))
    for index in 0..<objects.clusterCount {
      let cluster = try objects.cluster(index)
      for row in 0..<cluster.count {
        let key = try writer.insert(try converter.row(cluster, row))
        guard key.rawValue == Int64(cluster.start + row) + 1 else {
          throw RealmImportError(
            "class '\(className)' had objects before; import into another store")
        }
      }
      stored(cluster.count)
    }
  }
}

// MARK: - Stores

extension RealmImport {
  /// Imports into the store at a path in one transaction, and creates the store if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - isDryRun: Whether to read and convert all objects and store nothing.
  ///   - progress: Called after each batch of objects.
  /// - Returns: The numbers of objects.
  /// - Throws: ``RealmImportError``, `RealmFileError` or `StoreError`; the store is unchanged.
  package func run(
    storeAt path: String, isDryRun: Bool = false, progress: (Progress) -> Void = { _ in }
  ) throws -> RealmImportReport {
    let isNew = !FileManager.default.fileExists(atPath: path)
    let folder = isNew && isDryRun ? try TemporaryFolder(in: .disk) : nil
    defer { withExtendedLifetime(folder) {} }
    let path = folder.map { $0.path + "/dry-run.cadastre" } ?? path
    let transaction = try OpenStores.store(at: path).beginWrite()
    do {
      let report = try run(in: transaction, progress: progress)
      if isDryRun { transaction.rollback() } else { try transaction.commit() }
      return report
    } catch {
      // A store created for this import is removed; the open transaction excludes other writers.
      if isNew, transaction.version == 1 {
        for suffix in StoreFile.fileSuffixes { unlink(path + suffix) }
      }
      transaction.rollback()
      throw error
    }
  }

  /// Imports into a new store, which appears at the path when it is complete.
  ///
  /// - Parameter path: The path of the store, which must not exist.
  /// - Returns: The numbers of objects.
  /// - Throws: ``RealmImportError``, `RealmFileError` or `StoreError`; the reason is `fileExists`
  ///   if there is a file at the path.
  package func write(newStoreAt path: String) throws -> RealmImportReport {
    let folder = try TemporaryFolder(in: .disk)
    let temporary = try OpenStores.store(at: folder.path + "/import.cadastre")
    let transaction = try temporary.beginWrite()
    let report: RealmImportReport
    do {
      report = try run(in: transaction)
      try transaction.commit()
    } catch {
      transaction.rollback()
      throw error
    }
    try StoreCopy(of: try temporary.snapshot()).write(to: path)
    return report
  }
}

/// A temporary store with the content of a Realm file; the store is deleted when this object is released.
package final class TemporaryRealmStore {
  /// The path of the store.
  package let path: String
  private let folder: TemporaryFolder

  /// Imports all classes of a file.
  ///
  /// - Throws: ``RealmImportError``, `RealmFileError` or `StoreError`.
  /// - Complexity: O(n log n) in the number of objects.
  package init(_ file: RealmFile) throws {
    folder = try TemporaryFolder(in: .disk)
    path = folder.path + "/realm.cadastre"
    _ = try RealmImport(RealmClasses(file), file).run(storeAt: path)
  }
}
