import CadastreModel
import CadastrePredicate

/// A type whose values are text that may have a full-text index: strings, and optional ones.
public protocol FullTextPersistable: Persistable {}

extension String: FullTextPersistable {}
extension Optional: FullTextPersistable where Wrapped == String {}

extension Query where Value: FullTextPersistable {
  /// Has all of some words, in any order, and none of others.
  ///
  ///     boats.where { $0.log.hasWords("north* wind -calm") }
  ///
  /// A word stands for itself in any letter case and without its accents, `nor*` for all that begin so,
  /// and `-calm` for one that must not be there. A property that is marked
  /// `@Persisted(fullText: true)` is searched by index.
  ///
  /// - Parameter pattern: The words; none at all stop the process.
  /// - Returns: The condition.
  public func hasWords(_ pattern: String) -> Query<Bool> {
    condition { .comparison(Comparison($0, .text, .value(.string(pattern)))) }
  }
}
