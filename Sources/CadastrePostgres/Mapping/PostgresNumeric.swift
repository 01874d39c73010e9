import CadastreModel

/// A decimal number in the binary form of the type `numeric`: digits of base 10,000.
package struct PostgresNumeric: Hashable, Sendable {
  private enum Sign {
    static let negative: UInt16 = 0x4000
    static let nan: UInt16 = 0xC000
    static let infinity: UInt16 = 0xD000
    static let negativeInfinity: UInt16 = 0xF000
  }

  private var sign: UInt16 = 0
  /// The exponent of the first digit, in powers of 10,000.
  private var weight: Int16 = 0
  /// The number of decimal digits after the point in text.
  private var scale: UInt16 = 0
  private var digits: [UInt16] = []

  /// Parses a text such as `-1.50E+3`, `NaN` or `-Infinity`; nil for other texts and for exponents outside of
  /// the range of the type.
  package init?(_ text: String) {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative { rest = rest.dropFirst() }
    switch rest.lowercased() {
    case "nan": sign = Sign.nan
    case "infinity", "inf":
      // The server sends this scale for infinities.
      scale = 0x20
      sign = isNegative ? Sign.negativeInfinity : Sign.infinity
    default:
      let parts = rest.split(separator: "e", omittingEmptySubsequences: false)
        .flatMap { $0.split(separator: "E", omittingEmptySubsequences: false) }
      guard parts.count <= 2, let exponent = parts.count == 2 ? Int(parts[1]) : 0 else {
        return nil
      }
      guard setDigits(parts[0], exponent: exponent) else { return nil }
      sign = isNegative && !digits.isEmpty ? Sign.negative : 0
    }
  }

  /// Sets digits, weight and scale; returns false for an invalid mantissa.
  private mutating func setDigits(_ mantissa: some StringProtocol, exponent: Int) -> Bool {
    let halves = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    let decimals = halves.joined().utf8.map { Int($0) - 48 }
    guard halves.count <= 2, !decimals.isEmpty, decimals.allSatisfy({ (0...9).contains($0) }),
      abs(exponent) < 16_000
    else { return false }
    let fraction = halves.count == 2 ? halves[1].count : 0
    // The exponent of the last decimal digit.
    let last = exponent - fraction
    let padding = (last % 4 + 4) % 4
    var aligned = decimals + Array(repeating: 0, count: padding)
    aligned = Array(repeating: 0, count: (4 - aligned.count % 4) % 4) + aligned
    digits = stride(from: 0, to: aligned.count, by: 4).map { start in
      UInt16(aligned[start..<start + 4].reduce(0) { $0 * 10 + $1 })
    }
    var first = digits.count - 1 + (last - padding) / 4
    while digits.first == 0 {
      digits.removeFirst()
      first -= 1
    }
    while digits.last == 0 { digits.removeLast() }
    scale = UInt16(max(0, -last))
    weight = digits.isEmpty ? 0 : Int16(first)
    return true
  }

  /// Reads the binary form; nil for incomplete bytes or an invalid digit.
  init?(_ reader: inout BinaryReader) {
    guard let count = reader.integer(Int16.self), let weight = reader.integer(Int16.self),
      let sign = reader.integer(UInt16.self), let scale = reader.integer(UInt16.self), count >= 0
    else { return nil }
    (self.weight, self.sign, self.scale) = (weight, sign, scale)
    for _ in 0..<count {
      guard let digit = reader.integer(UInt16.self), digit < 10_000 else { return nil }
      digits.append(digit)
    }
  }

  /// Appends the binary form.
  func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(Int16(digits.count))
    bytes.appendBigEndian(weight)
    bytes.appendBigEndian(sign)
    bytes.appendBigEndian(scale)
    for digit in digits { bytes.appendBigEndian(digit) }
  }

  /// The number as text that `Decimal128(parsing:)` reads.
  package var text: String {
    switch sign {
    case Sign.nan: return "NaN"
    case Sign.infinity: return "Infinity"
    case Sign.negativeInfinity: return "-Infinity"
    default: break
    }
    // All digits down to the scale, as one integer with an exponent.
    var decimals = digits.map { digit in
      String(repeating: "0", count: 4 - String(digit).count) + String(digit)
    }.joined()
    let last = (Int(weight) - digits.count + 1) * 4
    let surplus = last + Int(scale)
    if surplus >= 0 {
      decimals += String(repeating: "0", count: digits.isEmpty ? 0 : surplus)
    } else {
      decimals.removeLast(min(-surplus, decimals.count))
    }
    let significant = decimals.drop { $0 == "0" }
    return (sign == Sign.negative ? "-" : "") + (significant.isEmpty ? "0" : String(significant))
      + "E-\(scale)"
  }
}
