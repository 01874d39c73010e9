import Foundation

/// Text brought to the form in which it is compared under some options.
package enum StringFolding {
  /// Returns the UTF-8 bytes to compare for a text under the options.
  ///
  /// Each letter folds to the small form of its capital, one Unicode scalar to one: `Σ` and `ς` to `σ`. With
  /// diacritics ignored the text is decomposed and its combining marks are dropped first, so `[c]` and
  /// `[cd]` fold the same letters.
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

  /// Returns UTF-8 text with folded letters.
  ///
  /// Bytes that are not UTF-8 stay as they are.
  package static func caseFolded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var folded: [UInt8] = []
    caseFold(bytes, into: &folded)
    return folded
  }

  /// Replaces the content of a buffer by UTF-8 text with folded letters.
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
      if let other = FoldedLetters.all.code(of: code), let scalar = Unicode.Scalar(other),
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

  /// All letters that fold to another, in the order of their codes.
  package static var letters: [(letter: Unicode.Scalar, folded: Unicode.Scalar)] {
    FoldedLetters.all.pairs
  }

  /// Returns the other letters that fold to a folded letter.
  package static func forms(of folded: Unicode.Scalar) -> [Unicode.Scalar] {
    formsByLetter[folded] ?? []
  }

  private static let formsByLetter = Dictionary(grouping: letters, by: \.folded)
    .mapValues { $0.map(\.letter) }
}

/// The folded form of each letter that has another: the small form of its capital, by Unicode's mappings of
/// one scalar to one.
private struct FoldedLetters {
  static let all = FoldedLetters()

  /// The number of the page of each 256 scalars; page 0 has no such letters.
  private var pageNumbers = [UInt8](repeating: 0, count: Int(limit >> 8))
  /// The folded letters of each page by the low byte of the letter; 0 for other scalars.
  private var letters = [UInt32](repeating: 0, count: 256)
  private(set) var pairs: [(letter: Unicode.Scalar, folded: Unicode.Scalar)] = []

  /// The scalars of the first two planes; no others are letters with case.
  private static let limit: UInt32 = 0x2_0000

  private init() {
    for code in 0..<Self.limit {
      guard let scalar = Unicode.Scalar(code), scalar.properties.changesWhenCaseMapped,
        let folded = Self.folded(scalar), folded != scalar
      else { continue }
      let page = Int(code >> 8)
      if pageNumbers[page] == 0 {
        pageNumbers[page] = UInt8(letters.count >> 8)
        letters += [UInt32](repeating: 0, count: 256)
      }
      letters[Int(pageNumbers[page]) << 8 | Int(code & 0xFF)] = folded.value
      pairs.append((scalar, folded))
    }
  }

  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    // The capital of the dotless i is that of the i, which is another letter.
    if scalar == "\u{131}" { return nil }
    let capitals = scalar.properties.uppercaseMapping.unicodeScalars
    let capital = capitals.count == 1 ? capitals.first ?? scalar : scalar
    // The full mapping of U+0130 is a small i with a combining dot; the simple one is the i.
    return capital.properties.lowercaseMapping.unicodeScalars.first
  }

  /// The code of the folded form of a letter; nil for a scalar that is folded.
  @inline(__always)
  func code(of letter: UInt32) -> UInt32? {
    guard letter < Self.limit else { return nil }
    let folded = letters[Int(pageNumbers[Int(letter >> 8)]) << 8 | Int(letter & 0xFF)]
    return folded == 0 ? nil : folded
  }
}
