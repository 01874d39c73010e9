/// How two operands are compared.
public enum ComparisonOperator: String, Hashable, Sendable, CaseIterable {
  /// Equal by value; null equals null.
  case equal = "=="
  /// The complement of `equal`.
  case notEqual = "!="
  /// Before.
  case less = "<"
  /// Less than or equal.
  case lessOrEqual = "<="
  /// After.
  case greater = ">"
  /// Greater than or equal.
  case greaterOrEqual = ">="
  /// Text or bytes that start with others.
  case beginsWith = "BEGINSWITH"
  /// Text or bytes that end with others.
  case endsWith = "ENDSWITH"
  /// Text or bytes that hold others anywhere.
  case contains = "CONTAINS"
  /// Text that fits a pattern of `*` (any run of characters) and `?` (one character).
  case like = "LIKE"
  /// Text that fits a regular expression from end to end.
  case matches = "MATCHES"
  /// Text with some words, and without others, see ``TextPattern``.
  case text = "TEXT"
  /// Equal to one of several values.
  case isIn = "IN"
  /// At least the first and at most the second of two values.
  case between = "BETWEEN"

  /// The operator that says the same with its sides swapped; nil where there is none.
  package var mirrored: ComparisonOperator? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .beginsWith, .endsWith, .contains, .like, .matches, .text, .isIn, .between: nil
    }
  }

  /// A number of the operator, which is part of the form of a predicate.
  package var code: UInt {
    switch self {
    case .equal: 0
    case .notEqual: 1
    case .less: 2
    case .lessOrEqual: 3
    case .greater: 4
    case .greaterOrEqual: 5
    case .beginsWith: 6
    case .endsWith: 7
    case .contains: 8
    case .like: 9
    case .matches: 10
    case .text: 11
    case .isIn: 12
    case .between: 13
    }
  }

  /// Whether the operator looks for text within text.
  package var isSubstring: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like, .matches, .text: true
    default: false
    }
  }

  /// Whether the operator depends on an order of values.
  package var isOrdered: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
    default: false
    }
  }

  /// Whether `[c]` and `[d]` may follow the operator.
  package var acceptsOptions: Bool {
    isSubstring && self != .text || [.equal, .notEqual, .isIn].contains(self)
  }

  /// Whether the right side is a pattern that is read once: it must be a constant.
  package var takesPattern: Bool { self == .matches || self == .text }
}

/// Options of string comparisons.
public struct StringOptions: OptionSet, Hashable, Sendable {
  /// The set bits.
  public let rawValue: Int8
  /// A set of options from its bits.
  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// The case of all letters of Unicode, by its mappings of one scalar to one.
  public static let caseInsensitive = StringOptions(rawValue: 1)
  /// Accents and other combining marks.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)

  /// The options as they follow an operator, `[cd]`, or nothing.
  package var suffix: String {
    let letters =
      (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}
