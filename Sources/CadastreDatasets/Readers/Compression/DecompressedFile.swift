import Foundation

/// A temporary file with the decompressed content of a file, for formats that need random access.
///
/// It is removed by `unlink()`, or when the instance is released.
final class DecompressedFile {
  /// The path of the temporary file.
  let path: String

  /// Decompresses a file; a file without compression is copied.
  ///
  /// - Parameter source: The path of the file.
  /// - Throws: ``DatasetError`` if the file is invalid, or the disk is full.
  /// - Complexity: O(n) in the decompressed size, in constant memory.
  init(of source: String) throws(DatasetError) {
    let bytes = try FileBytes(path: source)
    var template = Array((NSTemporaryDirectory() + "/cadastre-decompressed-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    let reason = errno
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard descriptor >= 0 else { throw Self.failure(source, path, reason) }
    defer { close(descriptor) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { piece.deallocate() }
    while true {
      let count = try bytes.read(into: piece)
      if count == 0 { return }
      var written = 0
      while written < count {
        let step = write(descriptor, piece.baseAddress.map { $0 + written }, count - written)
        guard step >= 0 || errno == EINTR else { throw Self.failure(source, path, errno) }
        written += max(step, 0)
      }
    }
  }

  deinit { unlink() }

  /// Removes the file from its folder; open descriptors stay valid.
  func unlink() { Foundation.unlink(path) }

  private static func failure(
    _ source: String, _ path: String, _ number: Int32
  ) -> DatasetError {
    DatasetError(
      path: source,
      problem: .unreadable(
        reason: "cannot decompress it to \(path): \(String(cString: strerror(number)))"))
  }
}
