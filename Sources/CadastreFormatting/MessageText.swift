/// Returns a text that is safe to print on a terminal, with visible symbols for control characters.
///
/// C0 controls become their symbols from U+2400 on (line feed ␊, tab ␉, carriage return ␍, escape
/// ␛). C1 controls, line separators and bidirectional overrides become U+FFFD.
///
/// - Complexity: O(n) in the length of the text.
package func printable(_ text: some StringProtocol) -> String { replaced(text, visible) }

/// Returns a text of several lines that is safe to print on a terminal; line feeds are preserved.
package func printableLines(_ text: some StringProtocol) -> String {
  replaced(text) { $0 == "\n" ? $0 : visible($0) }
}

/// Returns a message that is safe to print on a terminal, without the passwords of connection strings.
///
/// A message may quote the address of a database that a user has typed, even in place of a file name.
package func printableMessage(_ text: String) -> String { withoutPasswords(printableLines(text)) }

/// Returns a text with `***` in place of passwords: of URLs of PostgreSQL, and after the word `password`.
///
/// The URL may be malformed: with unescaped reserved characters in the password, or without a host.
func withoutPasswords(_ text: String) -> String {
  let user = /(postgres(?:ql)?:\/*[^\s\/?#:@]*:)(?:[^\n']*|\S*)@/.ignoresCase()
  let host = /(postgres(?:ql)?:\/+[^\s\/?#:@]*:)(?!\d+\b|\*)[^\s\/?#'"]+/.ignoresCase()
  let keyword =
    /(\w*password(?:\s*=(?!=)\s*|\s+(?=')))(?:'(?:[^'\\\n]|\\.)*'|[^\s&'"]+)/.ignoresCase()
  return text.replacing(user) { "\($0.1)***@" }.replacing(host) { "\($0.1)***" }
    .replacing(keyword) { "\($0.1)***" }
}

private func replaced(
  _ text: some StringProtocol, _ replacement: (Unicode.Scalar) -> Unicode.Scalar
) -> String {
  guard text.unicodeScalars.contains(where: { replacement($0) != $0 }) else { return String(text) }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { result.append(replacement(scalar)) }
  return String(result)
}

/// Returns up to twenty printable names separated by commas, and the total number if there are more.
package func listed(_ names: [String]) -> String {
  let shown = names.prefix(20).map { printable($0) }.joined(separator: ", ")
  return names.count > 20 ? "\(shown) … (\(names.count) in all)" : shown
}

/// Returns the scalar itself, or its visible replacement.
private func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  switch scalar.value {
  case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
  case 0x7F: "\u{2421}"
  case 0x80...0x9F: "\u{FFFD}"
  // Bidirectional marks and overrides could reorder the text around them.
  case 0x2028...0x202E, 0x2066...0x2069: "\u{FFFD}"
  default: scalar
  }
}

/// Returns an integer in decimal with commas between groups of three digits: `1,234,567`.
package func grouped(_ number: Int) -> String {
  let digits = String(number.magnitude)
  var result = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { result += "," }
    result.append(digit)
  }
  return result
}

/// Returns a number and its noun, in the plural unless the number is 1: `2 columns`.
package func counted(_ number: Int, _ noun: String) -> String {
  "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
}

/// Returns a noun with its indefinite article: `an int`, `a double`.
package func articled(_ noun: some CustomStringConvertible) -> String {
  let noun = noun.description
  return "\("aeio".contains(noun.prefix(1).lowercased()) && !noun.isEmpty ? "an" : "a") \(noun)"
}

/// Returns a file name quoted as one word of a command line, for any POSIX shell.
///
/// A name that begins with a dash gets the prefix `./`, because commands read the dash as an option.
package func shellQuoted(_ text: String) -> String {
  let plain = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
  guard plain, !text.isEmpty, !text.hasPrefix("-") else {
    let dashed = text.hasPrefix("-") ? "./" + text : text
    return "'" + dashed.replacing("'", with: "'\\''") + "'"
  }
  return text
}
