/// Integers as differences from their minimum, in as few bytes as the largest difference needs.
///
/// The frame-of-reference encoding: Goldstein, Ramakrishnan and Shaft, "Compressing Relations and
/// Indexes", ICDE 1998.
struct PackedIntegers: Sendable {
  /// The differences by row.
  private enum Codes: Sendable {
    /// All numbers are equal.
    case none
    case bytes([UInt8])
    case halves([UInt16])
    case words([UInt32])
    /// The numbers themselves, because their differences need more than 32 bits.
    case numbers([Int64])
  }

  /// The minimum.
  let least: Int64
  /// The maximum.
  let greatest: Int64
  /// The number of rows.
  let count: Int
  private let codes: Codes

  /// Packs numbers; those of rows in `nulls` are undefined afterwards.
  init(_ numbers: [Int64], except nulls: RowSet = RowSet()) {
    self = numbers.withUnsafeBufferPointer { PackedIntegers($0, except: nulls) }
  }

  /// Packs numbers; those of rows in `nulls` are undefined afterwards.
  init(_ numbers: UnsafeBufferPointer<Int64>, except nulls: RowSet) {
    self.init(count: numbers.count, except: nulls) { numbers[$0] }
  }

  /// Packs numbers; those of rows in `nulls` are undefined afterwards.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - nulls: The rows that are null.
  ///   - number: Returns the number of a row; it is called twice for each row.
  @inline(__always)
  init(count: Int, except nulls: RowSet, _ number: (Int) -> Int64) {
    var (least, greatest) = (Int64.max, Int64.min)
    if nulls.isEmpty {
      for row in 0..<count {
        least = min(least, number(row))
        greatest = max(greatest, number(row))
      }
    } else {
      for row in 0..<count where !nulls.contains(row) {
        least = min(least, number(row))
        greatest = max(greatest, number(row))
      }
    }
    if least > greatest { (least, greatest) = (0, 0) }
    self.init(count: count, from: least, through: greatest, number)
  }

  /// Packs numbers whose minimum and maximum are known.
  @inline(__always)
  init(count: Int, from least: Int64, through greatest: Int64, _ number: (Int) -> Int64) {
    (self.least, self.greatest, self.count) = (least, greatest, count)
    codes =
      switch UInt64(bitPattern: greatest &- least) {
      case 0: .none
      case ...UInt64(UInt8.max):
        .bytes(Self.codes(count) { UInt8(truncatingIfNeeded: number($0) &- least) })
      case ...UInt64(UInt16.max):
        .halves(Self.codes(count) { UInt16(truncatingIfNeeded: number($0) &- least) })
      case ...UInt64(UInt32.max):
        .words(Self.codes(count) { UInt32(truncatingIfNeeded: number($0) &- least) })
      default: .numbers(Self.codes(count, number))
      }
  }

  /// Packs differences of at most 32 bits from the minimum; nil where a number is not an `Int64`.
  init?(_ differences: PackedBits, from least: Int64) {
    (self.least, count) = (least, differences.count)
    let largest: UInt64
    (codes, largest) =
      switch differences.width {
      case 0: (.none, 0)
      case ...8: Self.packed(differences, Codes.bytes)
      case ...16: Self.packed(differences, Codes.halves)
      default: Self.packed(differences, Codes.words)
      }
    let (greatest, isTooLarge) = least.addingReportingOverflow(Int64(largest))
    guard !isTooLarge else { return nil }
    self.greatest = greatest
  }

  private static func packed<Code: FixedWidthInteger & UnsignedInteger>(
    _ differences: PackedBits, _ packed: ([Code]) -> Codes
  ) -> (Codes, largest: UInt64) {
    if differences.count == 0 { return (packed([]), 0) }
    var largest: Code = 0
    let codes = [Code](unsafeUninitializedCapacity: differences.count) { codes, initialized in
      largest = differences.unpack(to: codes)
      initialized = differences.count
    }
    return (packed(codes), UInt64(largest))
  }

  /// Returns the codes of all rows.
  @inline(__always)
  private static func codes<Code>(_ count: Int, _ code: (Int) -> Code) -> [Code] {
    // The initializer would write to the empty array, which all threads share.
    if count == 0 { return [] }
    return [Code](unsafeUninitializedCapacity: count) { codes, initialized in
      for row in 0..<count { codes[row] = code(row) }
      initialized = count
    }
  }

  /// The number of bits of each number.
  var bitWidth: Int {
    switch codes {
    case .none: 0
    case .bytes: 8
    case .halves: 16
    case .words: 32
    case .numbers: 64
    }
  }

  /// Returns the number of a row.
  @inline(__always)
  subscript(row: Int) -> Int64 {
    switch codes {
    case .none: least
    case .bytes(let codes): least &+ Int64(codes[row])
    case .halves(let codes): least &+ Int64(codes[row])
    case .words(let codes): least &+ Int64(codes[row])
    case .numbers(let numbers): numbers[row]
    }
  }

  /// Returns the numbers of a row and of the next one.
  @inline(__always)
  func pair(_ row: Int) -> (Int64, Int64) {
    switch codes {
    case .none: (least, least)
    case .bytes(let codes): (least &+ Int64(codes[row]), least &+ Int64(codes[row + 1]))
    case .halves(let codes): (least &+ Int64(codes[row]), least &+ Int64(codes[row + 1]))
    case .words(let codes): (least &+ Int64(codes[row]), least &+ Int64(codes[row + 1]))
    case .numbers(let numbers): (numbers[row], numbers[row + 1])
    }
  }

  /// Writes the numbers of some rows, in their order, to memory with room for all of them.
  func write(_ rows: RowSet, to numbers: UnsafeMutablePointer<Int64>) {
    switch codes {
    case .none: numbers.update(repeating: least, count: rows.count)
    case .bytes(let codes):
      codes.withUnsafeBufferPointer { rows.gather($0, adding: least, to: numbers) }
    case .halves(let codes):
      codes.withUnsafeBufferPointer { rows.gather($0, adding: least, to: numbers) }
    case .words(let codes):
      codes.withUnsafeBufferPointer { rows.gather($0, adding: least, to: numbers) }
    case .numbers(let all):
      all.withUnsafeBufferPointer { rows.gather($0, adding: 0, to: numbers) }
    }
  }

  /// Keeps the rows whose numbers lie in a closed range.
  func keep(_ rows: inout RowSet, from lower: Int64, through upper: Int64) {
    guard lower <= greatest, upper >= least, lower <= upper else { return rows = RowSet() }
    if lower <= least, upper >= greatest { return }
    // The bounds lie within the range of the numbers, so differences from its start fit the codes.
    let start = UInt64(bitPattern: max(lower, least) &- least)
    let span = UInt64(bitPattern: min(upper, greatest) &- max(lower, least))
    func keep<Code: FixedWidthInteger & UnsignedInteger>(_ codes: [Code]) {
      let (first, span) = (Code(truncatingIfNeeded: start), Code(truncatingIfNeeded: span))
      codes.withUnsafeBufferPointer { codes in rows.keep(codes) { $0 &- first <= span } }
    }
    switch codes {
    case .none: return
    case .bytes(let codes): keep(codes)
    case .halves(let codes): keep(codes)
    case .words(let codes): keep(codes)
    case .numbers(let numbers):
      let first = max(lower, least)
      numbers.withUnsafeBufferPointer { numbers in
        rows.keep(numbers) { UInt64(bitPattern: $0 &- first) <= span }
      }
    }
  }

  /// Calls a closure with all numbers, in the order of the rows.
  ///
  /// - Parameters:
  ///   - type: A type that can represent each number.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  func withNumbers<Number: FixedWidthInteger, Result>(
    as type: Number.Type, _ body: (UnsafeBufferPointer<Number>) throws -> Result
  ) rethrows -> Result {
    try withUnsafeTemporaryAllocation(of: Number.self, capacity: max(1, count)) { buffer in
      let numbers = UnsafeMutableBufferPointer(rebasing: buffer[..<count])
      unpack(to: numbers)
      return try body(UnsafeBufferPointer(numbers))
    }
  }

  /// Writes all numbers to memory.
  private func unpack<Number: FixedWidthInteger>(
    to numbers: UnsafeMutableBufferPointer<Number>
  ) {
    let base = Number(truncatingIfNeeded: least)
    func unpack<Code: FixedWidthInteger>(_ codes: [Code], _ base: Number) {
      codes.withUnsafeBufferPointer { codes in
        for row in 0..<codes.count {
          numbers[row] = base &+ Number(truncatingIfNeeded: codes[row])
        }
      }
    }
    switch codes {
    case .none: numbers.update(repeating: base)
    case .bytes(let codes): unpack(codes, base)
    case .halves(let codes): unpack(codes, base)
    case .words(let codes): unpack(codes, base)
    case .numbers(let all): unpack(all, 0)
    }
  }

  /// The sum of the numbers before each row, and of all of them; the numbers fit 32 bits without a sign.
  var runningSums: PackedIntegers {
    withNumbers(as: UInt32.self) { numbers in
      let total = numbers.reduce(Int64(0)) { $0 &+ Int64($1) }
      // The initializer calls the closure once for each row, in ascending order.
      var sum: Int64 = 0
      return PackedIntegers(count: count + 1, from: 0, through: total) { row in
        defer { if row < numbers.count { sum &+= Int64(numbers[row]) } }
        return sum
      }
    }
  }

  /// The size in memory in bytes.
  var byteCount: Int { count * bitWidth / 8 }
}
