import Foundation

/// A folder for the files of one test; removed when the instance is deinitialised.
final class Scratch: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("cadastre-cli-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Returns the path of a file, which may not exist.
  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes a text file and returns its URL.
  @discardableResult
  func file(_ name: String, _ text: String) throws -> URL {
    try file(name, Data(text.utf8))
  }

  /// Writes a file and returns its URL.
  @discardableResult
  func file(_ name: String, _ data: Data) throws -> URL {
    let file = url.appendingPathComponent(name)
    try data.write(to: file)
    return file
  }

  /// Writes a text file and returns its path.
  func csv(_ text: String, _ name: String = "table.csv") throws -> String {
    try file(name, text).path
  }

  /// Copies a store, by default the store of all airports, and returns the path of the copy.
  func airportsStore(
    _ name: String = "airports.cadastre", from store: String? = nil
  ) throws -> String {
    try FileManager.default.copyItem(atPath: try store ?? Airports.store(), toPath: path(name))
    return path(name)
  }

  /// Returns the bytes of a file.
  func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: url.appendingPathComponent(name))
  }

  /// The names of all files in the folder.
  var names: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [])
  }
}
