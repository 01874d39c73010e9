/// The copies of the texts and blobs that are bound to a statement, in memory that the statement owns.
///
/// SQLite would allocate memory for each copy: of rows with two texts, the insertion takes a quarter less time without.
final class BoundBytes {
  private let memory: UnsafeMutableRawBufferPointer
  private var used = 0
  /// Whether all values since the last `removeAll()` had room.
  private(set) var isComplete = true

  /// Allocates memory.
  ///
  /// - Parameter capacity: The number of bytes.
  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 1)
  }

  deinit { memory.deallocate() }

  /// Copies bytes.
  ///
  /// - Parameter bytes: The bytes; at least one.
  /// - Returns: The copy, which is valid until `removeAll()`; nil where there is no room.
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    guard isComplete, bytes.count <= memory.count - used else {
      isComplete = false
      return nil
    }
    let copy = UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + bytes.count])
    copy.copyMemory(from: bytes)
    used += bytes.count
    return UnsafeRawPointer(copy.baseAddress)
  }

  /// Makes room for new values.
  func removeAll() {
    used = 0
    isComplete = true
  }
}
