import CadastreFormatting
import CadastreStore
import Foundation

/// A temporary file with the decompressed content of a file, for formats that need random access.
///
/// The file is removed by `unlink()`, when the instance is released, or by a later run if the
/// process is killed.
final class DecompressedFile {
  /// The path of the temporary file.
  let path: String
  private var folder: TemporaryFolder?

  /// The decompressed size up to which any ratio is accepted.
  private static let freeBytes = 256 << 20
  /// The maximum ratio of decompressed to compressed size of a larger file.
  private static let maximumRatio = 200

  /// Decompresses a file; a file without compression is copied.
  ///
  /// - Parameter source: The path of the file.
  /// - Throws: ``DatasetError`` if the file is invalid or unreasonably large, or the disk is full.
  /// - Complexity: O(n) in the decompressed size, in constant memory.
  init(of source: String) throws(DatasetError) {
    let bytes = try InputBytes(path: source)
    do throws(StoreError) {
      let folder = try TemporaryFolder(in: .disk)
      self.folder = folder
      path = folder.path + "/content"
    } catch {
      throw DatasetError(
        path: source, problem: .unreadable(reason: "cannot decompress it: \(error)"))
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(source, path, errno) }
    defer { close(descriptor) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { piece.deallocate() }
    var total = 0
    while true {
      let count = try bytes.read(into: piece)
      if count == 0 { return }
      total += count
      if Self.isUnreasonable(total, of: bytes.bytesConsumed) {
        throw DatasetError(
          path: source,
          problem: .gzip(
            .tooLarge(
              bytes: total, maximumRatio: Self.maximumRatio,
              command: "gzip --decompress --keep \(shellQuoted(source))")))
      }
      guard CompleteWrite.write(UnsafeRawBufferPointer(rebasing: piece[..<count]), to: descriptor)
      else {
        throw Self.failure(source, path, errno)
      }
    }
  }

  /// Returns whether a decompressed size is unreasonable for a compressed size, as that of a zip bomb.
  static func isUnreasonable(_ bytes: Int, of compressedBytes: Int) -> Bool {
    bytes > freeBytes && bytes / maximumRatio > compressedBytes
  }

  /// Removes the file from its folder; open descriptors stay valid.
  func unlink() { folder = nil }

  private static func failure(
    _ source: String, _ path: String, _ number: Int32
  ) -> DatasetError {
    DatasetError(
      path: source,
      problem: .unreadable(
        reason: "cannot decompress it to \(path): \(String(cString: strerror(number)))"))
  }
}
