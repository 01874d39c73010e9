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
