import Cadastre
import CadastreModel
import Foundation
import Testing

/// One store that is opened by one release after the other.
final class Releases {
  let folder: TestFolder
  let url: URL

  init() throws {
    folder = try TestFolder()
    url = folder.url("releases.cadastre")
  }

  func configuration(
    _ version: UInt64, _ types: [ObjectBase.Type], _ block: ThrowingMigrationBlock? = nil
  ) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: url, schemaVersion: version, migrationBlock: block, objectTypes: types)
  }

  /// Opens the store as a release, and closes it.
  ///
  /// - Parameters:
  ///   - version: The version of the schema.
  ///   - types: The classes.
  ///   - block: The migration block.
  ///   - body: Gets the open Realm.
  /// - Throws: The error of opening, or of the body.
  func open(
    _ version: UInt64, _ types: [ObjectBase.Type], _ block: ThrowingMigrationBlock? = nil,
    _ body: (Realm) throws -> Void
  ) throws {
    try body(try Realm(configuration: configuration(version, types, block)))
    #expect(try problems(url) == [])
  }

  /// Opens the store as a release that adds objects.
  func write(_ version: UInt64, _ types: [ObjectBase.Type], _ body: (Realm) -> Void) throws {
    try open(version, types) { realm in try realm.write { body(realm) } }
  }

  /// The sentence with which the store is refused.
  func refusal(
    _ version: UInt64, _ types: [ObjectBase.Type], _ block: ThrowingMigrationBlock? = nil
  ) throws -> Realm.Error {
    let configuration = configuration(version, types, block)
    return try #require(
      #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) })
  }
}

/// A class of a release: not one of the program.
class ReleaseObject: Object {
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An embedded class of a release: not one of the program.
class ReleaseEmbedded: EmbeddedObject {
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
