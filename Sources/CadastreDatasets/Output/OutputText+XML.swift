extension OutputText {
  /// Appends a text as character data of XML; characters that XML 1.0 cannot hold become U+FFFD.
  mutating func appendXML(_ string: String) {
    var escaped = String.UnicodeScalarView()
    for scalar in string.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      // Parsers take a carriage return as a line feed.
      case "\r": escaped.append(contentsOf: "&#13;".unicodeScalars)
      case "\n", "\t": escaped.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
      default: escaped.append(scalar)
      }
    }
    append(String(escaped))
  }
}
