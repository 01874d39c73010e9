/// Writes the parts of a stored segment, little-endian.
struct SegmentByteWriter {
  /// The bytes so far.
  private(set) var bytes: [UInt8] = []

  /// Appends a number.
  mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes.
  mutating func append(_ added: some Sequence<UInt8>) { bytes.append(contentsOf: added) }

  /// Appends the words of a set of rows below a limit.
  mutating func append(_ rows: RowSet, below count: Int) {
    for index in 0..<(count + 63) / 64 {
      append(index < rows.words.count ? rows.words[index] : 0)
    }
  }

  /// Appends integers: the mode, the number of bits, the base, and the differences from the base.
  ///
  /// The base is the minimum of the numbers, or of their differences from the number of the row where these need fewer
  /// bits, as those of consecutive identifiers do.
  ///
  /// - Parameters:
  ///   - numbers: The integers, by row.
  ///   - nulls: The rows whose integers are undefined; they are read as any number in the range.
  mutating func append(_ numbers: UnsafeBufferPointer<Int64>, except nulls: RowSet) {
    let values = Frame(numbers, except: nulls, steps: false)
    let steps = Frame(numbers, except: nulls, steps: true)
    let frame = steps.width < values.width ? steps : values
    append(UInt8(frame.steps ? 1 : 0))
    append(UInt8(frame.width))
    append(frame.base)
    guard frame.width > 0 else { return }
    var (word, filled) = (UInt64(0), 0)
    for row in numbers.indices {
      let code = nulls.contains(row) ? 0 : frame.difference(numbers[row], row)
      word |= code << UInt64(filled)
      filled += frame.width
      guard filled >= 64 else { continue }
      append(word)
      filled -= 64
      word = filled == 0 ? 0 : code >> UInt64(frame.width - filled)
    }
    if filled > 0 { append(word) }
  }

  /// The base and the width of packed integers.
  private struct Frame {
    let base: Int64
    let width: Int
    /// Whether the number of the row is subtracted.
    let steps: Bool

    init(_ numbers: UnsafeBufferPointer<Int64>, except nulls: RowSet, steps: Bool) {
      var (least, greatest) = (Int64.max, Int64.min)
      for row in numbers.indices where !nulls.contains(row) {
        let number = steps ? numbers[row] &- Int64(row) : numbers[row]
        least = min(least, number)
        greatest = max(greatest, number)
      }
      if least > greatest { (least, greatest) = (0, 0) }
      base = least
      width = 64 - UInt64(bitPattern: greatest &- least).leadingZeroBitCount
      self.steps = steps
    }

    func difference(_ number: Int64, _ row: Int) -> UInt64 {
      UInt64(bitPattern: (steps ? number &- Int64(row) : number) &- base)
    }
  }
}

/// The bytes of a stored segment make no sense.
struct InvalidSegment: Error {
  /// What is wrong.
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Reads the parts of a stored segment, little-endian; arbitrary bytes are an error at most.
struct SegmentByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset: Int

  /// Begins at an offset, which is not greater than the number of bytes.
  init(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Throws an error unless all bytes were read.
  func requireEnd() throws(InvalidSegment) {
    guard isAtEnd else {
      throw InvalidSegment("\(bytes.count - offset) bytes follow its content")
    }
  }

  /// Whether all bytes were read.
  var isAtEnd: Bool { offset == bytes.count }

  /// Reads some bytes.
  mutating func bytes(_ count: Int) throws(InvalidSegment) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= bytes.count - offset else {
      throw InvalidSegment("it ends after \(bytes.count) bytes")
    }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  /// Reads a number.
  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type
  ) throws(InvalidSegment) -> Number {
    Number(littleEndian: try bytes(MemoryLayout<Number>.size).loadUnaligned(as: Number.self))
  }

  /// Reads a set of rows below a limit.
  mutating func rows(below count: Int) throws(InvalidSegment) -> RowSet {
    let bytes = try bytes((count + 63) / 64 * 8)
    var words: [UInt64] = []
    words.reserveCapacity(bytes.count / 8)
    for index in 0..<bytes.count / 8 { words.append(PackedBits.word(bytes, index * 8)) }
    let rows = RowSet(words: words)
    guard rows.last ?? -1 < count else { throw InvalidSegment("a row exceeds its \(count) rows") }
    return rows
  }

  /// Reads integers; those of rows in `nulls` are undefined.
  mutating func integers(
    _ count: Int, except nulls: RowSet
  ) throws(InvalidSegment) -> PackedIntegers {
    let mode = try number(UInt8.self)
    let width = Int(try number(UInt8.self))
    let base = try number(Int64.self)
    guard mode <= 1, width <= 64 else {
      throw InvalidSegment("integers have the unknown form \(mode), \(width)")
    }
    let words = try bytes((count * width + 63) / 64 * 8)
    let bits = PackedBits(words, width: width, count: count)
    if mode == 0, width <= 32 {
      guard let numbers = PackedIntegers(bits, from: base) else {
        throw InvalidSegment("integers of \(width) bits above \(base) are too large")
      }
      return numbers
    }
    let step: Int64 = mode == 1 ? 1 : 0
    let (last, isTooLarge) = base.addingReportingOverflow(Int64(max(0, count - 1)))
    // The numbers of rows that are null would extend the range.
    if width == 0, !isTooLarge, nulls.isEmpty {
      return PackedIntegers(count: count, from: base, through: last) { base &+ Int64($0) }
    }
    return PackedIntegers(count: count, except: nulls) { row in
      Int64(bitPattern: bits[row]) &+ base &+ step &* Int64(row)
    }
  }
}
