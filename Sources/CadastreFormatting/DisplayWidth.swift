/// The width of text in columns of a terminal.
package enum DisplayWidth {
  /// Returns the number of columns that a text takes.
  ///
  /// - Complexity: O(n) in the length of the text.
  package static func columns(_ text: some StringProtocol) -> Int {
    // Fast path: most cells are ASCII without control characters.
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return text.reduce(0) { $0 + columns($1) }
  }

  /// Returns the number of columns of one character: 2 for wide ones, 0 for a combining mark alone.
  package static func columns(_ character: Character) -> Int {
    var widest = 0
    for scalar in character.unicodeScalars {
      // Variation selector 16 requests the emoji form of the preceding scalar, which is wide.
      if scalar.value == 0xFE0F { return 2 }
      widest = max(widest, columns(scalar))
    }
    return widest
  }

  /// Returns a text cut to a width, with a mark at the end if anything was cut.
  ///
  /// - Parameters:
  ///   - text: The text to cut.
  ///   - width: The largest width of the result, in columns.
  ///   - mark: Replaces the removed end; one column wide.
  /// - Returns: The text itself if it fits.
  package static func truncated(_ text: String, to width: Int, mark: String = "…") -> String {
    guard columns(text) > width else { return text }
    guard width > 0 else { return "" }
    var prefix = ""
    var used = 1
    for character in text {
      used += columns(character)
      if used > width { break }
      prefix.append(character)
    }
    return prefix + mark
  }

  /// Returns the number of columns of one scalar.
  ///
  /// Source: Unicode Standard Annex 11 (East Asian Width); wide ranges are merged into blocks.
  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default:
      return 1
    }
  }
}
