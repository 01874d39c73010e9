import CadastreFormatting

/// A compression that is detected but not supported.
struct Compression {
  /// The name for messages.
  let name: String
  private let command: String
  private let signature: [UInt8]

  /// The number of bytes needed for detection.
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
      // Text may begin with BZh9, but not with the digits of π that follow in bzip2.
      Compression(
        name: "bzip2", command: "bzip2 --decompress --keep",
        signature: Array("BZh".utf8) + [level, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
    }

  private init(name: String, command: String, signature: [UInt8]) {
    self.name = name
    self.command = command
    self.signature = signature
  }

  /// Detects the compression from the first bytes of a file; nil for none.
  init?(signature first: [UInt8]) {
    guard let match = Self.known.first(where: { first.starts(with: $0.signature) }) else {
      return nil
    }
    self = match
  }

  /// Returns the shell command that decompresses a file.
  func decompressionCommand(_ path: String) -> String { "\(command) \(shellQuoted(path))" }
}
