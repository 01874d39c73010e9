import CadastreModel
import Foundation

/// The hash function of PostgreSQL for the partitions of a table with `PARTITION BY HASH`.
///
/// A push copies rows directly to the servers of their partitions. It checks samples of each partition with
/// `satisfies_hash_partition` of the server.
///
/// Source: PostgreSQL, `src/common/hashfn.c` (Bob Jenkins, "lookup3"),
/// `src/backend/access/hash/hashfunc.c` and `compute_partition_hash_value`.
enum PartitionHash {
  /// Returns the number of the partition of a value.
  ///
  /// - Parameters:
  ///   - value: The value of the column; null belongs to the first partition.
  ///   - count: The number of partitions.
  /// - Returns: The number, from 0.
  static func partition(of value: PostgresValue, count: Int) -> Int {
    hash(value).map { Int(combined($0) % UInt64(count)) } ?? 0
  }

  /// The supported types of columns.
  static let types: [PostgresType] = [.int8, .text, .uuid, .bytea]

  /// `HASH_PARTITION_SEED`.
  private static let seed: UInt64 = 0x7A5B_2236_7996_DCFD

  /// `hash_combine64` with 0.
  private static func combined(_ hash: UInt64) -> UInt64 { hash &+ 0x49A0_F4DD_15E5_A8E3 }

  private static func hash(_ value: PostgresValue) -> UInt64? {
    switch value {
    case .int8(let number):
      let low = UInt32(truncatingIfNeeded: number)
      let high = UInt32(truncatingIfNeeded: number >> 32)
      return hash(word: low ^ (number >= 0 ? high : ~high))
    case .text(let text): return hash(Array(text.utf8))
    case .bytea(let data): return hash(Array(data))
    case .uuid(let uuid): return hash(uuid.bytes)
    default: return nil
    }
  }

  /// `hash_bytes_uint32_extended`.
  private static func hash(word: UInt32) -> UInt64 {
    var state = State(length: 4)
    state.a &+= word
    return state.finished
  }

  /// `hash_bytes_extended`.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    var state = State(length: bytes.count)
    var rest = bytes[...]
    while rest.count >= 12 {
      state.a &+= word(rest.prefix(4))
      state.b &+= word(rest.dropFirst(4).prefix(4))
      state.c &+= word(rest.dropFirst(8).prefix(4))
      state.mix()
      rest = rest.dropFirst(12)
    }
    state.a &+= word(rest.prefix(4))
    state.b &+= word(rest.dropFirst(4).prefix(4))
    // The lowest byte of the third word is reserved for the length.
    state.c &+= word(rest.dropFirst(8)) << 8
    return state.finished
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The three words of the hash.
  private struct State {
    var a: UInt32
    var b: UInt32
    var c: UInt32

    /// Initialises the words with the length and the seed.
    init(length: Int) {
      a = 0x9E37_79B9 &+ UInt32(truncatingIfNeeded: length) &+ 3_923_095
      (b, c) = (a, a)
      a &+= UInt32(truncatingIfNeeded: seed >> 32)
      b &+= UInt32(truncatingIfNeeded: seed)
      mix()
    }

    private static func rotated(_ value: UInt32, _ bits: UInt32) -> UInt32 {
      value << bits | value >> (32 - bits)
    }

    mutating func mix() {
      func step(_ first: inout UInt32, _ second: inout UInt32, _ third: UInt32, _ bits: UInt32) {
        first &-= second
        first ^= Self.rotated(second, bits)
        second &+= third
      }
      step(&a, &c, b, 4)
      step(&b, &a, c, 6)
      step(&c, &b, a, 8)
      step(&a, &c, b, 16)
      step(&b, &a, c, 19)
      step(&c, &b, a, 4)
    }

    var finished: UInt64 {
      var (a, b, c) = (a, b, c)
      func step(_ first: inout UInt32, _ second: UInt32, _ bits: UInt32) {
        first ^= second
        first &-= Self.rotated(second, bits)
      }
      step(&c, b, 14)
      step(&a, c, 11)
      step(&b, a, 25)
      step(&c, b, 16)
      step(&a, c, 4)
      step(&b, a, 14)
      step(&c, b, 24)
      return UInt64(b) << 32 | UInt64(c)
    }
  }
}
