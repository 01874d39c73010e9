import CadastreSQLite
import Foundation

/// A temporary file without a name, which the system removes when it is closed or the process ends.
final class UnnamedFile {
  /// The file for which this one is needed; errors name it.
  private let path: String
  private let descriptor: Int32
  /// The size in bytes.
  private(set) var size = 0

  /// Creates an empty file on the disk of another file.
  ///
  /// - Parameter path: The other file; its folder must be writable.
  /// - Throws: ``StoreError`` when the file cannot be created.
  init(beside path: String) throws(StoreError) {
    self.path = path
    let folder: TemporaryFolder
    do throws(StoreError) {
      folder = try TemporaryFolder(in: .folder(path.parentFolder))
    } catch {
      throw StoreError(error.reason, path: path)
    }
    // The descriptor stays valid after the folder is removed.
    descriptor = withExtendedLifetime(folder) {
      open(folder.path + "/content", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw StoreError(systemError: errno, path: path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends bytes.
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: ``StoreError``, for example on a full disk.
  func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    try transfer(bytes.count, at: size) { done, offset in
      pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset)
    }
    size += bytes.count
  }

  /// Reads bytes.
  ///
  /// - Parameters:
  ///   - bytes: The memory to fill.
  ///   - offset: The offset of the first byte in the file; the file must have enough bytes after it.
  /// - Throws: ``StoreError``.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(StoreError) {
    try transfer(bytes.count, at: offset) { done, offset in
      pread(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset)
    }
  }

  /// Repeats a call of the system until all bytes are transferred.
  private func transfer(
    _ count: Int, at offset: Int, _ call: (_ done: Int, _ offset: off_t) -> Int
  ) throws(StoreError) {
    var done = 0
    while done < count {
      let transferred = call(done, off_t(offset + done))
      if transferred < 0, errno == EINTR { continue }
      guard transferred > 0 else {
        // The file is shorter than it was written.
        throw StoreError(systemError: transferred < 0 ? errno : EIO, path: path)
      }
      done += transferred
    }
  }
}
