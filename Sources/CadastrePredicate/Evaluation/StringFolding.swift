import Foundation

/// Text brought to the form in which it is compared under some options.
package enum StringFolding {
  /// The UTF-8 bytes to compare for a text under the options.
  ///
  /// Case alone folds ASCII and Latin-1 letters, byte by byte, so `Æ` meets `æ` and Cyrillic keeps
  /// its case, as in Realm. With diacritics ignored the text is decomposed, its combining marks are
  /// dropped, and case folds by Unicode's lower-case mapping.
  package static func folded(_ text: String, _ options: StringOptions) -> [UInt8] {
    guard options.contains(.diacriticInsensitive) else {
      var bytes = Array(text.utf8)
      if options.contains(.caseInsensitive) { foldCase(&bytes) }
      return bytes
    }
    var plain = ""
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
    where scalar.properties.generalCategory != .nonspacingMark {
      if options.contains(.caseInsensitive) {
        plain += scalar.properties.lowercaseMapping
      } else {
        plain.unicodeScalars.append(scalar)
      }
    }
    return Array(plain.utf8)
  }

  /// The text to compare for a text under the options.
  static func text(_ text: String, _ options: StringOptions) -> String {
    String(decoding: folded(text, options), as: UTF8.self)
  }

  /// Lowers the ASCII and Latin-1 letters of UTF-8 text in place; its length stays.
  package static func foldCase(_ bytes: inout [UInt8]) {
    var previous: UInt8 = 0
    for index in bytes.indices {
      let byte = bytes[index]
      bytes[index] = lowered(byte, after: previous)
      previous = byte
    }
  }

  /// The folded form of a byte of UTF-8 text that stands after another.
  ///
  /// Latin-1's capitals are `C3 80` to `C3 9E` but for the multiplication sign `C3 97`; their small
  /// letters stand 0x20 higher.
  @inline(__always)
  package static func lowered(_ byte: UInt8, after previous: UInt8) -> UInt8 {
    if byte &- 0x41 < 26 { return byte | 0x20 }
    if previous == 0xC3, byte >= 0x80, byte <= 0x9E, byte != 0x97 { return byte | 0x20 }
    return byte
  }
}
