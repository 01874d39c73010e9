import CadastreModel

/// The position of a number among the values of a column of another numeric type.
enum NumericBound<Number> {
  /// The column's type has the number.
  case exact(Number)
  /// The number lies between this value and the next greater one.
  case above(Number)
  /// The number is greater than all values.
  case aboveAll
  /// The number is less than all values.
  case belowAll
}

extension NumericBound<Int64> {
  /// The position of a floating-point number that is not NaN among the integers.
  init(_ number: Double) {
    if number >= 0x1p63 {
      self = .aboveAll
    } else if number < -0x1p63 {
      self = .belowAll
    } else {
      let floor = number.rounded(.down)
      self = floor == number ? .exact(Int64(floor)) : .above(Int64(floor))
    }
  }
}

extension NumericBound<Double> {
  /// The position of an integer or a decimal that is not NaN among the doubles.
  init(_ number: Value, near start: Double) {
    var lower = start
    // The start is the nearest double or a neighbour of it, so few steps are needed.
    while Value.double(lower).numericOrdering(number) == .descending { lower = lower.nextDown }
    while Value.double(lower.nextUp).numericOrdering(number) != .descending, lower < .infinity {
      lower = lower.nextUp
    }
    self = Value.double(lower).numericOrdering(number) == .same ? .exact(lower) : .above(lower)
  }
}
