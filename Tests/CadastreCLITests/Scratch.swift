import Foundation

/// A folder for the files of one test, removed with it.
final class Scratch: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("cadastre-cli-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of a file that need not be there.
  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes a file of text.
  @discardableResult
  func file(_ name: String, _ text: String) throws -> URL {
    try file(name, Data(text.utf8))
  }

  /// Writes a file.
  @discardableResult
  func file(_ name: String, _ data: Data) throws -> URL {
    let file = url.appendingPathComponent(name)
    try data.write(to: file)
    return file
  }

  /// The path of a new file of text.
  func csv(_ text: String, _ name: String = "table.csv") throws -> String {
    try file(name, text).path
  }

  /// The path of a new copy of the store of airports.
  func airportsStore(_ name: String = "airports.cadastre") throws -> String {
    try FileManager.default.copyItem(atPath: try Airports.store(), toPath: path(name))
    return path(name)
  }

  /// The bytes of a file.
  func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: url.appendingPathComponent(name))
  }

  /// The names of all files.
  var names: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [])
  }
}
