/// A pattern of LIKE in CQL2: `%` is any text, `_` is one character, and a backslash escapes.
struct FilterPattern {
  private enum Part {
    case anyText
    case anyCharacter
    case character(Character)
  }

  private var parts: [Part] = []

  /// Reads a pattern.
  init(_ text: String) {
    var isEscaped = false
    for sign in text {
      if isEscaped {
        parts.append(.character(sign))
        isEscaped = false
      } else if sign == "\\" {
        isEscaped = true
      } else {
        parts.append(sign == "%" ? .anyText : sign == "_" ? .anyCharacter : .character(sign))
      }
    }
  }

  /// The operator of the predicate language with its pattern.
  ///
  /// LIKE of the predicate language has no escape for its wildcards, so other patterns are regular expressions.
  var predicate: (word: String, pattern: String) {
    hasWildcardSigns ? ("MATCHES", expression) : ("LIKE", wildcards)
  }

  /// Whether a character is a wildcard elsewhere: of this or of the predicate language.
  private var hasWildcardSigns: Bool {
    parts.contains { if case .character(let sign) = $0 { "*?%".contains(sign) } else { false } }
  }

  private var wildcards: String {
    parts.map { part in
      switch part {
      case .anyText: "*"
      case .anyCharacter: "?"
      case .character(let sign): String(sign)
      }
    }.joined()
  }

  private var expression: String {
    parts.map { part in
      switch part {
      case .anyText: "[\\s\\S]*"
      case .anyCharacter: "[\\s\\S]"
      case .character(let sign): sign.isLetter || sign.isNumber ? String(sign) : "\\\(sign)"
      }
    }.joined()
  }
}
