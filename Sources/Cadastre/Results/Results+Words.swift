import CadastreModel
import CadastrePlanner
import CadastrePredicate

extension Results where Element: ObjectBase {
  /// The objects whose text has some words, those that suit them best first.
  ///
  ///     boats.search("north* wind -calm", in: \.log)
  ///
  /// Words are compared as by TEXT in predicates: in any letter case and without accents, `nor*` stands
  /// for all that begin so, and `-calm` must not be there. How well a text suits is its BM25: it has the
  /// rarer words, has them often, and is short.
  ///
  /// - Parameters:
  ///   - pattern: The words; none at all stop the process.
  ///   - keyPath: A property that is marked `@Persisted(fullText: true)`.
  /// - Returns: The objects, in that order.
  public func search<Text: FullTextPersistable>(
    _ pattern: String, in keyPath: KeyPath<Element, Text>
  ) -> Results {
    let path = PropertyPath(PropertyNames.name(of: keyPath))
    return Misuse.orStop { () throws(QueryPredicateError) in
      let words = try TextPattern(pattern)
      let found = try queryResult.narrowed(.compare(path, .text, .string(pattern)))
      return Results(found.sorted([SortKey(relevanceOf: path, to: words)]))
    }
  }
}
