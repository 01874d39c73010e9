#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Search and comparison of bytes with `memchr` and `memcmp` of the C library.
enum ByteSearch {
  /// Returns whether two ranges contain the same bytes.
  @inline(__always)
  static func areEqual(
    _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard first.count == second.count else { return false }
    guard let start = first.baseAddress, let other = second.baseAddress else { return true }
    return memcmp(start, other, first.count) == 0
  }

  /// Returns the offset of the first occurrence of a byte; nil if there is none.
  @inline(__always)
  static func offset(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress, let match = memchr(base, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(match) - UnsafeRawPointer(base)
  }
}
