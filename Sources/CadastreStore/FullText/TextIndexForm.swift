import CadastreModel

/// The encoding of words in the FTS5 table: ASCII letters and digits only, so that its tokenizer separates
/// them as ours does, independent of its version of Unicode.
///
/// Other scalars are encoded as `z`, their number in hexadecimal, and `y`; `z` is encoded as `zz`. The
/// encoding preserves prefixes.
enum TextIndexForm {
  /// Returns the encoded words of a text, separated by spaces; nil where it has none.
  static func words(of text: String) -> String? {
    let words = TextTokens.words(of: text)
    return words.isEmpty ? nil : words.map(word).joined(separator: " ")
  }

  /// Returns an encoded word.
  static func word(_ word: String) -> String {
    var form = ""
    for scalar in word.unicodeScalars {
      if scalar == "z" {
        form += "zz"
      } else if scalar.isASCII {
        form.unicodeScalars.append(scalar)
      } else {
        form += "z\(String(scalar.value, radix: 16))y"
      }
    }
    return form
  }

  /// Returns the FTS5 expression of a search; nil where no word is required, which FTS5 does not support.
  static func expression(including: [TextTerm], excluding: [TextTerm]) -> String? {
    guard !including.isEmpty else { return nil }
    let wanted = including.map(term).joined(separator: " AND ")
    guard !excluding.isEmpty else { return wanted }
    return "(\(wanted)) NOT (\(excluding.map(term).joined(separator: " OR ")))"
  }

  private static func term(_ term: TextTerm) -> String {
    "\"\(word(term.word))\"" + (term.isPrefix ? "*" : "")
  }
}
