import CadastreSQLite
import Foundation

/// A file with random access that counts the bytes read.
///
/// The file is closed when the instance is released.
package final class ColumnarFile {
  /// The size of the file in bytes when it was opened.
  package let size: Int
  /// The number of bytes read.
  package private(set) var bytesRead = 0
  private let descriptor: Int32
  private let memory: [UInt8]

  /// Opens a file for reading.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: ``ColumnarError`` if the file cannot be opened.
  package init(path: String) throws(ColumnarError) {
    let descriptor = DatabaseFiles.open(path)
    guard descriptor >= 0 else { throw ColumnarError(.system(errno)) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      DatabaseFiles.close(descriptor)
      throw ColumnarError(.system(number))
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      DatabaseFiles.close(descriptor)
      throw ColumnarError(.directory)
    }
    self.descriptor = descriptor
    size = Int(status.st_size)
    memory = []
  }

  /// Creates a file whose content is in memory.
  package init(bytes: [UInt8]) {
    descriptor = -1
    memory = bytes
    size = bytes.count
  }

  deinit {
    if descriptor >= 0 { DatabaseFiles.close(descriptor) }
  }

  /// Reads the bytes of a range.
  ///
  /// - Parameters:
  ///   - offset: The offset of the first byte.
  ///   - count: The number of bytes.
  /// - Returns: Exactly `count` bytes.
  /// - Throws: ``ColumnarError`` if the range is not in the file or reading fails.
  package func read(at offset: Int, count: Int) throws(ColumnarError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
      throw .corrupt(
        found: "a range of \(count) bytes", expected: "a range in the file of \(size) bytes",
        offset: offset)
    }
    bytesRead += count
    if descriptor < 0 { return Array(memory[offset..<offset + count]) }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let step = pread(
          descriptor, UnsafeMutableRawBufferPointer(buffer).baseAddress?.advanced(by: filled),
          count - filled,
          off_t(offset + filled))
        if step > 0 {
          filled += step
        } else if step == 0 || errno != EINTR {
          failure = step == 0 ? EIO : errno
          return
        }
      }
    }
    guard bytes.count == count else { throw ColumnarError(.system(failure), offset: offset) }
    return bytes
  }
}

// Not Sendable: every call changes the number of bytes read.
@available(*, unavailable)
extension ColumnarFile: Sendable {}
