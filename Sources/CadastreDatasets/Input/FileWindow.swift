/// A sliding window on a file: the next bytes to be scanned, followed by zeros.
///
/// The zeros allow a scanner to look ahead a few bytes without checking for the end.
final class FileWindow {
  /// The minimum number of zeros after the bytes of the file.
  static let padding = 16

  /// The file, as named by the caller.
  var path: String { file.path }
  /// The size of the file; nil for a pipe.
  var totalBytes: Int? { file.totalBytes }
  /// The number of bytes of the file on disk that have been used.
  var bytesConsumed: Int { file.bytesConsumed }
  /// The number of bytes in the window.
  private(set) var count = 0
  /// The offset of the window in the decompressed file.
  private(set) var offset = 0
  /// Whether the end of the file has been read.
  private(set) var isAtEnd = false
  /// The number of bytes that the memory of the window can contain.
  private(set) var capacity: Int

  private let file: InputBytes
  private let chunkBytes: Int
  private var storage: UnsafeMutablePointer<UInt8>
  private var start = 0

  /// Opens a file; the window is empty.
  init(path: String, chunkBytes: Int) throws(DatasetError) {
    file = try InputBytes(path: path)
    self.chunkBytes = max(chunkBytes, 1)
    capacity = self.chunkBytes
    storage = .allocate(capacity: capacity + Self.padding)
    storage.initialize(repeating: 0, count: capacity + Self.padding)
  }

  deinit {
    storage.deallocate()
  }

  /// The bytes of the window; valid until the next call of `fill`, `consume` or `close`.
  var bytes: UnsafeMutablePointer<UInt8> { storage + start }

  /// Returns a range of the window.
  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// Moves the window forward by `count` bytes.
  func consume(_ count: Int) {
    precondition(count <= self.count, "\(count) bytes consumed, but the window has \(self.count)")
    start += count
    offset += count
    self.count -= count
  }

  /// Moves to the end of the file.
  func close() {
    consume(count)
    isAtEnd = true
  }

  /// Extends the window until it has `additional` more bytes or the file ends.
  ///
  /// - Parameter additional: The number of bytes; a scanner that restarts requests as many as it has
  ///   scanned, so that its total work is linear.
  /// - Throws: ``DatasetError`` if reading fails.
  func fill(additional: Int = 1) throws(DatasetError) {
    let target = count + additional
    while count < target, !isAtEnd {
      reserveSpace()
      let free = min(chunkBytes, capacity - count)
      let read = try file.read(
        into: UnsafeMutableRawBufferPointer(start: storage + count, count: free))
      count += read
      isAtEnd = read == 0
      (storage + count).update(repeating: 0, count: Self.padding)
    }
  }

  /// Moves the bytes to the start of the memory, which is doubled if it is full.
  private func reserveSpace() {
    if count < capacity {
      if start > 0 { storage.update(from: storage + start, count: count) }
    } else {
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * capacity + Self.padding)
      larger.initialize(repeating: 0, count: 2 * capacity + Self.padding)
      larger.update(from: storage + start, count: count)
      storage.deallocate()
      storage = larger
      capacity *= 2
    }
    start = 0
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension FileWindow: Sendable {}
