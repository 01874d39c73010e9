/// The part of a file that is held in memory: what is still to be read, and zeros behind it.
///
/// The zeros let a scanner look a few bytes ahead, and stop, without asking where the end is.
final class FileWindow {
  /// How many zeros at least stand behind the bytes of the file.
  static let padding = 16

  /// The file, as it was named by the caller.
  var path: String { file.path }
  /// The size of the file; nil for a pipe.
  var totalBytes: Int? { file.totalBytes }
  /// How much of the file on the disk was needed so far.
  var bytesConsumed: Int { file.bytesConsumed }
  /// How many bytes there are to be read.
  private(set) var count = 0
  /// Where the first byte to be read stands in the file.
  private(set) var offset = 0
  /// Whether the file has nothing more to give.
  private(set) var isAtEnd = false
  /// How many bytes fit in before more memory is needed.
  private(set) var capacity: Int

  private let file: FileBytes
  private let chunkBytes: Int
  private var storage: UnsafeMutablePointer<UInt8>
  private var start = 0

  /// Opens a file, of which nothing is in the window yet.
  init(path: String, chunkBytes: Int) throws(DatasetError) {
    file = try FileBytes(path: path)
    self.chunkBytes = max(chunkBytes, 1)
    capacity = self.chunkBytes
    storage = .allocate(capacity: capacity + Self.padding)
    storage.initialize(repeating: 0, count: capacity + Self.padding)
  }

  deinit {
    storage.deallocate()
  }

  /// The bytes to be read; valid, and the window's, until it is filled or moves on.
  var bytes: UnsafeMutablePointer<UInt8> { storage + start }

  /// The bytes to be read from one offset to another.
  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// Leaves bytes behind.
  func consume(_ count: Int) {
    precondition(count <= self.count, "More is left behind than was in the window.")
    start += count
    offset += count
    self.count -= count
  }

  /// Leaves all bytes behind, and those that were not read yet.
  func close() {
    consume(count)
    isAtEnd = true
  }

  /// Reads on, until some more bytes are there or the file ends.
  ///
  /// - Parameter wanted: How many; a scanner that starts over asks for as many as it has seen, so
  ///   that its work stays linear.
  /// - Throws: What the system says.
  func fill(wanted: Int = 1) throws(DatasetError) {
    let target = count + wanted
    while count < target, !isAtEnd {
      makeRoom()
      let room = min(chunkBytes, capacity - count)
      let read = try file.read(
        into: UnsafeMutableRawBufferPointer(start: storage + count, count: room))
      count += read
      isAtEnd = read == 0
      (storage + count).update(repeating: 0, count: Self.padding)
    }
  }

  /// Moves the bytes to the front, into twice the memory if half of it is not enough.
  private func makeRoom() {
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

// Not Sendable: every call moves its place in the file.
@available(*, unavailable)
extension FileWindow: Sendable {}
