package import CadastreRealmFile
import CadastreStore

/// A store with the content of a Realm file, which is deleted when it is released.
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
