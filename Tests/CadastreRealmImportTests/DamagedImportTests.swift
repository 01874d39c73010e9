import Cadastre
import CadastreStore
import CadastreTestSupport
import Foundation
import RealmFileTestSupport
import Testing

struct DamagedImportTests {
  @Test(
    "an import of damaged bytes is a store or an error without a store",
    arguments: ["collections", "links", "objectstore", "tiny"], Seeds.usual(1...1))
  func damaged(_ name: String, seed: UInt64) throws {
    let bytes = try RealmFixture(name).bytes()
    for round in 0..<UInt64(25) {
      var generator = SeededGenerator(seed: seed << 32 | round)
      var copy = bytes
      for _ in 0...generator.below(4) { generator.damage(&copy) }
      try RealmFixture.withFile(copy) { path in
        let store = path + ".cadastre"
        defer { for suffix in StoreFile.fileSuffixes { unlink(store + suffix) } }
        let configuration = Realm.Configuration(
          fileURL: URL(fileURLWithPath: store), objectTypes: [])
        do {
          try Realm.importRealmFile(at: URL(fileURLWithPath: path), into: configuration)
          #expect(Realm.fileExists(for: configuration))
        } catch let error as Realm.Error {
          #expect(!error.description.isEmpty)
          #expect(!Realm.fileExists(for: configuration), "\(name), seed \(seed), round \(round)")
        }
      }
    }
  }
}
