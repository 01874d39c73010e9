import Cadastre
import Foundation

/// Writes a store with the classes of the first release, and opens it with those of the second.
@main
struct Upgrade {
  static func main() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("contacts.cadastre")

    try writeFirstRelease(url)
    try openWithoutMigration(url)
    try migrate(url)
  }

  private static func writeFirstRelease(_ url: URL) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: url, schemaVersion: 1, objectTypes: [FirstRelease.Contact.self]))
    try realm.write {
      realm.create(FirstRelease.Contact.self, value: [1, "Ada", "Lovelace", -0.1276, 51.5072])
      realm.create(FirstRelease.Contact.self, value: [2, "Emmy", "Noether", 9.9158, 51.5413])
    }
  }

  /// The same version with other classes is an error that names each difference.
  private static func openWithoutMigration(_ url: URL) throws {
    do {
      _ = try Realm(
        configuration: Realm.Configuration(
          fileURL: url, schemaVersion: 1,
          objectTypes: [SecondRelease.Contact.self, SecondRelease.Location.self]))
      stop("the store was opened with classes that differ")
    } catch Realm.Error.schemaMismatch {
      print("The classes differ, and the version is the same: the store stays closed.")
    }
  }

  private static func migrate(_ url: URL) throws {
    let configuration = Realm.Configuration(
      fileURL: url, schemaVersion: 2,
      migrationBlock: { migration, oldVersion in
        guard oldVersion < 2 else { return }
        migration.enumerateObjects(ofType: "Contact") { old, new in
          let first = old?["firstName"] as? String ?? ""
          let last = old?["lastName"] as? String ?? ""
          new?["name"] = "\(first) \(last)"
          new?["location"] = [
            "coordinates": [old?["longitude"] as? Double, old?["latitude"] as? Double]
              .compactMap(\.self)
          ]
        }
      }, objectTypes: [SecondRelease.Contact.self, SecondRelease.Location.self])
    let realm = try Realm(configuration: configuration)
    let contacts = realm.objects(SecondRelease.Contact.self)
    for contact in contacts {
      print(contact.id, contact.name, contact.location.map { Array($0.coordinates) } ?? [])
    }

    guard contacts.map(\.name) == ["Ada Lovelace", "Emmy Noether"] else {
      return stop("the names are not migrated")
    }
    guard let london = GeoPoint(latitude: 51.5, longitude: -0.12),
      let near = Distance.kilometers(50),
      contacts.within(near, of: london).map(\.id) == [1]
    else { return stop("the locations are not migrated, or not indexed") }
    guard try schemaVersionAtURL(url) == 2 else { return stop("the version is not stored") }
  }

  private static func stop(_ message: String) {
    FileHandle.standardError.write(Data("Migration: \(message)\n".utf8))
    exit(1)
  }
}
