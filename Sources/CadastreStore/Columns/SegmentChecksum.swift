/// The checksum of a stored segment: XXH64.
///
/// Source: github.com/Cyan4973/xxHash, `doc/xxhash_spec.md`, version 0.1.1.
enum SegmentChecksum {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5
  )

  /// Returns the checksum of some bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - seed: A number on which the checksum depends too.
  /// - Returns: The checksum.
  static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var offset = 0
    var hash: UInt64
    if bytes.count >= 32 {
      var (first, second) = (seed &+ primes.0 &+ primes.1, seed &+ primes.1)
      var (third, fourth) = (seed, seed &- primes.0)
      while bytes.count - offset >= 32 {
        first = round(first, word(bytes, offset))
        second = round(second, word(bytes, offset + 8))
        third = round(third, word(bytes, offset + 16))
        fourth = round(fourth, word(bytes, offset + 24))
        offset += 32
      }
      hash = rotated(first, 1) &+ rotated(second, 7) &+ rotated(third, 12) &+ rotated(fourth, 18)
      for lane in [first, second, third, fourth] {
        hash = (hash ^ round(0, lane)) &* primes.0 &+ primes.3
      }
    } else {
      hash = seed &+ primes.4
    }
    hash &+= UInt64(bytes.count)
    while bytes.count - offset >= 8 {
      hash = rotated(hash ^ round(0, word(bytes, offset)), 27) &* primes.0 &+ primes.3
      offset += 8
    }
    if bytes.count - offset >= 4 {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = rotated(hash ^ UInt64(half) &* primes.0, 23) &* primes.1 &+ primes.2
      offset += 4
    }
    while offset < bytes.count {
      hash = rotated(hash ^ UInt64(bytes[offset]) &* primes.4, 11) &* primes.0
      offset += 1
    }
    hash = (hash ^ hash >> 33) &* primes.1
    hash = (hash ^ hash >> 29) &* primes.2
    return hash ^ hash >> 32
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotated(lane &+ input &* primes.1, 31) &* primes.0
  }

  @inline(__always)
  private static func rotated(_ number: UInt64, _ bits: UInt64) -> UInt64 {
    number << bits | number >> (64 - bits)
  }
}
