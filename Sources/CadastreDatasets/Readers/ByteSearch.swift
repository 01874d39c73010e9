#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Search of a byte with `memchr` of the C library.
enum ByteSearch {
  /// Returns the offset of the first occurrence of a byte; nil if there is none.
  @inline(__always)
  static func offset(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress, let match = memchr(base, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(match) - UnsafeRawPointer(base)
  }
}
