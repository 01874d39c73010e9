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
