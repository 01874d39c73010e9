import CadastrePredicate
public import Foundation

extension RealmCollection {
  /// Those of the objects that match a predicate of Foundation.
  ///
  ///     try dogs.filter(#Predicate { $0.age > 3 && $0.name.starts(with: "F") })
  ///
  /// It is asked of the store, not of each object: texts compare by their bytes, and the empty text
  /// is part of none. No comparison of a forced value holds where that is nil.
  ///
  /// - Throws: ``QueryPredicateError`` that names what has no meaning in a query.
  public func filter(
    _ predicate: Foundation.Predicate<Element>
  ) throws(QueryPredicateError) -> Results<Element> {
    try filter(PredicateTranslation.predicate(predicate))
  }
}
