import CadastreModel
import CadastrePredicate

/// The ranges of an ordered index that hold the rows a comparison can match.
struct IndexRanges {
  /// The ranges, apart from each other.
  var ranges: [ValueRange]
  /// Whether every row in the ranges matches; else the comparison stays as a residual filter.
  var isExact: Bool

  /// The ranges for a comparison of a property with constants; nil where an index does not help.
  init?(_ own: OwnComparison) {
    let (comparison, path, property) = (own.comparison, own.path, own.leaf)
    guard comparison.options.isEmpty, property.collection == nil, property.type != .object else {
      return nil
    }
    guard !Self.hasDecimal(comparison.right) else { return nil }
    if property.type == .any {
      guard let values = Self.lookedUp(comparison) else { return nil }
      ranges = values.map(ValueRange.exactly)
      isExact = false
      return
    }
    switch (comparison.operation, comparison.right) {
    case (.isIn, .list(let values)):
      var seen: Set<Value> = []
      let pieces = values.filter { seen.insert($0).inserted }.map {
        Self.ranges(.equal, $0, property, path)
      }
      ranges = Self.apart(pieces.flatMap { $0 })
    case (.between, .list(let bounds)) where bounds.count == 2:
      ranges = [
        ValueRange(
          lower: ValueRange.Bound(bounds[0], isIncluded: true),
          upper: ValueRange.Bound(bounds[1], isIncluded: true))
      ]
      if bounds.contains(where: \.isNaN) { ranges = [] }
    case (.beginsWith, .value(let prefix)):
      guard let range = Self.prefixRange(prefix) else { return nil }
      ranges = [range]
    case (let operation, .value(let value)) where operation.isOrdered || operation == .equal:
      ranges = Self.ranges(operation, value, property, path)
    default: return nil
    }
    if ranges.contains(where: { $0.isEmpty }) { ranges.removeAll { $0.isEmpty } }
    isExact = true
  }

  /// Whether some constant is a decimal number, which no index orders.
  private static func hasDecimal(_ operand: BoundOperand) -> Bool {
    switch operand {
    case .value(let value): value.type == .decimal128
    case .list(let values): values.contains { $0.type == .decimal128 }
    default: false
    }
  }

  /// The values that a property of any type must be equal to; nil where the index does not order
  /// all such values consistently, as with numbers of different types.
  private static func lookedUp(_ comparison: BoundComparison) -> [Value]? {
    guard comparison.operation == .equal || comparison.operation == .isIn else { return nil }
    let values = comparison.right.constants ?? []
    let fit = values.allSatisfy { value in
      switch value {
      case .string, .data, .objectId, .uuid: true
      default: false
      }
    }
    return fit && !values.isEmpty ? values : nil
  }

  private static func ranges(
    _ operation: ComparisonOperator, _ value: Value, _ property: Property, _ path: BoundPath
  ) -> [ValueRange] {
    if value.isNull { return nullRanges(operation, property) }
    if value.isNaN { return [] }
    let included = ValueRange.Bound(value, isIncluded: true)
    let excluded = ValueRange.Bound(value, isIncluded: false)
    // Among strings null sorts first, so it is less than every value.
    let nulls = property.type == .string && path.isNullable ? [ValueRange.exactly(.null)] : []
    return switch operation {
    case .equal: [ValueRange(lower: included, upper: included)]
    case .less: nulls + [ValueRange(upper: excluded)]
    case .lessOrEqual: nulls + [ValueRange(upper: included)]
    // The index stores NaN as bytes, above all numbers.
    case .greater: [ValueRange(lower: excluded, upper: last(property))]
    case .greaterOrEqual: [ValueRange(lower: included, upper: last(property))]
    default: []
    }
  }

  private static func nullRanges(
    _ operation: ComparisonOperator, _ property: Property
  ) -> [ValueRange] {
    let null = ValueRange.exactly(.null)
    return switch operation {
    case .equal, .lessOrEqual: [null]
    case .greaterOrEqual: property.type == .string ? [null, ValueRange()] : [null]
    case .greater: property.type == .string ? [ValueRange()] : []
    default: []
    }
  }

  private static func last(_ property: Property) -> ValueRange.Bound? {
    property.type == .double || property.type == .float
      ? ValueRange.Bound(.double(.infinity), isIncluded: true) : nil
  }

  /// The range of the strings that start with a prefix.
  ///
  /// It ends before the prefix with its last scalar replaced by the next one. UTF-8 preserves the
  /// order of scalars, so the range is complete.
  private static func prefixRange(_ prefix: Value) -> ValueRange? {
    guard case .string(let text) = prefix, let last = text.unicodeScalars.last,
      let successor = nextScalar(last)
    else { return nil }
    var upper = String(String.UnicodeScalarView(text.unicodeScalars.dropLast()))
    upper.unicodeScalars.append(successor)
    return ValueRange(
      lower: ValueRange.Bound(prefix, isIncluded: true),
      upper: ValueRange.Bound(.string(upper), isIncluded: false))
  }

  /// The scalar after another in the order of UTF-8, surrogates skipped.
  private static func nextScalar(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    Unicode.Scalar(scalar.value == 0xD7FF ? 0xE000 : scalar.value + 1)
  }

  /// Removes ranges that are equal by value, such as those of 3 and 3.0 in one IN.
  private static func apart(_ ranges: [ValueRange]) -> [ValueRange] {
    let ordered = ranges.sorted { first, second in
      (first.lower?.value ?? .null).ordering(second.lower?.value ?? .null) == .ascending
    }
    return ordered.reduce(into: []) { apart, range in
      let previous = apart.last?.lower?.value
      if let previous, let value = range.lower?.value, previous.ordering(value) == .same { return }
      apart.append(range)
    }
  }
}

extension BoundPredicate {
  /// The comparison of a property of the class itself, or of an object embedded in it, with its
  /// path; nil for anything else and behind links.
  var ownComparison: OwnComparison? {
    guard case .comparison(let comparison) = self, case .property(let path) = comparison.left,
      let properties = path.properties, let last = properties.last,
      properties.dropLast().allSatisfy({ $0.target.contains(.embedded) })
    else { return nil }
    return OwnComparison(
      comparison: comparison, path: path, properties: properties, leaf: last.property)
  }
}

/// A comparison of a property of the class itself, or of an object embedded in it.
struct OwnComparison {
  let comparison: BoundComparison
  let path: BoundPath
  /// The properties on the path.
  let properties: [BoundProperty]
  /// The last of them.
  let leaf: Property
}
