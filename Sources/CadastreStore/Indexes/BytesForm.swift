import CadastreModel
import Foundation

/// The form in which a column of fractions or dates stores some values as bytes: the bits of a number.
///
/// The bytes of numbers without a sign precede those of negative numbers, which are in reverse order.
struct BytesForm {
  private let type: PropertyType

  init(_ type: PropertyType) { self.type = type }

  /// Returns the stored bytes of a number.
  func stored(_ number: Double) -> Value {
    func bytes(_ bits: some FixedWidthInteger) -> Value {
      .data(withUnsafeBytes(of: bits.bigEndian) { Data($0) })
    }
    guard type == .float else { return bytes(number.bitPattern) }
    let single = number.isNaN ? number.sign == .minus ? -Float.nan : Float.nan : Float(number)
    return bytes(single.bitPattern)
  }

  /// Returns a range of bytes that contains all numbers from 0 within a range of values, and few others; nil if the
  /// range has no such number.
  func positive(_ range: ValueRange) -> ValueRange? {
    guard number(range.upper).map({ $0 >= 0 }) ?? true else { return nil }
    let lower = max(0, number(range.lower).map(below) ?? 0)
    let upper = number(range.upper).map { stored(above($0)) } ?? end(.infinity, 0x7f)
    return bytes(from: stored(lower), through: upper)
  }

  /// Returns a range of bytes that contains all numbers up to -0.0 within a range of values, and few others; nil if the
  /// range has no such number.
  func negative(_ range: ValueRange) -> ValueRange? {
    guard number(range.lower).map({ $0 <= 0 }) ?? true else { return nil }
    let upper = -max(0, number(range.upper).map { -above($0) } ?? 0)
    let lower = number(range.lower).map { stored(below($0)) } ?? end(-.infinity, 0xff)
    return bytes(from: stored(upper), through: lower)
  }

  private func bytes(from first: Value, through last: Value) -> ValueRange {
    ValueRange(
      lower: ValueRange.Bound(first, isIncluded: true),
      upper: ValueRange.Bound(last, isIncluded: true))
  }

  /// Returns the last bytes of a sign: those of infinity, or of no date.
  private func end(_ infinity: Double, _ first: UInt8) -> Value {
    type == .date
      ? .data(Data([first]) + Data(repeating: 0xff, count: 7)) : stored(infinity)
  }

  /// Returns the number whose bits are near those of a bound.
  private func number(_ bound: ValueRange.Bound?) -> Double? {
    if case .date(let date)? = bound?.value { return date.date.timeIntervalSinceReferenceDate }
    return bound?.value.doubleValue
  }

  // A number may be rounded.
  private func below(_ number: Double) -> Double {
    type == .float ? Double(Float(number).nextDown) : number.nextDown
  }

  private func above(_ number: Double) -> Double {
    type == .float ? Double(Float(number).nextUp) : number.nextUp
  }
}
