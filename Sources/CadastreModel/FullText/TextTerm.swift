/// A word that full-text search looks for, or the beginning of one.
package struct TextTerm: Hashable, Sendable {
  /// In the form of ``TextTokens``.
  package let word: String
  /// Whether it may go on.
  package let isPrefix: Bool

  /// Looks for a word.
  package init(word: String, isPrefix: Bool) {
    self.word = word
    self.isPrefix = isPrefix
  }

  /// Whether a word of a text is the one that is looked for.
  package func fits(_ other: String) -> Bool {
    isPrefix ? other.utf8.starts(with: word.utf8) : other.utf8.elementsEqual(word.utf8)
  }
}

extension TextTerm: CustomStringConvertible {
  /// The word as a pattern has it.
  package var description: String { word + (isPrefix ? "*" : "") }
}
