/// A value as a key of sets and groups: keys are equal if their values are one value in the total order.
///
///     Set([Value.int(1), .double(1), .decimal("1.0")].map(ValueKey.init)).count  // 1
///
/// Filters, distinct values, groups, sections, sets, indexes and sorting all use the equality of this type and
/// of ``Value/isSame(as:)``, which is that of ``Value/ordering(_:)``; only `==` with a NaN differs, see
/// ``Value/equals(_:areStored:)``. The article Equality of the documentation has the table.
/// `Value` itself compares the bits, which writes, changes and files keep.
package struct ValueKey: Hashable, Sendable {
  /// The value in a form that equal values share with all bits.
  private let canonical: Value

  /// Creates the key of a value.
  ///
  /// - Complexity: O(1), O(n) for lists and maps of n values.
  package init(_ value: Value) { canonical = value.canonical }
}

extension Value {
  /// Returns whether both are one value in the total order: numbers are compared by value, strings by bytes.
  ///
  /// NaN is the same as NaN, of any type and with any bits.
  package func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.list(let first), .list(let second)):
      first.count == second.count && zip(first, second).allSatisfy { $0.isSame(as: $1) }
    case (.map(let first), .map(let second)):
      first.entries.count == second.entries.count
        && zip(first.entries, second.entries).allSatisfy {
          $0.key.hasSameBytes(as: $1.key) && $0.value.isSame(as: $1.value)
        }
    default: numericOrdering(other).map { $0 == .same } ?? (self == other)
    }
  }

  /// Returns whether `==` of the predicate language holds for two values.
  ///
  /// - Parameters:
  ///   - other: The value on the right.
  ///   - areStored: Whether both are stored, neither a constant of the query. A NaN of a float or a double is
  ///     equal to no constant. A NaN of a decimal is a value like others.
  /// - Returns: Whether it holds.
  package func equals(_ other: Value, areStored: Bool) -> Bool {
    if !areStored, doubleValue?.isNaN == true || other.doubleValue?.isNaN == true { return false }
    return isSame(as: other)
  }

  /// The value in a form that is bit-equal for values that are one in the total order.
  fileprivate var canonical: Value {
    switch self {
    case .float(let number): Self.canonical(Double(number))
    case .double(let number): Self.canonical(number)
    case .decimal(let number): number.canonical
    case .list(let elements): .list(elements.map(\.canonical))
    case .map(let map): .map(ValueMap(map.entries.map { ($0.key, $0.value.canonical) }))
    default: self
    }
  }

  /// An integer where the number is one of 64 bits, and one NaN for all.
  fileprivate static func canonical(_ number: Double) -> Value {
    if number.isNaN { return .double(.nan) }
    return Int64(exactly: number).map(Value.int) ?? .double(number)
  }
}

extension Decimal128 {
  /// An integer or a double where the number is equal to one; else the digits without zeros at the end.
  fileprivate var canonical: Value {
    guard isFinite else { return Value.canonical(doubleValue) }
    guard !isZero else { return .int(0) }
    let stripped = PowerOfTen.strippingZeros(
      coefficient, atMost: Swift.min(PowerOfTen.last, Self.exponents.upperBound - exponent))
    let shortest = Decimal128(
      isNegative: isNegative, exactly: stripped.number, exponent: exponent + stripped.count)
    if let number = shortest.int64 { return .int(number) }
    // A fraction is equal to a double only if its last decimal digit is 5.
    guard shortest.exponent >= 0 || stripped.number.isMultiple(of: 5) else {
      return .decimal(shortest)
    }
    let nearest = doubleValue
    return Self.ordering(self, nearest) == .same ? .double(nearest) : .decimal(shortest)
  }

  /// The number as an integer of 64 bits; nil for fractions and larger numbers.
  ///
  /// The exponent must be 0 or more where the number is an integer.
  private var int64: Int64? {
    guard (0...18).contains(exponent) else { return nil }
    let (size, overflows) = coefficient.multipliedReportingOverflow(
      by: PowerOfTen.power(exponent))
    guard !overflows, size <= 1 << 63 else { return nil }
    return Int64(exactly: isNegative ? -Int128(size) : Int128(size))
  }
}

/// A text as a key: texts are equal if their bytes are.
///
/// `String.==` is canonical equivalence.
package struct TextKey: Hashable, Sendable {
  /// The text.
  package let text: String

  /// Creates the key of a text.
  package init(_ text: String) { self.text = text }

  /// Returns whether the bytes are equal.
  package static func == (first: TextKey, second: TextKey) -> Bool {
    first.text.hasSameBytes(as: second.text)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
  /// Returns whether two texts have the same bytes, which equal texts need not have.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    var (first, second) = (self, other)
    return first.withUTF8 { first in
      second.withUTF8 { first.elementsEqual($0) }
    }
  }

  /// Hashes the bytes.
  package func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
