/// A sequential reader of binary data in a file.
final class BinaryInput {
  let file: InputBytes
  /// The number of bytes taken or skipped.
  private(set) var offset = 0
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  /// The maximum number of bytes that can be taken at once.
  static let maximumCount = 64 * 1024

  init(path: String) throws(DatasetError) {
    file = try InputBytes(path: path)
    buffer = .allocate(byteCount: 4 * Self.maximumCount, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Takes the next bytes, which are valid until the next call; nil if the file has fewer.
  func take(_ count: Int) throws(DatasetError) -> UnsafeRawBufferPointer? {
    precondition(count <= Self.maximumCount)
    guard let bytes = try peek(count) else { return nil }
    advance(count)
    return bytes
  }

  /// Returns the next bytes without taking them; they are valid until the next call.
  func peek(_ count: Int) throws(DatasetError) -> UnsafeRawBufferPointer? {
    guard try has(count) else { return nil }
    return UnsafeRawBufferPointer(rebasing: buffer[start..<start + count])
  }

  /// Skips bytes; returns false if the file has fewer.
  func skip(_ count: Int) throws(DatasetError) -> Bool {
    var left = count
    while left > 0 {
      let step = min(left, Self.maximumCount)
      guard try has(step) else { return false }
      advance(step)
      left -= step
    }
    return true
  }

  /// Returns whether the file has at least `count` more bytes.
  func has(_ count: Int) throws(DatasetError) -> Bool {
    guard end - start < count else { return true }
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
    end -= start
    start = 0
    while end < count {
      let read = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
      if read == 0 { return false }
      end += read
    }
    return true
  }

  private func advance(_ count: Int) {
    start += count
    offset += count
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the little-endian integer at an offset in bounds.
  @inline(__always)
  func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type = Number.self
  ) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Returns the big-endian integer at an offset in bounds.
  @inline(__always)
  func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type = Number.self
  ) -> Number {
    Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Returns the little-endian double at an offset in bounds.
  @inline(__always)
  func littleEndianDouble(at offset: Int) -> Double {
    Double(bitPattern: littleEndian(at: offset, as: UInt64.self))
  }
}
