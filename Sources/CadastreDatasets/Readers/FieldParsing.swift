package import struct Foundation.UUID

/// Parsing of field bytes; the result is nil if the bytes are no value of the type.
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
