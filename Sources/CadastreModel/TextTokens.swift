/// The tokenizer of full-text search.
package enum TextTokens {
  /// Returns the words of a text: runs of letters and digits, normalised.
  ///
  /// Words are in lower case, without the accents of Latin-1 letters. The letters å, æ, ø, ð and þ are
  /// distinct letters, so they keep their form.
  ///
  /// - Complexity: O(n) in the length of the text.
  package static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        // Fast path without the Unicode tables.
        switch scalar.value {
        case 0x30...0x39, 0x61...0x7A:
          word.append(scalar)
          continue
        case 0x41...0x5A:
          word.append(Unicode.Scalar(UInt8(scalar.value) + 32))
          continue
        default: break
        }
      } else if isPart(scalar) {
        append(scalar, to: &word)
        continue
      }
      if !word.isEmpty {
        words.append(String(word))
        word = String.UnicodeScalarView()
      }
    }
    if !word.isEmpty { words.append(String(word)) }
    return words
  }

  /// Returns whether a scalar is part of a word: a letter, a digit or a mark.
  static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
      true
    default: false
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to word: inout String.UnicodeScalarView) {
    if scalar.value >= 0x300, scalar.value < 0x370, let base = word.last,
      let letter = composed(base, scalar)
    {
      // The base letter is looked up for the composed letter.
      word.removeLast()
      word.append(bases[letter] ?? letter)
      return
    }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      word.append(bases[lower] ?? lower)
    }
  }

  private static func composed(_ base: Unicode.Scalar, _ mark: Unicode.Scalar) -> Unicode.Scalar? {
    var pair = String.UnicodeScalarView([base])
    pair.append(mark)
    return pairs[String(pair)]
  }

  /// The base letters of the accented small letters of Latin-1.
  private static let bases: [Unicode.Scalar: Unicode.Scalar] = {
    var bases: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (base, accented) in [
      ("a", "àáâãä"), ("c", "ç"), ("e", "èéêë"), ("i", "ìíîï"), ("n", "ñ"), ("o", "òóôõö"),
      ("u", "ùúûü"), ("y", "ýÿ"),
    ] as [(Unicode.Scalar, String)] {
      for scalar in accented.unicodeScalars { bases[scalar] = base }
    }
    return bases
  }()

  /// The composed small letters of Latin-1 by letter and combining accent.
  private static let pairs: [String: Unicode.Scalar] = {
    var pairs: [String: Unicode.Scalar] = [:]
    let marks: [Unicode.Scalar] = [
      "\u{300}", "\u{301}", "\u{302}", "\u{303}", "\u{308}", "\u{30A}", "\u{327}",
    ]
    let letters: [(Unicode.Scalar, [Unicode.Scalar?])] = [
      ("a", ["à", "á", "â", "ã", "ä", "å", nil]), ("c", [nil, nil, nil, nil, nil, nil, "ç"]),
      ("e", ["è", "é", "ê", nil, "ë", nil, nil]), ("i", ["ì", "í", "î", nil, "ï", nil, nil]),
      ("n", [nil, nil, nil, "ñ", nil, nil, nil]), ("o", ["ò", "ó", "ô", "õ", "ö", nil, nil]),
      ("u", ["ù", "ú", "û", nil, "ü", nil, nil]), ("y", [nil, "ý", nil, nil, "ÿ", nil, nil]),
    ]
    for (base, composed) in letters {
      for (mark, scalar) in zip(marks, composed) {
        var pair = String.UnicodeScalarView([base])
        pair.append(mark)
        pairs[String(pair)] = scalar
      }
    }
    return pairs
  }()
}

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
