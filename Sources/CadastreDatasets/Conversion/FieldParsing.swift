package import struct Foundation.UUID

/// Parsing of field bytes; the result is nil if the bytes are not a value of the type.
///
/// The value must take the entire field, without surrounding blanks.
package enum FieldParsing {
  /// Parses an integer with an optional sign; nil if it needs more than 64 bits.
  package static func int64(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var at = 0
    let isNegative = sign(bytes, &at)
    guard at < bytes.count else { return nil }
    var magnitude: Int64 = 0
    while at < bytes.count {
      guard let digit = digit(bytes[at]) else { return nil }
      let (tens, overflowed) = magnitude.multipliedReportingOverflow(by: 10)
      // Negative numbers are accumulated downwards, because `Int64.min` has no positive counterpart.
      let (sum, exceeded) = tens.addingReportingOverflow(isNegative ? -digit : digit)
      if overflowed || exceeded { return nil }
      magnitude = sum
      at += 1
    }
    return magnitude
  }

  /// Parses a decimal number with an optional exponent and returns the nearest double.
  ///
  /// The words `nan`, `inf` and `infinity` are accepted in any letter case, hexadecimal numbers are
  /// not. A number beyond the largest finite double gives nil.
  package static func double(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    guard let decimal = DecimalNumber(bytes) else { return doubleWord(bytes) }
    if let value = decimal.exactly ?? decimal.rounded { return value }
    // The syntax is valid already, so `Double` only rounds; it does not depend on the locale.
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// Returns whether `double` gives a number, without rounding one of many digits.
  static func isDouble(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if let decimal = DecimalNumber(bytes), decimal.isFinite { return true }
    return double(bytes) != nil
  }

  /// Parses a Boolean: true or false, yes or no, 1 or 0, in any letter case.
  package static func bool(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
    if bytes.count == 1 {
      switch bytes[0] {
      case UInt8(ascii: "1"): return true
      case UInt8(ascii: "0"): return false
      default: return nil
      }
    }
    return boolWord(bytes)
  }

  /// Parses a Boolean given as a word; the digits 1 and 0 are not accepted.
  package static func boolWord(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
    if matches(bytes, "true") || matches(bytes, "yes") { return true }
    if matches(bytes, "false") || matches(bytes, "no") { return false }
    return nil
  }

  /// Parses a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12 (RFC 9562).
  package static func uuid(_ bytes: UnsafeBufferPointer<UInt8>) -> UUID? {
    guard bytes.count == 36 else { return nil }
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = hexDigit(byte) else { return nil }
      halves.high = halves.high << 4 | halves.low >> 60
      halves.low = halves.low << 4 | digit
    }
    let (high, low) = (halves.high.bigEndian, halves.low.bigEndian)
    return UUID(uuid: unsafeBitCast((high, low), to: uuidBytes.self))
  }

  /// Returns whether bytes are an ASCII word in any letter case; `word` is in lower case.
  static func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where bytes[index] | 0x20 != word.utf8Start[index] {
      return false
    }
    return true
  }

  /// Consumes an optional sign; returns true for a minus.
  static func sign(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Bool {
    guard at < bytes.count else { return false }
    let isNegative = bytes[at] == UInt8(ascii: "-")
    if isNegative || bytes[at] == UInt8(ascii: "+") { at += 1 }
    return isNegative
  }

  /// Returns the value of a decimal digit; nil for any other byte.
  @inline(__always)
  static func digit(_ byte: UInt8) -> Int64? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? Int64(value) : nil
  }

  private typealias uuidBytes = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
  )

  /// Returns the value of a hexadecimal digit in either letter case; nil for any other byte.
  static func hexDigit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  private static func doubleWord(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    var at = 0
    let isNegative = sign(bytes, &at)
    let word = UnsafeBufferPointer(rebasing: bytes[at...])
    if matches(word, "nan") { return .nan }
    guard matches(word, "inf") || matches(word, "infinity") else { return nil }
    return isNegative ? -.infinity : .infinity
  }
}

/// A decimal number as digits and exponent.
struct DecimalNumber {
  /// The digits without the decimal point, modulo 2^64.
  var digits: UInt64 = 0
  /// The number of digits without leading zeros.
  var digitCount = 0
  /// The power of ten by which `digits` is multiplied.
  var exponent = 0
  var isNegative = false

  /// Parses `[sign] digits [. digits] [e [sign] digits]`, with at least one digit before `e`.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var at = 0
    isNegative = FieldParsing.sign(bytes, &at)
    let integerStart = at
    take(bytes, &at)
    var seen = at - integerStart
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
      at += 1
      let fractionStart = at
      take(bytes, &at)
      exponent = fractionStart - at
      seen += at - fractionStart
    }
    guard seen > 0 else { return nil }
    if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      let isBelowOne = FieldParsing.sign(bytes, &at)
      guard at < bytes.count else { return nil }
      var power = 0
      while at < bytes.count, let digit = FieldParsing.digit(bytes[at]) {
        power = min(power * 10 + Int(digit), 100_000)
        at += 1
      }
      exponent += isBelowOne ? -power : power
    }
    guard at == bytes.count else { return nil }
  }

  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) {
    while at < bytes.count, let digit = FieldParsing.digit(bytes[at]) {
      digits = digits &* 10 &+ UInt64(digit)
      if digits != 0 || digitCount > 0 { digitCount += 1 }
      at += 1
    }
  }

  /// Whether the number is certainly below 10^308, the power of ten below the largest finite double.
  var isFinite: Bool { digitCount + exponent <= 308 }

  /// The nearest double if one multiplication or division of exact doubles gives it, else nil.
  ///
  /// Source: William Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990: integers
  /// below 2^53 and powers of ten up to 10^22 are exact, so the result is rounded only once.
  var exactly: Double? {
    guard digitCount <= 15, abs(exponent) < Self.powersOfTen.count else { return nil }
    let integer = Double(digits)
    let value =
      exponent < 0 ? integer / Self.powersOfTen[-exponent] : integer * Self.powersOfTen[exponent]
    return isNegative ? -value : value
  }

  /// The nearest double of a number with at most 19 digits and 19 decimal places; nil for another number.
  ///
  /// The quotient of the digits and the power of ten is computed to 63 or 64 bits. Its lowest bit is set where
  /// the division leaves a remainder, so that the conversion to a double rounds the exact quotient.
  var rounded: Double? {
    guard digitCount <= 19, digits > 0, exponent <= 0, -exponent < Self.integerPowersOfTen.count
    else { return nil }
    let divisor = Self.integerPowersOfTen[-exponent]
    let (shift, divisorShift) = (digits.leadingZeroBitCount, divisor.leadingZeroBitCount)
    let dividend = digits << shift
    let (quotient, remainder) = (divisor << divisorShift).dividingFullWidth(
      (high: dividend >> 1, low: dividend << 63))
    let value =
      Double(remainder == 0 ? quotient : quotient | 1)
      * Double(sign: .plus, exponent: divisorShift - shift - 63, significand: 1)
    return isNegative ? -value : value
  }

  private static let integerPowersOfTen: [UInt64] = (0...19).map { power in
    (0..<power).reduce(1) { product, _ in product * 10 }
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
