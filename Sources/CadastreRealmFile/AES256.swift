/// Decryption with AES-256 in CBC mode.
///
/// The time of a decryption depends on the data, which is acceptable for an import: the program that
/// runs it has the key of the file. Source: FIPS 197, section 5.3.5 (the equivalent inverse cipher).
struct AES256 {
  private static let rounds = 14
  /// The size of a block in bytes.
  static let blockSize = 16

  /// The round keys for decryption, in the order of their use.
  private let keys: [UInt32]

  /// Creates a cipher with a key of 32 bytes.
  init(key: some Collection<UInt8>) {
    precondition(key.count == 32)
    let bytes = Array(key)
    var words = stride(from: 0, to: 32, by: 4).map { start in
      bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    var constant: UInt8 = 1
    for index in 8..<(4 * (Self.rounds + 1)) {
      var word = words[index - 1]
      if index % 8 == 0 {
        word = Self.substituted(word << 8 | word >> 24) ^ UInt32(constant) << 24
        constant = Tables.double(constant)
      } else if index % 8 == 4 {
        word = Self.substituted(word)
      }
      words.append(words[index - 8] ^ word)
    }
    var keys: [UInt32] = []
    for round in stride(from: Self.rounds, through: 0, by: -1) {
      let part = words[(round * 4)..<(round * 4 + 4)]
      keys += round == 0 || round == Self.rounds ? Array(part) : part.map(Self.mixed)
    }
    self.keys = keys
  }

  /// Decrypts whole blocks.
  ///
  /// - Parameters:
  ///   - source: The ciphertext; a multiple of 16 bytes.
  ///   - vector: The 16 bytes of the initialisation vector.
  ///   - destination: Receives as many bytes as `source` has.
  func decrypt(
    _ source: UnsafeRawBufferPointer, vector: [UInt8],
    into destination: UnsafeMutableRawBufferPointer
  ) {
    var previous = vector.withUnsafeBytes { Self.words($0, 0) }
    keys.withUnsafeBufferPointer { keys in
      Tables.shared.inverse.withUnsafeBufferPointer { table in
        Tables.shared.inverseBox.withUnsafeBufferPointer { box in
          for start in stride(from: 0, to: source.count, by: Self.blockSize) {
            let block = Self.words(source, start)
            let plain = Self.decrypted(block, keys, table, box)
            for index in 0..<4 {
              destination.storeBytes(
                of: (plain[index] ^ previous[index]).bigEndian, toByteOffset: start + index * 4,
                as: UInt32.self)
            }
            previous = block
          }
        }
      }
    }
  }

  private static func words(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> SIMD4<UInt32> {
    SIMD4(
      (0..<4).map {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start + $0 * 4, as: UInt32.self))
      })
  }

  private static func decrypted(
    _ block: SIMD4<UInt32>, _ keys: UnsafeBufferPointer<UInt32>,
    _ table: UnsafeBufferPointer<UInt32>, _ box: UnsafeBufferPointer<UInt8>
  ) -> SIMD4<UInt32> {
    var state = block
    for index in 0..<4 { state[index] ^= keys[index] }
    for round in 1..<rounds {
      var next = SIMD4<UInt32>()
      for index in 0..<4 {
        let first = table[Int(state[index] >> 24)]
        let second = table[Int(state[(index + 3) & 3] >> 16 & 0xFF)]
        let third = table[Int(state[(index + 2) & 3] >> 8 & 0xFF)]
        let fourth = table[Int(state[(index + 1) & 3] & 0xFF)]
        next[index] =
          first ^ (second >> 8 | second << 24) ^ (third >> 16 | third << 16)
          ^ (fourth >> 24 | fourth << 8) ^ keys[round * 4 + index]
      }
      state = next
    }
    var result = SIMD4<UInt32>()
    for index in 0..<4 {
      let first = UInt32(box[Int(state[index] >> 24)]) << 24
      let second = UInt32(box[Int(state[(index + 3) & 3] >> 16 & 0xFF)]) << 16
      let third = UInt32(box[Int(state[(index + 2) & 3] >> 8 & 0xFF)]) << 8
      let fourth = UInt32(box[Int(state[(index + 1) & 3] & 0xFF)])
      result[index] = (first | second | third | fourth) ^ keys[rounds * 4 + index]
    }
    return result
  }

  /// Applies the substitution box to the bytes of a word.
  private static func substituted(_ word: UInt32) -> UInt32 {
    let box = Tables.shared.box
    return UInt32(box[Int(word >> 24)]) << 24 | UInt32(box[Int(word >> 16 & 0xFF)]) << 16
      | UInt32(box[Int(word >> 8 & 0xFF)]) << 8 | UInt32(box[Int(word & 0xFF)])
  }

  /// Applies the inverse of the mixing of columns to a word.
  private static func mixed(_ word: UInt32) -> UInt32 {
    let (box, table) = (Tables.shared.box, Tables.shared.inverse)
    return [24, 16, 8, 0].reduce(UInt32(0)) { sum, shift in
      let value = table[Int(box[Int(word >> UInt32(shift) & 0xFF)])]
      let bits = UInt32(24 - shift)
      return sum ^ (bits == 0 ? value : value >> bits | value << (32 - bits))
    }
  }

  /// The tables of the cipher, computed once.
  private struct Tables {
    static let shared = Tables()

    let box: [UInt8]
    let inverseBox: [UInt8]
    /// The inverse substitution and the inverse mixing of columns, for the highest byte.
    let inverse: [UInt32]

    private init() {
      var box = Array(repeating: UInt8(0x63), count: 256)
      var inverseBox = Array(repeating: UInt8(0), count: 256)
      // 3 generates all numbers but 0; its inverse, 0xF6, generates their inverses.
      var (number, reciprocal) = (UInt8(1), UInt8(1))
      for _ in 0..<255 {
        var value = reciprocal
        for bits in 1...4 { value ^= reciprocal << UInt8(bits) | reciprocal >> UInt8(8 - bits) }
        box[Int(number)] = value ^ 0x63
        number = Self.product(number, 3)
        reciprocal = Self.product(reciprocal, 0xF6)
      }
      for (index, value) in box.enumerated() { inverseBox[Int(value)] = UInt8(index) }
      self.box = box
      self.inverseBox = inverseBox
      inverse = inverseBox.map { value in
        [14, 9, 13, 11].reduce(UInt32(0)) { $0 << 8 | UInt32(Self.product(value, $1)) }
      }
    }

    /// Returns twice a number in the field of the cipher.
    static func double(_ number: UInt8) -> UInt8 { number << 1 ^ (number & 0x80 == 0 ? 0 : 0x1B) }

    private static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
      var (sum, power) = (UInt8(0), first)
      for bit in 0..<8 {
        if second >> UInt8(bit) & 1 == 1 { sum ^= power }
        power = double(power)
      }
      return sum
    }
  }
}
