/// The entries of an ordered index that have given values in the leading columns, and a value within a range in the
/// next column.
package struct EntryRange: Hashable, Sendable {
  /// The values in the leading columns; none for an index of one column.
  package let leading: [Value]
  /// The range of the values in the next column.
  package let values: ValueRange

  /// Creates a range of entries.
  package init(leading: [Value] = [], _ values: ValueRange) {
    self.leading = leading
    self.values = values
  }
}

/// A range of values in an ordered index.
package struct ValueRange: Hashable, Sendable {
  /// A bound of a range.
  package struct Bound: Hashable, Sendable {
    /// The value of the bound.
    package let value: Value
    /// Whether the value is in the range.
    package let isIncluded: Bool

    /// Creates a bound.
    package init(_ value: Value, isIncluded: Bool) {
      self.value = value
      self.isIncluded = isIncluded
    }
  }

  /// The lower bound; nil for none.
  package var lower: Bound?
  /// The upper bound; nil for none.
  package var upper: Bound?

  /// Creates a range from its bounds.
  package init(lower: Bound? = nil, upper: Bound? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Returns the range of a single value, which may be null.
  package static func exactly(_ value: Value) -> ValueRange {
    ValueRange(
      lower: Bound(value, isIncluded: true), upper: Bound(value, isIncluded: true))
  }

  /// The ranges of all values: null, and all others.
  package static let everything = [ValueRange.exactly(.null), ValueRange()]

  /// Whether the range contains no value.
  package var isEmpty: Bool {
    guard let lower, let upper else { return false }
    switch lower.value.ordering(upper.value) {
    case .ascending: return false
    case .same: return !(lower.isIncluded && upper.isIncluded)
    case .descending: return true
    }
  }

  /// The value of a range of a single value; nil for other ranges.
  package var single: Value? {
    guard let lower, let upper, lower.isIncluded, upper.isIncluded, lower.value == upper.value
    else { return nil }
    return lower.value
  }

  /// Whether this is the range of null.
  package var isNull: Bool { single?.isNull == true }
}

extension ValueRange {
  /// Returns the intersection of two ranges.
  ///
  /// Null belongs only to the range of the single value null.
  package func intersection(_ other: ValueRange) -> ValueRange {
    if isNull || other.isNull {
      return self == other ? self : .nothing
    }
    return ValueRange(
      lower: Self.tighter(lower, other.lower, preferring: .descending),
      upper: Self.tighter(upper, other.upper, preferring: .ascending))
  }

  /// An empty range.
  private static var nothing: ValueRange {
    ValueRange(
      lower: Bound(.bool(false), isIncluded: false), upper: Bound(.bool(false), isIncluded: false))
  }

  private static func tighter(
    _ first: Bound?, _ second: Bound?, preferring preferred: ValueOrdering
  ) -> Bound? {
    guard let first else { return second }
    guard let second else { return first }
    switch first.value.ordering(second.value) {
    case .same: return first.isIncluded ? second : first
    case let order: return order == preferred ? first : second
    }
  }
}
