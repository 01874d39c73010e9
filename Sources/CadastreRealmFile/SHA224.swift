/// The hash function SHA-224 and its HMAC.
///
/// Swift Crypto and Foundation offer no HMAC with SHA-224. Source: FIPS 180-4, RFC 2104.
struct SHA224 {
  /// The size of a hash in bytes.
  static let byteCount = 28
  private static let blockSize = 64

  private var state: [UInt32] = [
    0xC105_9ED8, 0x367C_D507, 0x3070_DD17, 0xF70E_5939, 0xFFC0_0B31, 0x6858_1511, 0x64F9_8FA7,
    0xBEFA_4FA4,
  ]
  private var pending: [UInt8] = []
  private var length = 0

  /// Adds bytes to the message.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length += bytes.count
    var rest = bytes[...]
    if !pending.isEmpty {
      let missing = rest.prefix(Self.blockSize - pending.count)
      pending += missing
      rest = rest.dropFirst(missing.count)
      guard pending.count == Self.blockSize else { return }
      let block = pending
      pending = []
      block.withUnsafeBytes { process($0) }
    }
    while rest.count >= Self.blockSize {
      process(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockSize)))
      rest = rest.dropFirst(Self.blockSize)
    }
    pending += rest
  }

  /// Ends the message and returns its hash.
  mutating func finish() -> [UInt8] {
    let bits = UInt64(length) * 8
    let zeros = (Self.blockSize * 2 - 9 - pending.count) % Self.blockSize
    var padding: [UInt8] = [0x80] + Array(repeating: 0, count: zeros)
    for shift in stride(from: 56, through: 0, by: -8) {
      padding.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    padding.withUnsafeBytes { update($0) }
    return state.prefix(7).flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private mutating func process(_ block: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for index in 0..<16 {
        words[index] = UInt32(
          bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
      }
      for index in 16..<64 {
        let (first, last) = (words[index - 15], words[index - 2])
        let small = Self.rotated(first, 7) ^ Self.rotated(first, 18) ^ first >> 3
        let large = Self.rotated(last, 17) ^ Self.rotated(last, 19) ^ last >> 10
        words[index] = words[index - 16] &+ small &+ words[index - 7] &+ large
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      Self.constants.withUnsafeBufferPointer { constants in
        for index in 0..<64 {
          let sum1 = Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)
          let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
          let sum0 = Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)
          let second = sum0 &+ (a & b ^ a & c ^ b & c)
          (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
      }
      for (index, value) in [a, b, c, d, e, f, g, h].enumerated() {
        state[index] = state[index] &+ value
      }
    }
  }

  private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word >> bits | word << (32 - bits)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = {
    let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
    return primes.map { prime in
      // The integer cube root of prime · 2^96.
      var root: UInt64 = 0
      for bit in stride(from: UInt64(35), through: 0, by: -1) {
        let next = UInt128(root | 1 << bit)
        if next * next * next <= UInt128(prime) << 96 { root |= 1 << bit }
      }
      return UInt32(truncatingIfNeeded: root)
    }
  }()
}

extension SHA224 {
  /// A key for message authentication codes.
  struct AuthenticationKey {
    private let inner: SHA224
    private let outer: SHA224

    /// Creates a key of at most 64 bytes.
    init(_ key: some Collection<UInt8>) {
      let padded = Array(key) + Array(repeating: 0, count: SHA224.blockSize - key.count)
      var (inner, outer) = (SHA224(), SHA224())
      padded.map { $0 ^ 0x36 }.withUnsafeBytes { inner.update($0) }
      padded.map { $0 ^ 0x5C }.withUnsafeBytes { outer.update($0) }
      (self.inner, self.outer) = (inner, outer)
    }

    /// Returns the authentication code of a message.
    func code(_ message: UnsafeRawBufferPointer) -> [UInt8] {
      var (inner, outer) = (inner, outer)
      inner.update(message)
      inner.finish().withUnsafeBytes { outer.update($0) }
      return outer.finish()
    }
  }
}
