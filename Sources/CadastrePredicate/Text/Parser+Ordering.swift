import CadastreModel

/// The words that order and limit the matching objects.
enum OrderingWord: String {
  case sort = "SORT"
  case distinct = "DISTINCT"
  case limit = "LIMIT"

  /// The alternative to the word in a predicate.
  var advice: String {
    switch self {
    case .sort: "use sorted(byKeyPath:)"
    case .distinct: "use distinct(by:)"
    case .limit: "take a prefix of the results"
    }
  }
}

/// Parses the steps after the predicate of a query text.
extension Parser {
  /// The ordering word that the token is, if a bracket follows.
  var orderingWord: OrderingWord? {
    guard case .name(let name, isForced: false) = token.kind, lexer.nextIsBracket else {
      return nil
    }
    return OrderingWord(rawValue: name.uppercased())
  }

  mutating func wholeText() throws(QueryPredicateError) -> QueryText {
    var text = QueryText(predicate: try predicate())
    while let word = orderingWord {
      try advance()
      try advance()
      switch word {
      case .sort: text.orderings.append(.sort(try sortTerms()))
      case .distinct: text.orderings.append(.distinct(try distinctPaths()))
      case .limit: text.orderings.append(.limit(try limit()))
      }
      guard try take(")") else { throw expected(word == .limit ? "')'" : "',' or ')'") }
    }
    guard token.kind == .end else {
      throw expected("AND, OR, SORT, DISTINCT, LIMIT or the end of the text")
    }
    return text
  }

  private mutating func sortTerms() throws(QueryPredicateError) -> [SortTerm] {
    var terms: [SortTerm] = []
    repeat {
      let path = try propertyPath("a property to sort by")
      guard case .name(let word, _) = token.kind,
        let isAscending = Self.directions[word.uppercased()]
      else { throw expected("ASC or DESC") }
      try advance()
      terms.append(
        SortTerm(path, isAscending: isAscending, collation: try collation(), nulls: try nulls()))
    } while try take(",")
    return terms
  }

  /// Parses the options after a direction, such as `[cn]`.
  private mutating func collation() throws(QueryPredicateError) -> Collation {
    guard let word = try bracketedWord() else { return [] }
    guard let collation = Collation(word.text) else {
      throw QueryPredicateError(
        .syntax,
        "expected [c], [d], [n], several of these letters, or [localized], found [\(word.text)]",
        span: word.span)
    }
    return collation
  }

  /// Parses `NULLS FIRST` or `NULLS LAST`; nil for other tokens.
  private mutating func nulls() throws(QueryPredicateError) -> NullOrder? {
    guard case .name(let word, isForced: false) = token.kind, word.uppercased() == "NULLS" else {
      return nil
    }
    try advance()
    guard case .name(let word, _) = token.kind, let nulls = NullOrder(rawValue: word.uppercased())
    else { throw expected("FIRST or LAST") }
    try advance()
    return nulls
  }

  private static let directions = [
    "ASC": true, "ASCENDING": true, "DESC": false, "DESCENDING": false,
  ]

  private mutating func distinctPaths() throws(QueryPredicateError) -> [PropertyPath] {
    var paths: [PropertyPath] = []
    repeat { paths.append(try propertyPath("a property")) } while try take(",")
    return paths
  }

  private mutating func limit() throws(QueryPredicateError) -> Int {
    let span = token.span
    let value: Value?
    switch token.kind {
    case .constant(let constant): value = constant
    case .argument(let index): value = try argument(index, span).value
    case .nextArgument: value = try takeNextArgument(span).value
    default: value = nil
    }
    guard case .int(let count) = value, count >= 0, let limit = Int(exactly: count) else {
      throw expected("a number from 0")
    }
    try advance()
    return limit
  }
}
