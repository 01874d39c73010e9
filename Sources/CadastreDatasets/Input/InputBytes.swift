import CadastreFormatting

/// A reader of decompressed data.
protocol Decompressor: AnyObject {
  /// The number of bytes that were read from the file and not decompressed yet.
  var unusedBytes: Int { get }

  /// Reads decompressed bytes into a buffer and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int
}

/// A sequential reader of a file, which decompresses gzip and KMZ.
///
/// Other compressions throw an error with the command that decompresses them. Memory is bounded for
/// all files.
final class InputBytes {
  /// The file, as named by the caller.
  var path: String { file.path }
  /// The size of a regular file on disk when it was opened; nil for pipes and devices.
  var totalBytes: Int? { file.totalBytes }
  /// Whether the bytes are decompressed ones, which may be more than those of the file.
  var isCompressed: Bool { decompressor != nil }
  /// The number of bytes of the file on disk that have been used.
  var bytesConsumed: Int { file.bytesRead - (decompressor?.unusedBytes ?? 0) }

  private let file: OpenFile
  private let decompressor: (any Decompressor)?

  /// Opens a file for reading.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: ``DatasetError`` if it cannot be read or has another compression.
  init(path: String) throws(DatasetError) {
    let file = try OpenFile(path: path)
    let first = try file.lookAhead(UnsupportedCompression.signatureBytes)
    let archive = ZipReader.isZip(first) ? try ZipReader(file) : nil
    if archive == nil, let compression = UnsupportedCompression(signature: first) {
      throw DatasetError(
        path: path,
        problem: .gzip(
          .otherCompression(
            name: compression.name, command: compression.decompressionCommand(path))))
    }
    self.file = file
    decompressor = GzipReader.isGzip(first) ? try GzipReader(file) : archive
  }

  /// Reads available bytes into a buffer.
  ///
  /// - Parameter buffer: The memory to fill.
  /// - Returns: The number of bytes read; 0 at the end of the file.
  /// - Throws: ``DatasetError`` if reading or decompressing fails.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    if let decompressor { return try decompressor.read(into: buffer) }
    return try file.read(into: buffer)
  }

  /// Reads the next bytes; fewer than `count` only at the end of the file.
  func read(_ count: Int) throws(DatasetError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    var filled = 0
    while filled < count {
      let step = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if step == 0 { break }
      filled += step
    }
    return Array(buffer[..<filled])
  }
}

/// A compression that is detected but not supported.
struct UnsupportedCompression {
  /// The name for messages.
  let name: String
  private let command: String
  private let signature: [UInt8]

  /// The number of bytes needed for detection.
  static let signatureBytes = 10

  private static let all: [UnsupportedCompression] =
    [
      UnsupportedCompression(
        name: "a zip archive", command: "unzip", signature: [0x50, 0x4B, 0x03, 0x04]),
      UnsupportedCompression(
        name: "a zip archive", command: "unzip", signature: [0x50, 0x4B, 0x05, 0x06]),
      UnsupportedCompression(
        name: "xz", command: "xz --decompress --keep",
        signature: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
      UnsupportedCompression(
        name: "zstd", command: "zstd --decompress", signature: [0x28, 0xB5, 0x2F, 0xFD]),
    ]
    + (UInt8(ascii: "1")...UInt8(ascii: "9")).map { level in
      // Text may begin with BZh9, but not with the digits of π that follow in bzip2.
      UnsupportedCompression(
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
    guard let match = Self.all.first(where: { first.starts(with: $0.signature) }) else {
      return nil
    }
    self = match
  }

  /// Returns the shell command that decompresses a file.
  func decompressionCommand(_ path: String) -> String { "\(command) \(shellQuoted(path))" }
}
