/// A term of a full-text search: a word or a prefix.
package struct TextTerm: Hashable, Sendable {
  /// The word, normalised like the words of ``TextTokens``.
  package let word: String
  /// Whether longer words that begin with it match too.
  package let isPrefix: Bool

  /// Creates a term.
  package init(word: String, isPrefix: Bool) {
    self.word = word
    self.isPrefix = isPrefix
  }

  /// Returns whether a word of a text matches the term.
  package func matches(_ other: String) -> Bool {
    isPrefix ? other.utf8.starts(with: word.utf8) : other.utf8.elementsEqual(word.utf8)
  }
}

extension TextTerm: CustomStringConvertible {
  /// The term in the syntax of search patterns: `harb*`.
  package var description: String { word + (isPrefix ? "*" : "") }
}
