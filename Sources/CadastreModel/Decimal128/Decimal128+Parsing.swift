extension Decimal128: ExpressibleByStringLiteral {
  /// Parses a number; NaN if the text is no number.
  ///
  ///     -12.50   .5   7.   1E+3   2.5e-10   Infinity   -inf   NaN   sNaN
  ///
  /// A number of more than 34 digits is rounded, ties to even; a number out of range is infinity.
  ///
  /// - Parameter string: The text, with letters in either case and without spaces.
  /// - Throws: Nothing; the declaration is that of Realm.
  /// - Complexity: O(n) in the length of the text.
  public init(string: String) throws { self = Decimal128(parsing: string) ?? .nan }

  /// Parses a string literal; NaN if the text is no number.
  public init(stringLiteral text: String) { self = Decimal128(parsing: text) ?? .nan }

  /// Parses a number; nil if the text is no number.
  ///
  /// The syntax is that of ``init(string:)``. The sign of NaN is ignored.
  ///
  /// - Complexity: O(n) in the length of the text.
  package init?(parsing text: String) {
    var text = text
    guard let number = text.withUTF8({ DecimalReader.number(in: $0) }) else { return nil }
    self = number
  }
}

/// A parser of decimal numbers.
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

  /// Consumes an optional sign; returns true for a minus.
  private mutating func sign(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard index < text.count else { return false }
    let isNegative = text[index] == UInt8(ascii: "-")
    if isNegative || text[index] == UInt8(ascii: "+") { index += 1 }
    return isNegative
  }

  /// Consumes digits with at most one decimal point; returns false if there are none.
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

  /// Consumes an optional exponent and the end of the text; returns nil for any other text.
  private mutating func exponent(in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard index < text.count else { return 0 }
    guard text[index] | 0x20 == UInt8(ascii: "e") else { return nil }
    index += 1
    let isNegative = sign(in: text)
    guard index < text.count else { return nil }
    var exponent = 0
    while index < text.count {
      guard Self.isDigit(text[index]) else { return nil }
      // The limit is larger than the length of any text and far from overflow.
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

/// The digits of a number being parsed: the first 38, and whether a nonzero one follows.
private struct DecimalDigits {
  private var head: UInt64 = 0
  private var tail: UInt64 = 0
  private var count = 0
  private var exponent = 0
  private var isMore = false

  /// The number of digits that always fit in 64 bits.
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
