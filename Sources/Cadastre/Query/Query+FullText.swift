import CadastreModel
import CadastrePredicate

/// A type whose values are text that may have a full-text index: strings, and optional ones.
@_documentation(visibility: internal)
public protocol FullTextPersistable: Persistable {}

extension String: FullTextPersistable {}
extension Optional: FullTextPersistable where Wrapped == String {}

extension Query where Value: FullTextPersistable {
  /// Matches texts with all of some words, in any order, and none of others.
  ///
  ///     boats.where { $0.log.hasWords("north* wind -calm") }
  ///
  /// A word matches in any letter case and without accents, `nor*` matches all words with that
  /// prefix, and `-calm` excludes a word. A property marked `@Persisted(fullText: true)` is
  /// searched by index.
  ///
  /// The text may come from a search box: only letters, digits and marks in it count, and no text is
  /// an error. One without a word matches nothing, and so does one that wants a word and excludes it.
  ///
  /// - Parameter text: The words, separated by blanks.
  /// - Returns: The condition.
  public func hasWords(_ text: String) -> Query<Bool> {
    guard TextPattern(freeText: text) != nil else { return condition { _ in .constant(false) } }
    return condition { .comparison(Comparison($0, .text, .value(.string(text)))) }
  }
}
