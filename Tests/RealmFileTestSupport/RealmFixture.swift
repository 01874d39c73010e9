import CZlib
import Foundation

/// A Realm file with its exact content as JSON.
///
/// The files were written by realm-core 14.14 and the JSON was made through its API.
package struct RealmFixture: Sendable, CustomStringConvertible {
  /// The name of the file without its extension.
  package let name: String

  /// The names of all fixtures.
  package static let names = [
    "collections", "deep", "empty-new", "empty-notables", "empty-schema", "encrypted", "geo",
    "large", "links", "objectstore", "spread", "tiny", "types", "versions",
  ]

  /// All fixtures.
  package static let all = names.map(RealmFixture.init)

  /// The key of the encrypted fixture.
  package static let key = (0..<64).map { UInt8((3 * $0 + 1) % 256) }

  /// Creates a reference to the fixture with a name.
  package init(_ name: String) { self.name = name }

  /// The name.
  package var description: String { name }

  /// The key of the file; nil if it is not encrypted.
  package var key: [UInt8]? { name == "encrypted" ? Self.key : nil }

  /// Returns the bytes of the file.
  package func bytes() throws -> [UInt8] { try content("realm") }

  /// Returns the expected content of the file.
  package func expectedContent() throws -> ExpectedContent {
    try ExpectedContent(Data(content("json")))
  }

  private func content(_ suffix: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("CadastreRealmFileTests/Fixtures")
    let plain = folder.appendingPathComponent("\(name).\(suffix)").path
    let path = FileManager.default.fileExists(atPath: plain) ? plain : plain + ".gz"
    // zlib also reads files that are not compressed.
    guard let file = gzopen(path, "rb") else { throw CocoaError(.fileNoSuchFile) }
    defer { gzclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Int(gzread(file, &buffer, UInt32(buffer.count)))
      guard count >= 0 else { throw CocoaError(.fileReadCorruptFile) }
      if count == 0 { return bytes }
      bytes += buffer.prefix(count)
    }
  }

  /// Calls a closure with the path of a temporary copy of the file.
  package func withFile<Result>(_ body: (String) throws -> Result) throws -> Result {
    try Self.withFile(bytes(), body)
  }

  /// Calls a closure with the path of a temporary file with bytes.
  package static func withFile<Result>(
    _ bytes: [UInt8], _ body: (String) throws -> Result
  ) throws -> Result {
    let path = NSTemporaryDirectory() + "cadastre-\(UUID().uuidString).realm"
    defer { unlink(path) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try body(path)
  }
}
