import CadastreFormatting
import CadastreModel
import CadastrePredicate

/// Advice for predicates in the syntax of SQL that mean something else here.
enum PredicateAdvice {
  /// Throws for a pattern of LIKE with wildcards of SQL, which match nothing here.
  static func validate(_ predicate: QueryPredicate) throws(QueryPredicateError) {
    for (pattern, span) in predicate.likePatterns
    where pattern.contains("%") && !pattern.contains(where: { "*?\\".contains($0) }) {
      let shown = printable(pattern.prefix(60))
      throw QueryPredicateError(
        .invalidQuery,
        "the wildcards of LIKE are * and ?: expected LIKE '\(shown.replacing("%", with: "*"))', found "
          + "LIKE '\(shown)'; for text with a percent sign use CONTAINS, BEGINSWITH or ENDSWITH",
        span: span)
    }
  }

  /// Returns an error of the syntax with the option that does what a word of SQL does.
  static func advised(_ error: QueryPredicateError, in text: String) -> QueryPredicateError {
    guard error.kind == .syntax, let span = error.span else { return error }
    let rest = String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(span.offset)))
    let word = rest.prefix { $0.isLetter }.uppercased()
    guard let option = options[word] else { return error }
    var error = error
    error.message =
      "a predicate only says which objects match; instead of \(word) use the option \(option)"
    return error
  }

  private static let options = [
    "LIMIT": "--limit N", "OFFSET": "--offset N", "ORDER": "--sort 'FIELD desc'",
    "SORT": "--sort 'FIELD desc'", "DISTINCT": "--distinct FIELD",
    "GROUP": "--by FIELD of cadastre aggregate", "HAVING": "--having of cadastre aggregate",
  ]
}
