import CadastreGeometry

/// The result of comparing two values in a total order.
package enum ValueOrdering: Int, Sendable {
  case ascending = -1
  case same = 0
  case descending = 1

  package init<Number: Comparable>(_ first: Number, _ second: Number) {
    self = first < second ? .ascending : first == second ? .same : .descending
  }

  package var reversed: ValueOrdering { ValueOrdering(0, rawValue) }
}

extension Value {
  /// Compares two values in the total order of stored values, which sorting and indexes use.
  ///
  /// null < bool < numbers by value, NaN first < string by UTF-8 bytes < data by bytes < date
  /// < object id < UUID < geometry by the bytes of its WKB < link by key < link to an object of any class, by
  /// class and key < list < map, both element by element. Two values have the same order exactly if their
  /// ``ValueKey``s are equal.
  ///
  /// - Parameter other: The value to compare with.
  /// - Returns: The position of this value relative to `other`.
  package func ordering(_ other: Value) -> ValueOrdering {
    switch (self, other) {
    case (.bool(let first), .bool(let second)):
      ValueOrdering(first ? 1 : 0, second ? 1 : 0)
    case (.string(let first), .string(let second)):
      Self.byteOrdering(first.utf8, second.utf8)
    case (.data(let first), .data(let second)): Self.byteOrdering(first, second)
    case (.date(let first), .date(let second)): ValueOrdering(first, second)
    case (.objectId(let first), .objectId(let second)): ValueOrdering(first, second)
    case (.uuid(let first), .uuid(let second)): Self.byteOrdering(first.bytes, second.bytes)
    case (.geometry(let first), .geometry(let second)):
      Self.byteOrdering(first.wkb(), second.wkb())
    case (.link(let first), .link(let second)): ValueOrdering(first, second)
    case (.object(let first), .object(let second)):
      Self.first(
        Self.byteOrdering(first.className.utf8, second.className.utf8),
        then: ValueOrdering(first.key, second.key))
    case (.list(let first), .list(let second)):
      Self.ordering(first, second) { $0.ordering($1) }
    case (.map(let first), .map(let second)):
      Self.ordering(first.entries, second.entries) { first, second in
        Self.first(
          Self.byteOrdering(first.key.utf8, second.key.utf8),
          then: first.value.ordering(second.value))
      }
    default:
      numericOrdering(other) ?? ValueOrdering(classRank, other.classRank)
    }
  }

  /// Compares two numbers of any types by exact value, NaN first; nil unless both are numbers.
  package func numericOrdering(_ other: Value) -> ValueOrdering? {
    switch (self, other) {
    case (.int(let first), .int(let second)): ValueOrdering(first, second)
    case (.decimal(let first), .decimal(let second)): ValueOrdering(first, second)
    case (.decimal(let first), .int(let second)): Decimal128.ordering(first, second)
    case (.int(let first), .decimal(let second)): Decimal128.ordering(second, first).reversed
    case (.decimal(let first), _): other.floatingPoint.map { Decimal128.ordering(first, $0) }
    case (_, .decimal(let second)): floatingPoint.map { Decimal128.ordering(second, $0).reversed }
    case (.int(let first), _):
      other.floatingPoint.map { Self.ordering(first, $0) }
    case (_, .int(let second)):
      floatingPoint.map { Self.ordering(second, $0).reversed }
    default:
      if let first = floatingPoint, let second = other.floatingPoint {
        Self.ordering(first, second)
      } else {
        nil
      }
    }
  }

  private var floatingPoint: Double? {
    switch self {
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The rank of this value's class in the total order.
  private var classRank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectId: 6
    case .uuid: 7
    case .geometry: 8
    case .link: 9
    case .object: 10
    case .list: 11
    case .map: 12
    }
  }

  private static func first(
    _ ordering: ValueOrdering, then other: @autoclosure () -> ValueOrdering
  ) -> ValueOrdering {
    ordering == .same ? other() : ordering
  }

  /// Compares two sequences element by element; a prefix precedes the longer sequence.
  private static func ordering<Element>(
    _ first: [Element], _ second: [Element], by order: (Element, Element) -> ValueOrdering
  ) -> ValueOrdering {
    for (one, other) in zip(first, second) {
      let ordering = order(one, other)
      if ordering != .same { return ordering }
    }
    return ValueOrdering(first.count, second.count)
  }

  private static func byteOrdering(
    _ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>
  ) -> ValueOrdering {
    if first.lexicographicallyPrecedes(second) { return .ascending }
    return second.lexicographicallyPrecedes(first) ? .descending : .same
  }

  private static func ordering(_ first: Double, _ second: Double) -> ValueOrdering {
    if first.isNaN || second.isNaN {
      return ValueOrdering(first.isNaN ? 0 : 1, second.isNaN ? 0 : 1)
    }
    return ValueOrdering(first, second)
  }

  /// Compares an integer with a floating-point number exactly.
  package static func ordering(_ first: Int64, _ second: Double) -> ValueOrdering {
    if second.isNaN { return .descending }
    if second >= 0x1p63 { return .ascending }
    if second < -0x1p63 { return .descending }
    let whole = second.rounded(.towardZero)
    let byWhole = ValueOrdering(first, Int64(whole))
    return byWhole == .same ? ValueOrdering(0, second - whole) : byWhole
  }
}
