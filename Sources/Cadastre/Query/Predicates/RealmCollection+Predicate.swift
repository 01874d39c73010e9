import CadastrePredicate
public import Foundation

extension RealmCollection {
  /// Returns the objects that match a predicate of Foundation.
  ///
  ///     try dogs.filter(#Predicate { $0.age > 3 && $0.name.starts(with: "F") })
  ///
  /// The predicate is translated and runs in the store: texts compare by their bytes, and the empty
  /// text is contained in none. A comparison of a forced value is false where the value is nil.
  ///
  /// - Throws: `QueryPredicateError` that names an expression that has no translation.
  public func filter(
    _ predicate: Foundation.Predicate<Element>
  ) throws(QueryPredicateError) -> Results<Element> {
    try filter(PredicateTranslation.predicate(predicate))
  }
}
