package import CadastreModel

/// The minimum, maximum, sum and average of values.
///
/// Null and NaN are ignored.
package struct Aggregation {
  /// The smallest value; nil where there is none.
  package private(set) var minimum: Value?
  /// The largest value; nil where there is none.
  package private(set) var maximum: Value?
  /// The number of numbers.
  private(set) var count = 0
  private var whole: Int128 = 0
  private(set) var fraction = 0.0
  private var decimal = Decimal128()
  private var hasFraction = false
  private var hasDecimal = false
  private let type: PropertyType

  /// An aggregation of no values yet, of a property of some type.
  package init(of type: PropertyType) { self.type = type }

  /// Adds a value.
  package mutating func add(_ value: Value) {
    if value.isNull || value.isNaN { return }
    if type == .any, !(value.type?.isNumeric ?? false) {
      extend(value)
      return
    }
    extend(value)
    switch value {
    case .int(let number): whole += Int128(number)
    case .float(let number):
      fraction += Double(number)
      hasFraction = true
    case .double(let number):
      fraction += number
      hasFraction = true
    case .decimal(let number):
      decimal += number
      hasDecimal = true
    default: return
    }
    count += 1
  }

  /// Adds the sum of some whole numbers.
  mutating func add(whole sum: Int128, count: Int) {
    whole += sum
    self.count += count
  }

  /// Replaces the sum of the fractions so far, and adds to the number of values.
  mutating func replace(fraction sum: Double, adding count: Int) {
    fraction = sum
    hasFraction = true
    self.count += count
  }

  /// Extends minimum and maximum to a value.
  mutating func extend(_ value: Value) {
    if minimum.map({ value.ordering($0) == .ascending }) ?? true { minimum = value }
    if maximum.map({ value.ordering($0) == .descending }) ?? true { maximum = value }
  }

  /// The sum, zero of no values; nil where whole numbers do not fit 64 bits.
  package var sum: Value? {
    switch type {
    case .int: return Int64(exactly: whole).map { .int($0) }
    case .float: return .float(Float(fraction))
    case .decimal128, .any: return exactSum
    default: return .double(fraction)
    }
  }

  /// The sum divided by the number of values; nil where there is none.
  package var average: Value? {
    guard count > 0 else { return nil }
    if hasDecimal || type == .any {
      return .decimal(exact / Decimal128(Int64(count)))
    }
    return .double((Double(whole) + fraction) / Double(count))
  }

  /// The sum as a decimal number, which holds each sum of whole numbers to 34 digits.
  package var exactSum: Value { .decimal(exact) }

  /// The sum of numbers of all kinds.
  private var exact: Decimal128 {
    var sum = decimal
    if whole != 0 { sum += Decimal128(parsing: "\(whole)") ?? Decimal128() }
    if hasFraction { sum += Decimal128(fraction) }
    return sum
  }
}
