extension Decimal128: ExpressibleByStringLiteral {
  /// The number that a text spells, or NaN for any other text.
  ///
  /// Never throws; it is declared so because Realm's is. See ``init(parsing:)`` for what is read.
  public init(string: String) throws { self = Decimal128(parsing: string) ?? .nan }

  /// The number that a literal spells, or NaN for any other text.
  public init(stringLiteral text: String) { self = Decimal128(parsing: text) ?? .nan }

  /// The number that a text spells, or nil for any other text.
  ///
  ///     -12.50   .5   7.   1E+3   2.5e-10   Infinity   -inf   NaN   sNaN
  ///
  /// Digits beyond the 34th round the number, ties to even; one that is too large reads as
  /// infinity. Letters are of either case, spaces are not skipped, and the sign of NaN is dropped.
  ///
  /// - Complexity: O(n) in the length of the text.
  package init?(parsing text: String) {
    var text = text
    guard let number = text.withUTF8({ DecimalReader.number(in: $0) }) else { return nil }
    self = number
  }
}

/// Reads a decimal number from text, a byte at a time.
private struct DecimalReader {
  private var digits = DecimalDigits()
  private var index = 0

  static func number(in text: UnsafeBufferPointer<UInt8>) -> Decimal128? {
    var reader = DecimalReader()
    let isNegative = reader.sign(in: text)
    guard reader.index < text.count else { return nil }
    guard isDigit(text[reader.index]) || text[reader.index] == UInt8(ascii: ".") else {
      return special(text[reader.index...], isNegative: isNegative)
    }
    guard reader.readDigits(in: text), let exponent = reader.exponent(in: text) else { return nil }
    return reader.digits.number(isNegative: isNegative, exponent: exponent)
  }

  /// Steps over a sign; true if it is a minus.
  private mutating func sign(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard index < text.count else { return false }
    let isNegative = text[index] == UInt8(ascii: "-")
    if isNegative || text[index] == UInt8(ascii: "+") { index += 1 }
    return isNegative
  }

  /// Reads digits with at most one point among them; false if there are none.
  private mutating func readDigits(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = index
    var point: Int?
    while index < text.count {
      if Self.isDigit(text[index]) {
        digits.append(text[index] &- UInt8(ascii: "0"), isFraction: point != nil)
      } else if text[index] == UInt8(ascii: "."), point == nil {
        point = index
      } else {
        break
      }
      index += 1
    }
    return index - start > (point == nil ? 0 : 1)
  }

  /// Reads the exponent at the end of the text; 0 if there is none, nil if it is something else.
  private mutating func exponent(in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard index < text.count else { return 0 }
    guard text[index] | 0x20 == UInt8(ascii: "e") else { return nil }
    index += 1
    let isNegative = sign(in: text)
    guard index < text.count else { return nil }
    var exponent = 0
    while index < text.count {
      guard Self.isDigit(text[index]) else { return nil }
      // Longer than any text could balance with its digits, and far from overflow.
      if exponent < 100_000_000_000_000_000 {
        exponent = exponent * 10 + Int(text[index] &- UInt8(ascii: "0"))
      }
      index += 1
    }
    return isNegative ? -exponent : exponent
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  private static func special(
    _ text: Slice<UnsafeBufferPointer<UInt8>>, isNegative: Bool
  ) -> Decimal128? {
    switch String(decoding: text, as: UTF8.self).lowercased() {
    case "inf", "infinity": .infinity(isNegative: isNegative)
    case "nan": .nan
    case "snan": .signalingNaN
    default: nil
    }
  }
}

/// The digits of a number as they are read: 38 of them are kept, of more only whether one counts.
private struct DecimalDigits {
  private var head: UInt64 = 0
  private var tail: UInt64 = 0
  private var count = 0
  private var exponent = 0
  private var isMore = false

  /// As many digits as any 64 bits hold.
  private static let wordDigits = 19

  mutating func append(_ digit: UInt8, isFraction: Bool) {
    if count >= 2 * Self.wordDigits {
      isMore = isMore || digit != 0
      if !isFraction { exponent += 1 }
      return
    }
    if isFraction { exponent -= 1 }
    if count == 0 && digit == 0 { return }
    if count < Self.wordDigits {
      head = head &* 10 &+ UInt64(digit)
    } else {
      tail = tail &* 10 &+ UInt64(digit)
    }
    count += 1
  }

  func number(isNegative: Bool, exponent written: Int) -> Decimal128 {
    let tailDigits = Swift.max(count - Self.wordDigits, 0)
    let coefficient =
      tailDigits == 0 ? UInt128(head) : UInt128(head) * PowerOfTen.power(tailDigits) + UInt128(tail)
    return Decimal128(
      isNegative: isNegative, rounding: coefficient, exponent: written + exponent, isMore: isMore)
  }
}
