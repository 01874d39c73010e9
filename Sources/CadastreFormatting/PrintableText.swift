/// Returns a text that is safe to print on a terminal: control characters become visible signs.
///
/// C0 controls become their symbols from U+2400 on (line feed ␊, tab ␉, carriage return ␍, escape
/// ␛). C1 controls, line separators and bidirectional overrides become U+FFFD.
///
/// - Complexity: O(n) in the length of the text.
package func printable(_ text: some StringProtocol) -> String {
  guard text.unicodeScalars.contains(where: { visible($0) != $0 }) else { return String(text) }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { result.append(visible(scalar)) }
  return String(result)
}

/// Returns up to twenty names, printable and separated by commas, and the number of all of them.
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
