/// A condition of a filter as two predicates, because in CQL2 a condition on null is neither true nor false.
///
/// Source: OGC 21-065r2, 6.3, with the three-valued logic of SQL.
struct FilterCondition {
  /// The predicate of the objects for which the condition is true.
  let whenTrue: String
  /// The predicate of the objects for which the condition is false.
  let whenFalse: String

  private init(whenTrue: String, whenFalse: String) {
    (self.whenTrue, self.whenFalse) = (whenTrue, whenFalse)
  }

  /// A predicate about one field; it is neither true nor false where the field is null.
  init(_ predicate: String, on path: String, isNullable: Bool = true) {
    let isPresent = isNullable ? " AND \(path) != nil" : ""
    whenTrue = "(\(predicate)\(isPresent))"
    whenFalse = "(NOT (\(predicate))\(isPresent))"
  }

  /// Whether a field is null.
  init(isNull path: String, isNullable: Bool) {
    self =
      isNullable
      ? FilterCondition(whenTrue: "\(path) == nil", whenFalse: "\(path) != nil")
      : FilterCondition.always.negated
  }

  /// The condition that is always true.
  static let always = FilterCondition(whenTrue: "TRUEPREDICATE", whenFalse: "FALSEPREDICATE")

  /// The negation.
  var negated: FilterCondition { FilterCondition(whenTrue: whenFalse, whenFalse: whenTrue) }

  /// The conjunction.
  static func all(_ parts: [FilterCondition]) -> FilterCondition {
    FilterCondition(
      whenTrue: joined(parts.map(\.whenTrue), "AND"),
      whenFalse: joined(parts.map(\.whenFalse), "OR"))
  }

  /// The disjunction.
  static func any(_ parts: [FilterCondition]) -> FilterCondition {
    all(parts.map(\.negated)).negated
  }

  private static func joined(_ parts: [String], _ word: String) -> String {
    parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " \(word) ") + ")"
  }
}

/// A pattern of LIKE in CQL2: `%` is any text, `_` is one character, and a backslash escapes.
struct FilterPattern {
  private enum Part {
    case anyText
    case anyCharacter
    case character(Character)
  }

  private var parts: [Part] = []

  /// Reads a pattern.
  init(_ text: String) {
    var isEscaped = false
    for sign in text {
      if isEscaped {
        parts.append(.character(sign))
        isEscaped = false
      } else if sign == "\\" {
        isEscaped = true
      } else {
        parts.append(sign == "%" ? .anyText : sign == "_" ? .anyCharacter : .character(sign))
      }
    }
  }

  /// The operator of the predicate language with its pattern.
  ///
  /// LIKE of the predicate language has no escape for its wildcards, so other patterns are regular expressions.
  var predicate: (word: String, pattern: String) {
    hasWildcardSigns ? ("MATCHES", expression) : ("LIKE", wildcards)
  }

  /// Whether a character is a wildcard elsewhere: of this or of the predicate language.
  private var hasWildcardSigns: Bool {
    parts.contains { if case .character(let sign) = $0 { "*?%".contains(sign) } else { false } }
  }

  private var wildcards: String {
    parts.map { part in
      switch part {
      case .anyText: "*"
      case .anyCharacter: "?"
      case .character(let sign): String(sign)
      }
    }.joined()
  }

  private var expression: String {
    parts.map { part in
      switch part {
      case .anyText: "[\\s\\S]*"
      case .anyCharacter: "[\\s\\S]"
      case .character(let sign): sign.isLetter || sign.isNumber ? String(sign) : "\\\(sign)"
      }
    }.joined()
  }
}
