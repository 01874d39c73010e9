import ArgumentParser
import CadastreRealmFile
import Foundation

/// The option of all subcommands that read Realm files.
struct RealmKeyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The key of an encrypted Realm file: 64 bytes, or 128 hexadecimal digits.",
      valueName: "FILE"), completion: .file())
  var keyFile: String?

  /// Opens a path as a Realm file; returns nil if it is none.
  ///
  /// - Throws: `RealmFileError`, or an error of the file of the key.
  func file(_ path: String) throws -> RealmFile? {
    guard keyFile != nil || RealmFile.isRealmFile(path) || path.hasSuffix(".realm") else {
      return nil
    }
    return try RealmFile(path: path, key: keyFile.map(Self.key))
  }

  /// Returns the bytes in a file, decoded if they are hexadecimal digits.
  ///
  /// Of a longer file so many bytes are read that the length of the key is wrong.
  private static func key(_ path: String) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    let bytes = [UInt8](try file.read(upToCount: 256) ?? Data())
    let digits = String(decoding: bytes, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard digits.utf8.count == 128 else { return bytes }
    let pairs = stride(from: 0, to: 128, by: 2).map { start in
      UInt8(
        String(decoding: Array(digits.utf8)[start..<(start + 2)], as: UTF8.self), radix: 16)
    }
    return pairs.contains(nil) ? bytes : pairs.compactMap { $0 }
  }
}
