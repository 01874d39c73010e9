/// Takes counted stretches of bytes off the front of a file.
final class BinaryInput {
  let file: FileBytes
  /// Bytes taken or skipped so far.
  private(set) var offset = 0
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  /// The longest stretch that can be taken at once.
  static let longestStretch = 64 * 1024

  init(path: String) throws(DatasetError) {
    file = try FileBytes(path: path)
    buffer = .allocate(byteCount: 4 * Self.longestStretch, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// The next bytes, until the next call; nil if the file ends before so many.
  func take(_ count: Int) throws(DatasetError) -> UnsafeRawBufferPointer? {
    precondition(count <= Self.longestStretch)
    guard try has(count) else { return nil }
    defer { advance(count) }
    return UnsafeRawBufferPointer(rebasing: buffer[start..<start + count])
  }

  /// Passes over bytes; false if the file ends before so many.
  func skip(_ count: Int) throws(DatasetError) -> Bool {
    var left = count
    while left > 0 {
      let step = min(left, Self.longestStretch)
      guard try has(step) else { return false }
      advance(step)
      left -= step
    }
    return true
  }

  /// Whether the file goes on for so many bytes.
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
  /// The whole number at an offset, which the bytes must reach.
  @inline(__always)
  func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type = Number.self
  ) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// The whole number at an offset, which the bytes must reach, with its high byte first.
  @inline(__always)
  func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type = Number.self
  ) -> Number {
    Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// The fraction of 64 bits at an offset, which the bytes must reach, with its low byte first.
  @inline(__always)
  func littleEndianDouble(at offset: Int) -> Double {
    Double(bitPattern: littleEndian(at: offset, as: UInt64.self))
  }
}
