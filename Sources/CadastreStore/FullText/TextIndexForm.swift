import CadastreModel

/// The words of texts in the form in which FTS5 keeps them: letters and digits of ASCII alone, so that
/// its tokenizer, whatever its version of Unicode, cuts them where we do.
///
/// Other scalars are written as `z`, their number in hexadecimal, and `y`; a `z` itself as `zz`. A word
/// that begins another one does so in this form too.
enum TextIndexForm {
  /// The words of a text, parted by blanks; nil where it has none.
  static func words(of text: String) -> String? {
    let words = TextTokens.words(of: text)
    return words.isEmpty ? nil : words.map(word).joined(separator: " ")
  }

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

  /// What FTS5 is asked for; nil where no word must be there, of which it can find nothing.
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
