import CadastreModel
import CadastrePredicate

/// A condition of a filter in three-valued logic, as two predicates: in CQL2, a condition on null is neither true nor
/// false.
///
/// Source: OGC 21-065r2, 6.3, as in SQL.
struct FilterCondition {
  /// The predicate of the objects for which the condition is true.
  let whenTrue: QueryPredicate
  /// The predicate of the objects for which the condition is false.
  let whenFalse: QueryPredicate

  private init(whenTrue: QueryPredicate, whenFalse: QueryPredicate) {
    (self.whenTrue, self.whenFalse) = (whenTrue, whenFalse)
  }

  /// Creates a condition from a predicate on one field; null gives neither true nor false.
  init(_ predicate: QueryPredicate, on path: PropertyPath, isNullable: Bool) {
    let isPresent = isNullable ? [QueryPredicate.compare(path, .notEqual, .null)] : []
    whenTrue = .all([predicate] + isPresent)
    whenFalse = .all([predicate.negated] + isPresent)
  }

  /// Creates the condition that a field is null.
  init(isNull path: PropertyPath, isNullable: Bool) {
    self =
      isNullable
      ? FilterCondition(
        whenTrue: .compare(path, .equal, .null), whenFalse: .compare(path, .notEqual, .null))
      : FilterCondition.always.negated
  }

  /// The condition that is always true.
  static let always = FilterCondition(whenTrue: .constant(true), whenFalse: .constant(false))

  /// The negation of the condition.
  var negated: FilterCondition { FilterCondition(whenTrue: whenFalse, whenFalse: whenTrue) }

  /// Returns the conjunction of conditions.
  static func all(_ parts: [FilterCondition]) -> FilterCondition {
    FilterCondition(
      whenTrue: .all(parts.map(\.whenTrue)), whenFalse: .any(parts.map(\.whenFalse)))
  }

  /// Returns the disjunction of conditions.
  static func any(_ parts: [FilterCondition]) -> FilterCondition {
    all(parts.map(\.negated)).negated
  }
}

/// A pattern of LIKE in CQL2: `%` matches any text, `_` matches one character, and a backslash escapes a character.
struct FilterPattern {
  private enum Part {
    case anyText
    case anyCharacter
    case character(Character)
  }

  private var parts: [Part] = []

  /// Parses a pattern.
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

  /// The operator of the predicate language and its pattern.
  ///
  /// LIKE of the predicate language cannot escape wildcards, so that patterns with literal wildcards become regular
  /// expressions.
  var comparison: (operation: ComparisonOperator, pattern: String) {
    hasWildcardSigns ? (.matches, expression) : (.like, wildcards)
  }

  /// Whether the pattern contains a literal character that is a wildcard in CQL2 or in the predicate language.
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
