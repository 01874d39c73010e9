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
    case .matches: fits(other, options)
    case .text: hasWords(of: other)
    case .isIn, .between: false
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
    if operation == .like { return Self.isLike(Self.characters(text), Self.characters(part)) }
    guard !part.isEmpty, part.count <= text.count else { return false }
    return switch operation {
    case .beginsWith: text.starts(with: part)
    case .endsWith: text.suffix(part.count).elementsEqual(part)
    default: (0...text.count - part.count).contains { text[$0...].starts(with: part) }
    }
  }

  /// Whether a string has the words of a pattern; nothing has those of one that cannot be read.
  private func hasWords(of pattern: Value) -> Bool {
    guard case .string(let text) = self, case .string(let pattern) = pattern,
      let pattern = try? TextPattern(pattern)
    else { return false }
    return pattern.matches(text)
  }

  /// Whether a string fits a regular expression; nothing fits one that cannot be read.
  private func fits(_ pattern: Value, _ options: StringOptions) -> Bool {
    guard case .string(let text) = self, case .string(let pattern) = pattern,
      let expression = try? RegularExpression(pattern, options: options)
    else { return false }
    return expression.matches(text)
  }

  /// Whether a text fits a pattern of `*`, any run of characters, and `?`, exactly one.
  ///
  /// For each length of the pattern: the beginnings of the text that fit it, by their length.
  private static func isLike(_ text: [[UInt8]], _ pattern: [[UInt8]]) -> Bool {
    var fitting: Set<Int> = [0]
    for character in pattern {
      switch character {
      case [UInt8(ascii: "*")]:
        fitting = fitting.min().map { Set($0...text.count) } ?? []
      case [UInt8(ascii: "?")]:
        fitting = Set(fitting.filter { $0 < text.count }.map { $0 + 1 })
      default:
        fitting = Set(fitting.filter { $0 < text.count && text[$0] == character }.map { $0 + 1 })
      }
    }
    return fitting.contains(text.count)
  }

  /// The bytes of each character of UTF-8 text.
  private static func characters(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.reduce(into: []) { characters, byte in
      if byte & 0xC0 == 0x80, !characters.isEmpty {
        characters[characters.count - 1].append(byte)
      } else {
        characters.append([byte])
      }
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
