package import CadastreModel

/// The pattern of TEXT: words that a text must contain, and words that it must not contain.
///
///     north wind        both words, in any order
///     nor*              a word with this prefix
///     wind -calm        the first word, and not the second
package struct TextPattern: Hashable, Sendable {
  /// The words that must all be there.
  package private(set) var included: [TextTerm] = []
  /// The words that a text must not contain.
  package private(set) var excluded: [TextTerm] = []

  /// Reads a pattern.
  ///
  /// - Throws: ``QueryPredicateError`` for a pattern without a word, and for a word that is wanted
  ///   and not wanted.
  package init(_ pattern: String) throws(QueryPredicateError) {
    self.init(wordsOf: pattern)
    guard hasWords else {
      throw QueryPredicateError(
        .invalidArgument, "TEXT needs a word to look for, and '\(pattern)' has none")
    }
    if let both = contradiction {
      throw QueryPredicateError(
        .invalidArgument, "TEXT cannot look for '\(both.word)' and leave it out at once")
    }
  }

  /// Reads free text, such as that of a search box; nil for one that matches nothing, because it has
  /// no word, or a word that is wanted and not wanted.
  package init?(freeText text: String) {
    self.init(wordsOf: text)
    if !hasWords || contradiction != nil { return nil }
  }

  private init(wordsOf text: String) {
    for piece in text.split(whereSeparator: \.isWhitespace) {
      let isExcluded = piece.hasPrefix("-")
      let words = TextTokens.words(of: String(piece))
      for (place, word) in words.enumerated() {
        let isPrefix = piece.hasSuffix("*") && place == words.count - 1
        let term = TextTerm(word: word, isPrefix: isPrefix)
        if isExcluded { excluded.append(term) } else { included.append(term) }
      }
    }
  }

  private var hasWords: Bool { !included.isEmpty || !excluded.isEmpty }

  /// A word that is wanted and not wanted.
  private var contradiction: TextTerm? {
    let excluded = Set(excluded)
    return included.first(where: excluded.contains)
  }

  /// Whether a text has all words that are wanted, and none that is not.
  package func matches(_ text: String) -> Bool {
    let words = TextTokens.words(of: text)
    return included.allSatisfy { term in words.contains(where: term.matches) }
      && !excluded.contains { term in words.contains(where: term.matches) }
  }
}

extension TextPattern: CustomStringConvertible {
  /// The words as they are written in a pattern.
  package var description: String {
    let words = included.map(\.description) + excluded.map { "-\($0)" }
    return "'\(words.joined(separator: " "))'"
  }
}
