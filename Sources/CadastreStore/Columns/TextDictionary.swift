#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The dictionary encoding of a column of text or bytes with few distinct values.
///
/// A filter on such a column tests each distinct value once, and then reads the codes of the rows.
package struct TextDictionary: Sendable {
  /// The code of each row, which is the index of its value; undefined for null.
  let codes: PackedIntegers
  /// The distinct values.
  let values: EncodedText

  /// The minimum number of rows per distinct value.
  private static let rowsPerValue = 8
  /// The minimum number of rows.
  private static let minimumRows = 512

  /// Creates a dictionary of codes and values; the codes of rows that are not null are indexes of values.
  init(codes: PackedIntegers, values: EncodedText) {
    self.codes = codes
    self.values = values
  }

  /// Encodes texts, except those of rows that are null; nil where too many are distinct.
  init?(_ bytes: [UInt8], _ offsets: [UInt32], except nulls: RowSet) {
    let dictionary = bytes.withUnsafeBufferPointer { bytes in
      offsets.withUnsafeBufferPointer { TextDictionary(bytes, $0, except: nulls) }
    }
    guard let dictionary else { return nil }
    self = dictionary
  }

  /// Encodes texts, except those of rows that are null; nil where too many are distinct.
  init?(
    _ bytes: UnsafeBufferPointer<UInt8>, _ offsets: UnsafeBufferPointer<UInt32>,
    except nulls: RowSet
  ) {
    let count = offsets.count - 1
    guard count >= Self.minimumRows else { return nil }
    var table = Table(mostValues: count / Self.rowsPerValue)
    var codes: [Int64] = []
    codes.reserveCapacity(count)
    for row in 0..<count {
      if nulls.contains(row) {
        codes.append(0)
        continue
      }
      let range = Int(offsets[row])..<Int(offsets[row + 1])
      guard let code = table.code(of: range, in: UnsafeRawBufferPointer(bytes)) else { return nil }
      codes.append(code)
    }
    self.codes = PackedIntegers(codes)
    var (values, ends): ([UInt8], [UInt32]) = ([], [0])
    for range in table.values {
      values += bytes[range]
      ends.append(UInt32(values.count))
    }
    self.values = EncodedText(values, ends)
  }

  /// The number of distinct values.
  package var valueCount: Int { values.count }

  /// Returns the code of a row that is not null.
  package func code(_ row: Int) -> Int { Int(codes[row]) }

  /// Returns the bytes of a value.
  package func value(_ code: Int) -> ArraySlice<UInt8> { values.bytes[values.range(code)] }

  /// Returns the codes of the values that pass a filter.
  ///
  /// - Parameter filter: Removes the codes of values that do not pass from a set. It receives the set, the
  ///   bytes of all values, and the offset of each value and of the end.
  /// - Returns: The codes.
  package func values(
    passing filter: (inout RowSet, UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt32>) -> Void
  ) -> RowSet {
    var passing = RowSet(below: values.count)
    values.withBytes { filter(&passing, $0, $1) }
    return passing
  }

  /// Keeps the rows whose codes are in a set.
  package func keep(_ rows: inout RowSet, values passing: RowSet) {
    let count = passing.count
    if count == 0 { return rows = RowSet() }
    if count == values.count { return }
    if count == 1, let code = passing.last.map(Int64.init) {
      return codes.keep(&rows, from: code, through: code)
    }
    codes.withNumbers(as: UInt16.self) { codes in
      rows.keep(codes) { passing.contains(Int($0)) }
    }
  }

  /// The size in memory in bytes.
  var byteCount: Int { codes.byteCount + values.byteCount }

  /// A hash table from the bytes of a value to its code.
  private struct Table {
    private(set) var values: [Range<Int>] = []
    private let mostValues: Int
    /// Codes plus one by hash; 0 for free slots.
    private var slots: [UInt16]

    init(mostValues: Int) {
      self.mostValues = min(mostValues, Int(UInt16.max) - 1)
      var size = 64
      while size < 2 * mostValues { size *= 2 }
      slots = Array(repeating: 0, count: size)
    }

    /// Returns the code of a value, and adds a new value; nil where there are too many.
    mutating func code(of range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Int64? {
      var slot = Self.hash(bytes[range]) & (slots.count - 1)
      while slots[slot] != 0 {
        let code = Int(slots[slot]) - 1
        if Self.isSame(bytes, values[code], range) { return Int64(code) }
        slot = (slot + 1) & (slots.count - 1)
      }
      guard values.count < mostValues else { return nil }
      values.append(range)
      slots[slot] = UInt16(values.count)
      return Int64(values.count - 1)
    }

    private static func isSame(
      _ bytes: UnsafeRawBufferPointer, _ first: Range<Int>, _ second: Range<Int>
    ) -> Bool {
      guard first.count == second.count else { return false }
      guard let base = bytes.baseAddress else { return true }
      return memcmp(base + first.lowerBound, base + second.lowerBound, first.count) == 0
    }

    /// Returns the FNV-1a hash (Fowler, Noll and Vo), which suffices for few short values.
    private static func hash(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      return Int(truncatingIfNeeded: hash >> 20)
    }
  }
}
