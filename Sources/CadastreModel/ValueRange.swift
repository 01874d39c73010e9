/// The values between two bounds of an ordered index.
package struct ValueRange: Hashable, Sendable {
  /// An end of a range.
  package struct Bound: Hashable, Sendable {
    /// The value at the end.
    package let value: Value
    /// Whether the value itself belongs to the range.
    package let isIncluded: Bool

    /// An end at a value.
    package init(_ value: Value, isIncluded: Bool) {
      self.value = value
      self.isIncluded = isIncluded
    }
  }

  /// The lower end; nil for none.
  package var lower: Bound?
  /// The upper end; nil for none.
  package var upper: Bound?

  /// The values between two ends.
  package init(lower: Bound? = nil, upper: Bound? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Exactly one value, which may be null.
  package static func exactly(_ value: Value) -> ValueRange {
    ValueRange(
      lower: Bound(value, isIncluded: true), upper: Bound(value, isIncluded: true))
  }

  /// Whether no value can lie in the range.
  package var isEmpty: Bool {
    guard let lower, let upper else { return false }
    switch lower.value.ordering(upper.value) {
    case .ascending: return false
    case .same: return !(lower.isIncluded && upper.isIncluded)
    case .descending: return true
    }
  }

  /// The single value of the range, if there is only one.
  package var single: Value? {
    guard let lower, let upper, lower.isIncluded, upper.isIncluded, lower.value == upper.value
    else { return nil }
    return lower.value
  }
}

extension ValueRange {
  /// What two ranges have in common; null lies only in the range of exactly null.
  package func intersection(_ other: ValueRange) -> ValueRange {
    if single?.isNull == true || other.single?.isNull == true {
      return self == other ? self : .nothing
    }
    return ValueRange(
      lower: Self.tighter(lower, other.lower, wanting: .descending),
      upper: Self.tighter(upper, other.upper, wanting: .ascending))
  }

  /// A range that holds no value.
  private static var nothing: ValueRange {
    ValueRange(
      lower: Bound(.bool(false), isIncluded: false), upper: Bound(.bool(false), isIncluded: false))
  }

  private static func tighter(
    _ first: Bound?, _ second: Bound?, wanting order: ValueOrdering
  ) -> Bound? {
    guard let first else { return second }
    guard let second else { return first }
    switch first.value.ordering(second.value) {
    case .same: return first.isIncluded ? second : first
    case let found: return found == order ? first : second
    }
  }
}
