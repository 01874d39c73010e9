/// Text that is safe to show on a terminal: control characters become visible.
///
/// Line feeds, tabs and carriage returns show as ␊, ␉ and ␍, escape as ␛, other control
/// characters likewise (U+2400 and on); direction overrides and C1 controls show as U+FFFD.
package func printable(_ text: some StringProtocol) -> String {
  guard text.unicodeScalars.contains(where: { visible($0) != $0 }) else { return String(text) }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { result.append(visible(scalar)) }
  return String(result)
}

/// The scalar itself, or a visible sign in its place.
private func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  switch scalar.value {
  case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
  case 0x7F: "\u{2421}"
  case 0x80...0x9F: "\u{FFFD}"
  // Marks and overrides of writing direction could reorder what stands around them.
  case 0x2028...0x202E, 0x2066...0x2069: "\u{FFFD}"
  default: scalar
  }
}
