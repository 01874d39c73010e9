#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The dictionary encoding of a column of text or bytes with few distinct values.
///
/// A filter on such a column compares each distinct value once, and then reads the codes of all rows.
// A class, so that it adds one word only to a column without an encoding.
package final class ValueCodes: Sendable {
  /// The code of the value of each row; any code for null.
  package let codes: [UInt8]
  /// The first row with the value of each code; ascending.
  package let firstRows: [Int32]

  /// The maximum number of distinct values, so that comparing each costs little beside reading the rows.
  private static let maximumValues = 128
  /// The minimum number of rows; fewer rows gain nothing.
  private static let minimumRows = 512

  /// Encodes a column; nil where it has too many distinct values or too few rows.
  init?(_ values: borrowing ColumnVector) {
    guard values.count >= Self.minimumRows else { return nil }
    var table = Table()
    let isNull = values.isNull
    let offsets = values.offsets
    let codes = values.bytes.withUnsafeBytes { bytes -> [UInt8]? in
      var codes: [UInt8] = []
      codes.reserveCapacity(isNull.count)
      for row in isNull.indices {
        guard !isNull[row] else {
          codes.append(0)
          continue
        }
        let range = Int(offsets[row])..<Int(offsets[row + 1])
        guard let code = table.code(of: range, row, in: bytes, offsets) else { return nil }
        codes.append(code)
      }
      return codes
    }
    guard let codes else { return nil }
    self.codes = codes
    firstRows = table.firstRows
  }

  /// The size in memory in bytes.
  var byteCount: Int { codes.capacity + firstRows.capacity * MemoryLayout<Int32>.stride }

  /// A hash table from the bytes of a value to its code.
  private struct Table {
    private(set) var firstRows: [Int32] = []
    /// Codes plus one by hash; 0 for free slots.
    private var slots = [UInt8](repeating: 0, count: 512)

    /// Returns the code of a row's value, a new one for a new value; nil where there are too many.
    mutating func code(
      of range: Range<Int>, _ row: Int, in bytes: UnsafeRawBufferPointer, _ offsets: [UInt32]
    ) -> UInt8? {
      var slot = Self.hash(bytes[range]) & (slots.count - 1)
      while slots[slot] != 0 {
        let code = slots[slot] - 1
        let known = Int(firstRows[Int(code)])
        if Self.isSame(bytes, Int(offsets[known])..<Int(offsets[known + 1]), range) { return code }
        slot = (slot + 1) & (slots.count - 1)
      }
      guard firstRows.count < ValueCodes.maximumValues else { return nil }
      firstRows.append(Int32(row))
      slots[slot] = UInt8(firstRows.count)
      return UInt8(firstRows.count - 1)
    }

    private static func isSame(
      _ bytes: UnsafeRawBufferPointer, _ first: Range<Int>, _ second: Range<Int>
    ) -> Bool {
      guard first.count == second.count else { return false }
      guard let base = bytes.baseAddress else { return true }
      return memcmp(base + first.lowerBound, base + second.lowerBound, first.count) == 0
    }

    /// The FNV-1a hash (Fowler, Noll and Vo), which suffices for few short values.
    private static func hash(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      return Int(truncatingIfNeeded: hash >> 20)
    }
  }
}
