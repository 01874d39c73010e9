import Cadastre
import Foundation

/// Opens a Realm in memory that no other test shares.
func openRealm(_ types: ObjectBase.Type...) throws -> Realm {
  try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: types))
}

/// Runs a block with a new folder, and removes the folder.
func withTemporaryFolder<Result>(_ block: (URL) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try block(folder)
}
