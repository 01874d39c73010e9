package import CadastreModel
package import CadastreStore
import Foundation

/// The numbers of distinct 64-bit keys: 0, 1, 2 … in the order in which the keys first occur.
package struct KeyNumbers: Sendable {
  /// The keys by number.
  private var keys: [UInt64] = []
  /// An open-addressing hash table of numbers plus one; 0 for free slots.
  private var slots = [UInt32](repeating: 0, count: 16)
  /// A secret, so that no data can be made up whose keys collide.
  private static let seed = UInt64.random(in: 0 ... .max)

  /// Creates an empty table.
  package init() {}

  /// The number of distinct keys.
  package var count: Int { keys.count }

  /// Returns the number of a key; a new key gets the next number.
  ///
  /// - Complexity: O(1) on average.
  package mutating func number(of key: UInt64) -> Int32 {
    var slot = Self.hash(key) & (slots.count - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if keys[number] == key { return Int32(number) }
      slot = (slot + 1) & (slots.count - 1)
    }
    let number = Int32(keys.count)
    keys.append(key)
    slots[slot] = UInt32(keys.count)
    if 2 * keys.count > slots.count { grow() }
    return number
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 4 * slots.count)
    for (number, key) in keys.enumerated() {
      var slot = Self.hash(key) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(number) + 1
    }
  }

  /// Returns the folded product of a key with a constant.
  ///
  /// Source: the function `mum` of wyhash by Wang Yi.
  @inline(__always)
  private static func hash(_ key: UInt64) -> Int {
    let product = (key ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }
}

/// The numbers of distinct texts: 0, 1, 2 … in the order in which the texts first occur.
package struct TextNumbers: Sendable {
  /// The concatenated bytes of the texts by number.
  private var bytes: [UInt8] = []
  /// The offset in `bytes` of each text, and of the end.
  private var offsets = [0]
  /// The hash of each text.
  private var hashes: [Int] = []
  /// An open-addressing hash table of numbers plus one; 0 for free slots.
  private var slots = [UInt32](repeating: 0, count: 16)

  /// Creates an empty table.
  package init() {}

  /// The number of distinct texts.
  package var count: Int { hashes.count }

  /// Returns the number of a text, given its bytes; a new text gets the next number.
  ///
  /// - Complexity: O(n) on average for n bytes.
  package mutating func number(of text: UnsafeRawBufferPointer) -> Int32 {
    let hash = Self.hash(text)
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if hashes[number] == hash, isText(number, text) { return Int32(number) }
      slot = (slot + 1) & (slots.count - 1)
    }
    let number = Int32(count)
    bytes.append(contentsOf: text)
    offsets.append(bytes.count)
    hashes.append(hash)
    slots[slot] = UInt32(count)
    if 2 * count > slots.count { grow() }
    return number
  }

  private func isText(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
    let start = offsets[number]
    guard offsets[number + 1] - start == text.count else { return false }
    guard let other = text.baseAddress, !text.isEmpty else { return true }
    return bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0 + start, other, text.count) == 0 } ?? false
    }
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 4 * slots.count)
    for (number, hash) in hashes.enumerated() {
      var slot = hash & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(number) + 1
    }
  }

  /// Returns Swift's hash, whose secret seed makes collisions unpredictable.
  private static func hash(_ text: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: text)
    return hasher.finalize()
  }
}

/// The numbers of the distinct values of one column.
///
/// Values with equal keys, see `ValueKey`, have the same number. Null has number 0.
package struct ValueNumbers {
  /// The part of dates that is numbered instead of the dates.
  package struct DatePart {
    /// The length in seconds of intervals that each lie in one part, counted from 1970.
    let seconds: Int64
    /// Returns the part of a date.
    let part: (Timestamp) -> Value

    /// Creates a part.
    package init(seconds: Int64, part: @escaping (Timestamp) -> Value) {
      (self.seconds, self.part) = (seconds, part)
    }
  }

  private var integers = KeyNumbers()
  private var subseconds = KeyNumbers()
  private var dates = KeyNumbers()
  private var texts = TextNumbers()
  private var others: [ValueKey: Int32] = [:]
  private let datePart: DatePart?
  /// The number of the part of a date, by the number of its interval.
  private var numbersOfIntervals: [Int32] = []

  /// Creates a numbering without values.
  ///
  /// - Parameter datePart: The part of dates that is numbered; nil for the values themselves.
  package init(datePart: DatePart? = nil) { self.datePart = datePart }

  /// Returns the number of a value of a column that is read value by value.
  package mutating func number(of value: Value) -> Int32 {
    if value.isNull { return 0 }
    let next = Int32(others.count) + 1
    let key = ValueKey(value)
    if let number = others[key] { return number }
    others[key] = next
    return next
  }

  /// Writes the numbers of the values of some rows.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - rows: The rows.
  ///   - numbers: Receives the number of each row at the row number; it is extended if necessary.
  /// - Complexity: O(n), without boxing a value for each row of numbers, texts and dates.
  package mutating func write(
    _ column: BatchColumn, _ rows: RowSet, to numbers: inout [Int32]
  ) {
    numbers.extend(to: column.count)
    var present = rows
    if column.nullCount > 0 {
      for row in rows { numbers[row] = 0 }
      column.keep(&present, areNull: false)
    }
    switch column.type {
    case .int, .bool, .object:
      column.withIntegers { values in
        for row in present {
          numbers[row] = integers.number(of: UInt64(bitPattern: values[row])) + 1
        }
      }
    case .double, .float:
      column.withDoubles { values in
        for row in present {
          let value = values[row]
          // -0 equals 0, and NaN equals every NaN.
          numbers[row] =
            integers.number(of: value.isNaN ? .max : (value + 0).bitPattern) + 1
        }
      }
    case .string: writeTexts(column, present, to: &numbers)
    case .date: writeDates(column, present, to: &numbers)
    default: for row in present { numbers[row] = number(of: column.value(row)) }
    }
  }

  private mutating func writeTexts(
    _ column: BatchColumn, _ rows: RowSet, to numbers: inout [Int32]
  ) {
    if let dictionary = column.dictionary {
      var numbersOfCodes = [Int32](repeating: 0, count: dictionary.valueCount)
      for row in rows {
        let code = dictionary.code(row)
        if numbersOfCodes[code] == 0 {
          numbersOfCodes[code] =
            dictionary.value(code).withUnsafeBytes { texts.number(of: $0) } + 1
        }
        numbers[row] = numbersOfCodes[code]
      }
      return
    }
    column.withBytes { bytes, offsets in
      let bytes = UnsafeRawBufferPointer(bytes)
      for row in rows {
        let text = bytes[Int(offsets[row])..<Int(offsets[row + 1])]
        numbers[row] = texts.number(of: UnsafeRawBufferPointer(rebasing: text)) + 1
      }
    }
  }

  private mutating func writeDates(
    _ column: BatchColumn, _ rows: RowSet, to numbers: inout [Int32]
  ) {
    for row in rows {
      let date = column.timestamp(row)
      guard let datePart else {
        // Two keys, because a date has more than 64 bits.
        let second = integers.number(of: UInt64(bitPattern: date.seconds))
        let rest = subseconds.number(of: UInt64(bitPattern: date.subsecond))
        numbers[row] = dates.number(of: KeyNumbers.pair(second, rest)) + 1
        continue
      }
      // The parts are those of the time that the text of the date shows.
      let quotient = date.calendarTime.seconds.dividedRoundingDown(by: datePart.seconds).quotient
      let interval = Int(integers.number(of: UInt64(bitPattern: quotient)))
      if interval == numbersOfIntervals.count {
        numbersOfIntervals.append(number(of: datePart.part(date)))
      }
      numbers[row] = numbersOfIntervals[interval]
    }
  }
}

extension KeyNumbers {
  /// Returns the key of a pair of numbers.
  @inline(__always)
  package static func pair(_ first: Int32, _ second: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: first)) << 32 | UInt64(UInt32(bitPattern: second))
  }
}

extension [Int32] {
  /// Appends zeros up to a count.
  mutating func extend(to count: Int) {
    if self.count < count { append(contentsOf: repeatElement(0, count: count - self.count)) }
  }
}
