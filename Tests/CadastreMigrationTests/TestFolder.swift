import Cadastre
import CadastreStore
import Foundation
import Testing

/// A folder that vanishes with its last user.
final class TestFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/cadastre-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }
}

/// What is wrong with a store.
func problems(_ url: URL) throws -> [String] {
  try StoreCheck(try OpenStores.store(at: url.path).snapshot()).problems()
}
