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
    let first = try file.lookAhead(Compression.signatureBytes)
    let archive = ZipReader.isZip(first) ? try ZipReader(file) : nil
    if archive == nil, let compression = Compression(signature: first) {
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
