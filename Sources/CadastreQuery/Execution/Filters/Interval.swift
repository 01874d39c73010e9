import CadastreModel
import CadastrePredicate

/// The values between two ends, both ends belonging to it.
struct Interval<Bound: Comparable & Sendable>: Sendable {
  var lower: Bound
  var upper: Bound

  @inline(__always)
  func contains(_ value: Bound) -> Bool { value >= lower && value <= upper }
}

extension Interval<Int64> {
  /// The whole numbers for which a comparison with a number of any kind holds; nil for none.
  ///
  /// A comparison with a fraction becomes one with the adjacent whole number, so nothing is
  /// rounded.
  static func holding(_ operation: ComparisonOperator, _ value: Value) -> Interval? {
    guard let (floor, isWhole) = floor(of: value) else { return nil }
    // Where the constant is beyond all whole numbers, all of them match or none.
    switch operation {
    case .equal:
      guard isWhole, case .within(let number) = floor else { return nil }
      return Interval(lower: number, upper: number)
    case .less: return upTo(floor, isIncluded: !isWhole)
    case .lessOrEqual: return upTo(floor, isIncluded: true)
    case .greater: return from(floor, isIncluded: false)
    case .greaterOrEqual: return from(floor, isIncluded: isWhole)
    default: return nil
    }
  }

  private enum Floor {
    case below
    case within(Int64)
    case above
  }

  private static func floor(of value: Value) -> (Floor, isWhole: Bool)? {
    if case .int(let number) = value { return (.within(number), true) }
    guard let number = value.doubleValue, !number.isNaN else { return nil }
    if number >= 0x1p63 { return (.above, true) }
    if number < -0x1p63 { return (.below, true) }
    let floor = number.rounded(.down)
    return (.within(Int64(floor)), floor == number)
  }

  private static func upTo(_ floor: Floor, isIncluded: Bool) -> Interval? {
    switch floor {
    case .below: nil
    case .above: Interval(lower: .min, upper: .max)
    case .within(let number):
      if isIncluded {
        Interval(lower: .min, upper: number)
      } else {
        number == .min ? nil : Interval(lower: .min, upper: number - 1)
      }
    }
  }

  private static func from(_ floor: Floor, isIncluded: Bool) -> Interval? {
    switch floor {
    case .above: nil
    case .below: Interval(lower: .min, upper: .max)
    case .within(let number):
      if isIncluded {
        Interval(lower: number, upper: .max)
      } else {
        number == .max ? nil : Interval(lower: number + 1, upper: .max)
      }
    }
  }
}

extension Interval<Double> {
  /// The 64-bit fractions for which a comparison with a number of any kind holds; nil for none.
  ///
  /// NaN lies in no interval.
  static func holding(_ operation: ComparisonOperator, _ value: Value) -> Interval? {
    guard let number = value.doubleValue, !number.isNaN else { return nil }
    // A whole number beyond 2^53 may lie between two fractions.
    var nearest = ValueOrdering.same
    if case .int(let whole) = value { nearest = Value.ordering(whole, number).reversed }
    let isAbove = nearest == .descending
    let isExact = nearest == .same
    switch operation {
    case .equal: return isExact ? Interval(lower: number, upper: number) : nil
    // Nothing lies beyond the infinities, and the fraction next to one is the infinity itself.
    case .less where number == -.infinity, .greater where number == .infinity: return nil
    case .less: return upTo(isExact || isAbove ? number.nextDown : number)
    case .lessOrEqual: return upTo(isAbove ? number.nextDown : number)
    case .greater: return from(isExact || !isAbove ? number.nextUp : number)
    case .greaterOrEqual: return from(!isExact && !isAbove ? number.nextUp : number)
    default: return nil
    }
  }

  private static func upTo(_ upper: Double) -> Interval {
    Interval(lower: -.infinity, upper: upper)
  }

  private static func from(_ lower: Double) -> Interval {
    Interval(lower: lower, upper: .infinity)
  }
}

extension Interval<Timestamp> {
  /// The timestamps for which a comparison with a timestamp holds; nil for none.
  static func holding(_ operation: ComparisonOperator, _ value: Value) -> Interval? {
    guard case .date(let moment) = value else { return nil }
    let (first, last) = (Timestamp.least, Timestamp.greatest)
    switch operation {
    case .equal: return Interval(lower: moment, upper: moment)
    case .less:
      guard moment > first else { return nil }
      return Interval(lower: first, upper: moment.neighbor(-1))
    case .lessOrEqual: return Interval(lower: first, upper: moment)
    case .greater:
      guard moment < last else { return nil }
      return Interval(lower: moment.neighbor(1), upper: last)
    case .greaterOrEqual: return Interval(lower: moment, upper: last)
    default: return nil
    }
  }
}

extension Timestamp {
  /// Returns a bound that separates this timestamp from all later ones, or with -1 from all earlier ones.
  fileprivate func neighbor(_ step: Int64) -> Timestamp {
    Timestamp(seconds: seconds, subsecond: subsecond + step)
  }
}
