extension Decimal128: CustomStringConvertible {
  /// The number as text, without trailing zeros in the fraction.
  ///
  ///     12.5   -0.001   1.5E+40   2E-7   Infinity   NaN
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

  /// Sufficient for a sign, 34 digits, a decimal point, six leading zeros and an exponent.
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
      writeExponent(leading)
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

  /// Writes all digits, with a decimal point after `before` digits unless none follows it.
  private mutating func writeDigits(_ coefficient: UInt128, digitCount: Int, before: Int) {
    let hasPoint = before < digitCount
    var end = count + digitCount + (hasPoint ? 1 : 0)
    let point = hasPoint ? count + before : -1
    count = end
    // Two halves of 17 digits fit in 64 bits, whose division is far cheaper.
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

  private mutating func writeExponent(_ exponent: Int) {
    append(UInt8(ascii: "E"))
    append(UInt8(ascii: exponent < 0 ? "-" : "+"))
    let size = UInt128(exponent.magnitude)
    let digitCount = Swift.max(PowerOfTen.digitCount(size), 1)
    writeDigits(size, digitCount: digitCount, before: digitCount)
  }
}
