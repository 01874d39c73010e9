import CadastreFormatting

/// Compressions that are known by their first bytes and are not read here.
struct Compression {
  /// The name, as it follows "looks like".
  let name: String
  private let command: String
  private let signature: [UInt8]

  /// How many bytes of a file tell.
  static let signatureBytes = 10

  private static let known =
    [
      Compression(name: "a zip archive", command: "unzip", signature: [0x50, 0x4B, 0x03, 0x04]),
      Compression(name: "a zip archive", command: "unzip", signature: [0x50, 0x4B, 0x05, 0x06]),
      Compression(
        name: "xz", command: "xz --decompress --keep",
        signature: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
      Compression(
        name: "zstd", command: "zstd --decompress", signature: [0x28, 0xB5, 0x2F, 0xFD]),
    ]
    + (UInt8(ascii: "1")...UInt8(ascii: "9")).map { level in
      // A table may begin with BZh9; not with the digits of π that open a block after it.
      Compression(
        name: "bzip2", command: "bzip2 --decompress --keep",
        signature: Array("BZh".utf8) + [level, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
    }

  private init(name: String, command: String, signature: [UInt8]) {
    self.name = name
    self.command = command
    self.signature = signature
  }

  /// The compression that begins with some bytes; nil if none of these does.
  init?(signature first: [UInt8]) {
    guard let found = Self.known.first(where: { first.starts(with: $0.signature) }) else {
      return nil
    }
    self = found
  }

  /// The command for the shell that unpacks a file.
  func unpackingCommand(_ path: String) -> String { "\(command) \(shellQuoted(path))" }
}
