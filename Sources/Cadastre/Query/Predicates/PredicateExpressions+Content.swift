import CadastrePredicate
public import Foundation

extension PredicateExpressions {
  /// The comparison of a whole collection with an array or a dictionary: `$0.marks == [1, 2]`.
  public struct ContentEquality<Collection: PredicateExpression, Content: PredicateExpression>:
    PredicateExpression
  where
    Collection.Output: ContentComparable, Content.Output == Collection.Output.Content
  {
    let collection: Collection
    let content: Content
    /// Whether equal or unequal contents match.
    let isEqual: Bool

    /// Returns whether the contents are equal, or unequal.
    ///
    /// - Parameter bindings: The values of the variables.
    /// - Returns: Whether the comparison holds.
    /// - Throws: The errors of the operands.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let collection = try collection.evaluate(bindings)
      return collection.hasContent(try content.evaluate(bindings)) == isEqual
    }
  }

  /// Creates the expression `$0.marks == [1, 2]`, for the macro `#Predicate`.
  ///
  /// - Parameters:
  ///   - lhs: The collection.
  ///   - rhs: The array or dictionary.
  /// - Returns: The expression.
  public static func build_Equal<Collection, Content>(
    lhs: Collection, rhs: Content
  ) -> ContentEquality<Collection, Content> {
    ContentEquality(collection: lhs, content: rhs, isEqual: true)
  }

  /// Creates the expression `$0.marks != [1, 2]`, for the macro `#Predicate`.
  ///
  /// - Parameters:
  ///   - lhs: The collection.
  ///   - rhs: The array or dictionary.
  /// - Returns: The expression.
  public static func build_NotEqual<Collection, Content>(
    lhs: Collection, rhs: Content
  ) -> ContentEquality<Collection, Content> {
    ContentEquality(collection: lhs, content: rhs, isEqual: false)
  }
}

extension PredicateExpressions.ContentEquality: StandardPredicateExpression
where Collection: StandardPredicateExpression, Content: StandardPredicateExpression {}
extension PredicateExpressions.ContentEquality: Codable
where Collection: Codable, Content: Codable {}
extension PredicateExpressions.ContentEquality: Sendable
where Collection: Sendable, Content: Sendable {}

extension PredicateExpressions.ContentEquality: TranslatableExpression
where Collection: TranslatableExpression, Content: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (collection, content) = (
      try collection.term(in: &translation), try content.term(in: &translation)
    )
    return .condition(
      try translation.compare(collection, isEqual ? .equal : .notEqual, content))
  }
}
