import Foundation

/// The content of a gzipped file in a temporary file, for formats that are not read from start to end.
///
/// It is removed when the last reference to it goes away, or by `unlink()` once it is open.
final class UnpackedFile {
  /// The temporary file.
  let path: String

  /// Unpacks a file; one that is not compressed is copied.
  ///
  /// - Throws: What is wrong with the file, or that there is no room for what it unpacks to.
  /// - Complexity: O(n) in the bytes that it unpacks to; memory is the same for all.
  init(unpacking source: String) throws(DatasetError) {
    let bytes = try FileBytes(path: source)
    var template = Array((NSTemporaryDirectory() + "/cadastre-unpacked-XXXXXX").utf8CString)
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

  /// Takes the file out of its folder; whoever has it open goes on reading it.
  func unlink() { Foundation.unlink(path) }

  private static func failure(
    _ source: String, _ path: String, _ number: Int32
  ) -> DatasetError {
    DatasetError(
      path: source,
      problem: .unreadable(
        reason: "cannot unpack it to \(path): \(String(cString: strerror(number)))"))
  }
}
