/// The content of a file, read from start to end in pieces; what is gzipped is unpacked on the way.
///
/// Other compressions are refused with the command that unpacks them. Memory is the same for any
/// file, whatever it unpacks to.
final class FileBytes {
  /// The file, as it was named by the caller.
  var path: String { file.path }
  /// The size of a regular file on the disk when it was opened; nil for pipes and devices.
  var totalBytes: Int? { file.totalBytes }
  /// How much of the file on the disk was needed so far.
  var bytesConsumed: Int { file.bytesRead - (unpacker?.unusedBytes ?? 0) }

  private let file: OpenFile
  private let unpacker: GzipReader?

  /// Opens a file for reading.
  ///
  /// - Throws: Why it cannot be read, or how it is compressed.
  init(path: String) throws(DatasetError) {
    let file = try OpenFile(path: path)
    let first = try file.lookAhead(Compression.signatureBytes)
    if let compression = Compression(signature: first) {
      throw DatasetError(
        path: path,
        problem: .gzip(
          .otherCompression(
            name: compression.name, command: compression.unpackingCommand(path))))
    }
    self.file = file
    unpacker = GzipReader.isGzip(first) ? try GzipReader(file) : nil
  }

  /// Fills a buffer as far as the file gives; 0 is the end.
  ///
  /// - Throws: That the system refused, or what is wrong with the compressed data.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    if let unpacker { return try unpacker.read(into: buffer) }
    return try file.read(into: buffer)
  }
}
