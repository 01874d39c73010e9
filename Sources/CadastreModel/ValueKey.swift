import Foundation

/// A value as a key of sets and groups.
///
/// Keys are equal if their values are the same in the total order.
///
///     Set([Value.int(1), .double(1), .decimal("1.0")].map(ValueKey.init)).count  // 1
///
/// Filters, distinct values, groups, sections, sets, indexes and sorting use one equality, which this type,
/// ``Value/isSame(as:)`` and ``Value/ordering(_:)`` implement. The operator `==` of queries differs only for
/// NaN, see ``Value/equals(_:areStored:)``. The article Equality of the documentation has the table.
/// The `==` of `Value` compares the bits, because writes, change sets and files preserve the bits.
package struct ValueKey: Hashable, Sendable {
  /// The canonical form of the value: equal keys have the same bits.
  private let canonical: Value

  /// Creates the key of a value.
  ///
  /// - Complexity: O(1), O(n) for lists and maps of n values.
  package init(_ value: Value) { canonical = value.canonical }
}

extension Value {
  /// Returns whether two values are the same in the total order: numbers are compared by value, strings by bytes.
  ///
  /// All NaN are the same, of any type and with any bits.
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
  ///   - areStored: Whether both values are stored; false if one is a constant of the query. A NaN of a float
  ///     or a double differs from every constant. A NaN of a decimal is equal to itself.
  /// - Returns: Whether the values are equal.
  package func equals(_ other: Value, areStored: Bool) -> Bool {
    if !areStored, doubleValue?.isNaN == true || other.doubleValue?.isNaN == true { return false }
    return isSame(as: other)
  }

  /// The canonical form: values that are the same in the total order have the same bits.
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

  /// Returns the canonical form of a number: a 64-bit integer if one is equal, else a double; one NaN for all.
  fileprivate static func canonical(_ number: Double) -> Value {
    if number.isNaN { return .double(.nan) }
    return Int64(exactly: number).map(Value.int) ?? .double(number)
  }
}

extension Decimal128 {
  /// The canonical form: an integer or a double if one is equal, else the decimal without trailing zeros.
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
  /// Precondition: an integer has an exponent of 0 or more.
  private var int64: Int64? {
    guard (0...18).contains(exponent) else { return nil }
    let (size, overflows) = coefficient.multipliedReportingOverflow(
      by: PowerOfTen.power(exponent))
    guard !overflows, size <= 1 << 63 else { return nil }
    return Int64(exactly: isNegative ? -Int128(size) : Int128(size))
  }
}

/// A string as a key, compared by its UTF-8 bytes.
///
/// The `==` of `String` is canonical equivalence.
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
  /// Returns whether two strings have the same UTF-8 bytes; canonically equivalent strings may differ.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    var (first, second) = (self, other)
    return first.withUTF8 { first in
      second.withUTF8 { second in
        guard let start = first.baseAddress, let other = second.baseAddress else { return true }
        return memcmp(start, other, first.count) == 0
      }
    }
  }

  /// Hashes the bytes.
  package func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
