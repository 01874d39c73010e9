package import CadastreModel

extension Value {
  /// Whether a comparison of two values holds, by the rules of the predicate language.
  ///
  /// Null equals only null, and has no order except among strings, where it sorts first. Numbers of
  /// all kinds compare by exact value. A NaN of a float or a double is not equal to, less than or greater
  /// than any value, except that a property is equal to itself; a NaN of a decimal is equal to itself and
  /// less than all numbers. Values of other different types are unequal and have no order.
  ///
  /// - Parameters:
  ///   - operation: The operator.
  ///   - other: The value on the right.
  ///   - options: The options of string comparisons.
  ///   - isNaNEqualToItself: Whether both values were stored, so that NaN equals NaN.
  ///   - isNullOrdered: Whether null sorts before strings, as among properties of strings but not
  ///     among values of any type.
  /// - Returns: Whether it holds.
  package func matches(
    _ operation: ComparisonOperator, _ other: Value, options: StringOptions = [],
    isNaNEqualToItself: Bool = false, isNullOrdered: Bool = true
  ) -> Bool {
    switch operation {
    case .equal: isEqual(other, options, isNaNEqualToItself)
    case .notEqual: !isEqual(other, options, isNaNEqualToItself)
    case .less: order(other, isNullOrdered) == .ascending
    case .greater: order(other, isNullOrdered) == .descending
    case .lessOrEqual: order(other, isNullOrdered).map { $0 != .descending } ?? false
    case .greaterOrEqual: order(other, isNullOrdered).map { $0 != .ascending } ?? false
    case .beginsWith, .endsWith, .contains, .like: holds(operation, other, options)
    // Patterns are compiled, and several values are compared one by one.
    case .matches, .text, .isIn, .between: false
    }
  }

  private func isEqual(_ other: Value, _ options: StringOptions, _ isNaNEqual: Bool) -> Bool {
    if !options.isEmpty, let first = foldedBytes(options), let second = other.foldedBytes(options) {
      return type == other.type && first == second
    }
    return equals(other, areStored: isNaNEqual)
  }

  /// The order of two values, or nil where none is defined.
  private func order(_ other: Value, _ isNullOrdered: Bool) -> ValueOrdering? {
    if isNull && other.isNull { return .same }
    if isNullOrdered, isNull, other.type == .string { return .ascending }
    if isNullOrdered, other.isNull, type == .string { return .descending }
    if doubleValue?.isNaN == true || other.doubleValue?.isNaN == true { return nil }
    if let order = numericOrdering(other) { return order }
    guard let type, type == other.type, type != .object else { return nil }
    return ordering(other)
  }

  private func holds(
    _ operation: ComparisonOperator, _ other: Value, _ options: StringOptions
  ) -> Bool {
    if operation == .like, isNull, other.isNull { return true }
    guard let text = foldedBytes(options), let part = other.foldedBytes(options) else {
      return false
    }
    if operation == .like {
      return text.withUnsafeBufferPointer(LikePattern(part).matches)
    }
    guard !part.isEmpty, part.count <= text.count else { return false }
    return switch operation {
    case .beginsWith: text.starts(with: part)
    case .endsWith: text.suffix(part.count).elementsEqual(part)
    default: (0...text.count - part.count).contains { text[$0...].starts(with: part) }
    }
  }

  /// The bytes to compare, of text under the options or of data.
  private func foldedBytes(_ options: StringOptions) -> [UInt8]? {
    switch self {
    case .string(let text): return StringFolding.folded(text, options)
    case .data(let data):
      var bytes = Array(data)
      if options.contains(.caseInsensitive) { StringFolding.foldLatin(&bytes) }
      return bytes
    default: return nil
    }
  }
}
