extension Decimal128: CustomStringConvertible {
  /// The number as text, without trailing zeros in the fraction.
  ///
  ///     12.5   -0.001   1.5E40   2E-7   Infinity   NaN
  ///
  /// Numbers below a millionth and numbers with a positive exponent are written with an exponent.
  public var stringValue: String {
    guard coefficient != 0 || !isFinite else { return isNegative ? "-0" : "0" }
    return text(trimsFraction: true)
  }

  /// The same as ``stringValue``.
  public var description: String { stringValue }

  /// The number as text that round-trips through ``init(parsing:)`` with digits, exponent and sign:
  /// 1.50, 1E+3, -0, 0E-7, sNaN.
  ///
  /// Source: IEEE 754-2008, section 5.12; "to-scientific-string" of M. Cowlishaw's General Decimal
  /// Arithmetic Specification.
  package var exactText: String { text(trimsFraction: false) }

  private func text(trimsFraction: Bool) -> String {
    guard isFinite else {
      return isNaN ? (isSignaling ? "sNaN" : "NaN") : (isNegative ? "-Infinity" : "Infinity")
    }
    return String(unsafeUninitializedCapacity: DecimalWriter.capacity) { buffer in
      var writer = DecimalWriter(buffer)
      writer.write(self, trimsFraction: trimsFraction)
      return writer.count
    }
  }
}

/// A writer of the characters of a finite number.
private struct DecimalWriter {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  /// The maximum length: a sign, 34 digits, a decimal point, six leading zeros and an exponent.
  static let capacity = 48

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  mutating func write(_ number: Decimal128, trimsFraction: Bool) {
    if number.isNegative { append(UInt8(ascii: "-")) }
    var coefficient = number.coefficient
    var exponent = number.exponent
    let leading = coefficient == 0 ? exponent : number.leadingExponent
    let isPlain = exponent <= 0 && leading >= -6
    if trimsFraction {
      let stripped = PowerOfTen.strippingZeros(
        coefficient, atMost: isPlain ? -exponent : leading - exponent)
      coefficient = stripped.number
      exponent += stripped.count
    }
    if isPlain {
      writePlain(coefficient, fractionDigits: -exponent, leading: leading)
    } else {
      writeDigits(coefficient, digitCount: leading - exponent + 1, before: 1)
      writeExponent(leading, hasPlus: !trimsFraction)
    }
  }

  private mutating func writePlain(_ coefficient: UInt128, fractionDigits: Int, leading: Int) {
    guard leading < 0 else {
      writeDigits(coefficient, digitCount: leading + fractionDigits + 1, before: leading + 1)
      return
    }
    append(UInt8(ascii: "0"))
    append(UInt8(ascii: "."))
    for _ in 0..<(-leading - 1) { append(UInt8(ascii: "0")) }
    let digitCount = leading + fractionDigits + 1
    writeDigits(coefficient, digitCount: digitCount, before: digitCount)
  }

  private mutating func append(_ byte: UInt8) {
    buffer[count] = byte
    count += 1
  }

  /// Writes all digits, with a decimal point after `before` digits if more digits follow.
  private mutating func writeDigits(_ coefficient: UInt128, digitCount: Int, before: Int) {
    let hasPoint = before < digitCount
    var end = count + digitCount + (hasPoint ? 1 : 0)
    let point = hasPoint ? count + before : -1
    count = end
    // Each half of 17 digits fits in 64 bits, and 64-bit division is far cheaper.
    let (upper, lower) = coefficient.quotientAndRemainder(dividingBy: PowerOfTen.power(17))
    var rest = UInt64(truncatingIfNeeded: lower)
    for digit in 0..<digitCount {
      if digit == 17 { rest = UInt64(truncatingIfNeeded: upper) }
      end -= 1
      if end == point {
        buffer[end] = UInt8(ascii: ".")
        end -= 1
      }
      buffer[end] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  private mutating func writeExponent(_ exponent: Int, hasPlus: Bool) {
    append(UInt8(ascii: "E"))
    if exponent < 0 || hasPlus { append(UInt8(ascii: exponent < 0 ? "-" : "+")) }
    let size = UInt128(exponent.magnitude)
    let digitCount = Swift.max(PowerOfTen.digitCount(size), 1)
    writeDigits(size, digitCount: digitCount, before: digitCount)
  }
}

// MARK: - Parsing

extension Decimal128: ExpressibleByStringLiteral {
  /// Parses a number; NaN if the text is not a number.
  ///
  ///     -12.50   .5   7.   1E+3   2.5e-10   Infinity   -inf   NaN   sNaN
  ///
  /// A number of more than 34 digits is rounded, ties to even; a number out of range is infinity.
  ///
  /// - Parameter string: The text, with letters in either case and without spaces.
  /// - Complexity: O(n) in the length of the text.
  public init(string: String) { self = Decimal128(parsing: string) ?? .nan }

  /// Parses a string literal; NaN if the text is not a number.
  public init(stringLiteral text: String) { self = Decimal128(parsing: text) ?? .nan }

  /// Parses a number; nil if the text is not a number.
  ///
  /// ``init(string:)`` describes the syntax. The sign of NaN is ignored.
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

/// An accumulator of parsed digits: the first 38, and whether a nonzero digit follows them.
private struct DecimalDigits {
  private var head: UInt64 = 0
  private var tail: UInt64 = 0
  private var count = 0
  private var exponent = 0
  private var isTruncated = false

  /// The number of decimal digits that every 64-bit word can represent.
  private static let wordDigits = 19

  mutating func append(_ digit: UInt8, isFraction: Bool) {
    if count >= 2 * Self.wordDigits {
      isTruncated = isTruncated || digit != 0
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
      isNegative: isNegative, rounding: coefficient, exponent: written + exponent,
      isTruncated: isTruncated)
  }
}
