import Foundation

/// The hash of files in manifests.
///
/// Source: FIPS 180-4, section 6.2.
enum SHA256 {
  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = primes(64).map { fraction(cbrt(Double($0))) }

  /// Returns the hash in hexadecimal digits.
  static func hex(_ data: Data) -> String {
    // The first 32 bits of the fractions of the square roots of the first eight primes.
    var state = primes(8).map { fraction(Double($0).squareRoot()) }
    var bytes = [UInt8](data)
    bytes.append(0x80)
    while bytes.count % 64 != 56 { bytes.append(0) }
    withUnsafeBytes(of: UInt64(data.count * 8).bigEndian) { bytes.append(contentsOf: $0) }
    bytes.withUnsafeBytes { raw in
      var words = [UInt32](repeating: 0, count: 64)
      for block in stride(from: 0, to: raw.count, by: 64) {
        for index in 0..<16 {
          let word = raw.loadUnaligned(fromByteOffset: block + 4 * index, as: UInt32.self)
          words[index] = UInt32(bigEndian: word)
        }
        mix(&state, &words)
      }
    }
    return state.map { String(format: "%08x", $0) }.joined()
  }

  private static func mix(_ state: inout [UInt32], _ words: inout [UInt32]) {
    for index in 16..<64 {
      let (a, b) = (words[index - 15], words[index - 2])
      words[index] =
        words[index - 16] &+ (turned(a, 7) ^ turned(a, 18) ^ a >> 3)
        &+ words[index - 7] &+ (turned(b, 17) ^ turned(b, 19) ^ b >> 10)
    }
    var v = state
    for index in 0..<64 {
      let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
      let first =
        v[7] &+ (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) &+ choice
        &+ constants[index] &+ words[index]
      let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
      let second = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) &+ majority
      v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
    }
    for index in 0..<8 { state[index] &+= v[index] }
  }

  private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word >> bits | word << (32 - bits)
  }

  private static func fraction(_ root: Double) -> UInt32 {
    UInt32((root - root.rounded(.down)) * 4_294_967_296)
  }

  private static func primes(_ count: Int) -> [Int] {
    Array((2...400).filter { number in !(2..<number).contains { number % $0 == 0 } }.prefix(count))
  }
}
