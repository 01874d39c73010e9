#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Numbers for the values of a column of text or bytes in which few values come up again and again.
///
/// A question about such a column looks at each different value once, and at the numbers of all rows.
// A class, so that a column takes one word more for it.
package final class ValueCodes: Sendable {
  /// By row the number of its value; any number for null.
  package let codes: [UInt8]
  /// By number the first row that holds the value; ascending.
  package let firstRows: [Int32]

  /// Different values at most, so that looking at each is little beside looking at the rows.
  private static let mostValues = 128
  /// Rows below which there is nothing to be won.
  private static let fewestRows = 512

  /// Numbers for the values of a column; nil where they are too many, or the rows too few.
  init?(_ values: borrowing ColumnVector) {
    guard values.count >= Self.fewestRows else { return nil }
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

  /// Bytes of memory.
  var byteCount: Int { codes.capacity + firstRows.capacity * MemoryLayout<Int32>.stride }

  /// The values that have a number, found by their bytes.
  private struct Table {
    private(set) var firstRows: [Int32] = []
    /// Numbers plus one by hash; 0 for free places.
    private var places = [UInt8](repeating: 0, count: 512)

    /// The number of a row's value, a new one if need be; nil where there are too many.
    mutating func code(
      of range: Range<Int>, _ row: Int, in bytes: UnsafeRawBufferPointer, _ offsets: [UInt32]
    ) -> UInt8? {
      var place = Self.hash(bytes[range]) & (places.count - 1)
      while places[place] != 0 {
        let code = places[place] - 1
        let known = Int(firstRows[Int(code)])
        if Self.isSame(bytes, Int(offsets[known])..<Int(offsets[known + 1]), range) { return code }
        place = (place + 1) & (places.count - 1)
      }
      guard firstRows.count < ValueCodes.mostValues else { return nil }
      firstRows.append(Int32(row))
      places[place] = UInt8(firstRows.count)
      return UInt8(firstRows.count - 1)
    }

    private static func isSame(
      _ bytes: UnsafeRawBufferPointer, _ first: Range<Int>, _ second: Range<Int>
    ) -> Bool {
      guard first.count == second.count else { return false }
      guard let base = bytes.baseAddress else { return true }
      return memcmp(base + first.lowerBound, base + second.lowerBound, first.count) == 0
    }

    /// FNV-1a, which is good enough for a few short values (Fowler, Noll and Vo).
    private static func hash(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      return Int(truncatingIfNeeded: hash >> 20)
    }
  }
}
