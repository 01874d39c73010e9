import Foundation

/// Text brought to the form in which it is compared under some options.
package enum StringFolding {
  /// Returns the UTF-8 bytes to compare for a text under the options.
  ///
  /// Each capital folds to its small letter, one Unicode scalar to one. With diacritics ignored the
  /// text is decomposed and its combining marks are dropped first, so `[c]` and `[cd]` fold the
  /// same letters.
  package static func folded(_ text: String, _ options: StringOptions) -> [UInt8] {
    var text = text
    if options.contains(.diacriticInsensitive) {
      var plain = String.UnicodeScalarView()
      for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
      where scalar.properties.generalCategory != .nonspacingMark {
        plain.append(scalar)
      }
      text = String(plain)
    }
    return text.withUTF8 { options.contains(.caseInsensitive) ? caseFolded($0) : Array($0) }
  }

  /// The text to compare for a text under the options.
  static func text(_ text: String, _ options: StringOptions) -> String {
    String(decoding: folded(text, options), as: UTF8.self)
  }

  /// Returns UTF-8 text with small letters in place of capitals.
  ///
  /// Bytes that are not UTF-8 stay as they are.
  package static func caseFolded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var folded: [UInt8] = []
    caseFold(bytes, into: &folded)
    return folded
  }

  /// Replaces the content of a buffer by UTF-8 text with small letters in place of capitals.
  package static func caseFold(_ bytes: UnsafeBufferPointer<UInt8>, into folded: inout [UInt8]) {
    folded.removeAll(keepingCapacity: true)
    folded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard byte >= 0x80 else {
        folded.append(lowered(byte, after: 0))
        index += 1
        continue
      }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1
      guard length > 1, index + length <= bytes.count else {
        folded.append(byte)
        index += 1
        continue
      }
      var code = UInt32(byte) & (0x7F >> UInt32(length))
      for offset in 1..<length { code = code << 6 | UInt32(bytes[index + offset] & 0x3F) }
      if let small = SmallLetters.all.code(of: code), let scalar = Unicode.Scalar(small),
        let encoded = UTF8.encode(scalar)
      {
        folded.append(contentsOf: encoded)
      } else {
        for offset in 0..<length { folded.append(bytes[index + offset]) }
      }
      index += length
    }
  }

  /// Lowers the ASCII and Latin-1 letters of data in place; its length stays.
  package static func foldLatin(_ bytes: inout [UInt8]) {
    var previous: UInt8 = 0
    for index in bytes.indices {
      let byte = bytes[index]
      bytes[index] = lowered(byte, after: previous)
      previous = byte
    }
  }

  /// The folded form of a byte of UTF-8 text up to U+00FF, given the byte before it.
  ///
  /// Latin-1's capitals are `C3 80` to `C3 9E` but for the multiplication sign `C3 97`; the codes of
  /// their small letters are greater by 0x20.
  @inline(__always)
  package static func lowered(_ byte: UInt8, after previous: UInt8) -> UInt8 {
    if byte &- 0x41 < 26 { return byte | 0x20 }
    if previous == 0xC3, byte >= 0x80, byte <= 0x9E, byte != 0x97 { return byte | 0x20 }
    return byte
  }

  /// The first byte of UTF-8 text that only scalars above U+00FF have: each of their sequences
  /// begins with it or a greater one, and no byte of other text is as great.
  package static let firstLeadBeyondLatin: UInt8 = 0xC4

  /// All capitals and their small letters, in the order of the capitals.
  package static var capitals: [(capital: Unicode.Scalar, small: Unicode.Scalar)] {
    SmallLetters.all.pairs
  }

  /// The capitals that fold to a small letter.
  package static func capitals(of small: Unicode.Scalar) -> [Unicode.Scalar] {
    capitalsBySmall[small] ?? []
  }

  private static let capitalsBySmall = Dictionary(grouping: capitals, by: \.small)
    .mapValues { $0.map(\.capital) }
}

/// The small letter of each capital, by Unicode's mapping of one scalar to one.
private struct SmallLetters {
  static let all = SmallLetters()

  /// The number of the page of each 256 scalars; page 0 has no capitals.
  private var pageNumbers = [UInt8](repeating: 0, count: Int(limit >> 8))
  /// The small letters of each page by the low byte of the capital; 0 for other scalars.
  private var letters = [UInt32](repeating: 0, count: 256)
  private(set) var pairs: [(capital: Unicode.Scalar, small: Unicode.Scalar)] = []

  /// The scalars of the first two planes; no others are letters with case.
  private static let limit: UInt32 = 0x2_0000

  private init() {
    for code in 0..<Self.limit {
      guard let scalar = Unicode.Scalar(code), scalar.properties.changesWhenLowercased,
        // The full mapping of U+0130 is a small i with a combining dot; the simple one is the i.
        let small = scalar.properties.lowercaseMapping.unicodeScalars.first, small != scalar
      else { continue }
      let page = Int(code >> 8)
      if pageNumbers[page] == 0 {
        pageNumbers[page] = UInt8(letters.count >> 8)
        letters += [UInt32](repeating: 0, count: 256)
      }
      letters[Int(pageNumbers[page]) << 8 | Int(code & 0xFF)] = small.value
      pairs.append((scalar, small))
    }
  }

  /// The code of the small letter of a capital; nil for other scalars.
  @inline(__always)
  func code(of capital: UInt32) -> UInt32? {
    guard capital < Self.limit else { return nil }
    let small = letters[Int(pageNumbers[Int(capital >> 8)]) << 8 | Int(capital & 0xFF)]
    return small == 0 ? nil : small
  }
}
