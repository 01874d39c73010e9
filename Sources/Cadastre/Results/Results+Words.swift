import CadastreModel
import CadastrePlanner
import CadastrePredicate

extension Results where Element: ObjectBase {
  /// Returns the objects whose text has some words, the most relevant first.
  ///
  ///     boats.search("north* wind -calm", in: \.log)
  ///
  /// Words match as by TEXT in predicates: in any letter case and without accents, `nor*` matches
  /// all words with that prefix, and `-calm` excludes a word. The relevance is BM25: texts with
  /// rarer and more frequent matches, and shorter texts, are more relevant.
  ///
  /// The text may come from a search box: only letters, digits and marks in it count, and no text is
  /// an error. One without a word matches nothing, and so does one that wants a word and excludes it.
  ///
  /// - Parameters:
  ///   - text: The words, separated by blanks.
  ///   - keyPath: A property that is marked `@Persisted(fullText: true)`.
  /// - Returns: The objects, in that order.
  public func search<Text: FullTextPersistable>(
    _ text: String, in keyPath: KeyPath<Element, Text>
  ) -> Results {
    let path = PropertyPath(PropertyNames.name(of: keyPath))
    return ProgrammingError.orStop { () throws(QueryPredicateError) in
      guard let words = TextPattern(freeText: text) else {
        return Results(try queryResult.narrowed(.constant(false)))
      }
      let found = try queryResult.narrowed(.compare(path, .text, .string(text)))
      return Results(try found.sorted([SortKey(relevanceOf: path, to: words)]))
    }
  }
}
