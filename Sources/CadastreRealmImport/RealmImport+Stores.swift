import CadastreStore
import Foundation

extension RealmImport {
  /// Imports into the store at a path, in one transaction; creates the store if it does not exist.
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

  /// Imports into a new store, which gets its name only when it is complete.
  ///
  /// - Parameter path: The path of the store, which must not exist.
  /// - Returns: The numbers of objects.
  /// - Throws: ``RealmImportError``, `RealmFileError` or `StoreError`; the reason is `fileExists`
  ///   where the path is taken.
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
