package import CadastreModel
package import CadastrePredicate
import Foundation

/// The operators on texts and data, written from the pages Predicates and FullText of the documentation.
package enum ReferenceText {
  /// Returns whether an operator on texts holds for two values.
  package static func holds(
    _ first: Value, _ operation: ComparisonOperator, _ second: Value, _ options: StringOptions
  ) -> Bool {
    switch operation {
    case .matches:
      guard case .string(let text) = first, case .string(let pattern) = second else { return false }
      return ReferencePattern.matches(text, pattern, options)
    case .text: return hasWords(first, second)
    case .like where first.isNull && second.isNull: return true
    default: break
    }
    guard let text = bytes(first, options), let part = bytes(second, options) else { return false }
    if operation == .like { return isLike(characters(text)[...], characters(part)[...]) }
    // The empty text is a part of nothing.
    if part.isEmpty { return false }
    switch operation {
    case .beginsWith: return Array(text.prefix(part.count)) == part
    case .endsWith: return Array(text.suffix(part.count)) == part
    case .contains:
      return text.indices.contains { Array(text[$0...].prefix(part.count)) == part }
    default: return false
    }
  }

  // MARK: Folding

  /// Returns the bytes of a text or of data as they are compared; nil for other values.
  package static func bytes(_ value: Value, _ options: StringOptions) -> [UInt8]? {
    switch value {
    case .string(let text): return Array(folded(text, options).utf8)
    case .data(let data):
      return options.contains(.caseInsensitive) ? foldedData(Array(data)) : Array(data)
    default: return nil
    }
  }

  /// Returns a text without the differences that the options ignore: marks, then case.
  package static func folded(_ text: String, _ options: StringOptions) -> String {
    var scalars = Array(text.unicodeScalars)
    if options.contains(.diacriticInsensitive) {
      scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
        $0.properties.generalCategory != .nonspacingMark
      }
    }
    if options.contains(.caseInsensitive) { scalars = scalars.map(folded) }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Returns the small form of the capital of a letter, where each is one letter.
  private static func folded(_ letter: Unicode.Scalar) -> Unicode.Scalar {
    // The dotless i is not the i.
    if letter == "\u{131}" { return letter }
    let capitals = Array(letter.properties.uppercaseMapping.unicodeScalars)
    let capital = capitals.count == 1 ? capitals[0] : letter
    return capital.properties.lowercaseMapping.unicodeScalars.first ?? letter
  }

  /// Returns data in which the letters of ASCII and Latin-1 are small, read as UTF-8.
  private static func foldedData(_ data: [UInt8]) -> [UInt8] {
    data.indices.map { index in
      let isCapital = (0x41...0x5A).contains(data[index])
      let isLatin =
        index > 0 && data[index - 1] == 0xC3 && (0x80...0x9E).contains(data[index])
        && data[index] != 0x97
      return isCapital || isLatin ? data[index] + 0x20 : data[index]
    }
  }

  // MARK: Patterns

  /// Returns the characters of UTF-8 text, each with its bytes.
  private static func characters(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.reduce(into: []) { characters, byte in
      if byte & 0xC0 == 0x80, !characters.isEmpty {
        characters[characters.count - 1].append(byte)
      } else {
        characters.append([byte])
      }
    }
  }

  private static func isLike(_ text: ArraySlice<[UInt8]>, _ pattern: ArraySlice<[UInt8]>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == Array("*".utf8) {
      return isLike(text, rest) || !text.isEmpty && isLike(text.dropFirst(), pattern)
    }
    guard let character = text.first, first == Array("?".utf8) || first == character else {
      return false
    }
    return isLike(text.dropFirst(), rest)
  }

  // MARK: Words

  /// Whether a text has all words of a pattern but those after a minus.
  private static func hasWords(_ text: Value, _ pattern: Value) -> Bool {
    guard case .string(let text) = text, case .string(let pattern) = pattern else { return false }
    let found = words(of: text)
    return pattern.split(whereSeparator: \.isWhitespace).allSatisfy { term in
      let wanted = words(of: String(term))
      return wanted.indices.allSatisfy { index in
        let isPrefix = term.hasSuffix("*") && index == wanted.count - 1
        let isFound = found.contains { word in
          isPrefix
            ? word.starts(with: wanted[index]) : word == wanted[index]
        }
        return isFound != term.hasPrefix("-")
      }
    }
  }

  /// Returns the words of a text: runs of letters, digits and marks, in small letters, without the accents of Latin-1
  /// but for the letters å, æ, ø, ð, þ and ß.
  package static func words(of text: String) -> [[Unicode.Scalar]] {
    var words: [[Unicode.Scalar]] = [[]]
    for scalar in text.unicodeScalars {
      guard isPart(scalar) else {
        words.append([])
        continue
      }
      let last = words.count - 1
      if let base = words[last].last, let composed = composed(base, scalar) {
        words[last][words[last].count - 1] = plain(composed)
      } else {
        words[last] += scalar.properties.lowercaseMapping.unicodeScalars.map(plain)
      }
    }
    return words.filter { !$0.isEmpty }
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  /// The letter of Latin-1 that is composed of a letter and a mark.
  private static func composed(_ base: Unicode.Scalar, _ mark: Unicode.Scalar) -> Unicode.Scalar? {
    let pair = String(String.UnicodeScalarView([base, mark]))
    let scalars = Array(pair.precomposedStringWithCanonicalMapping.unicodeScalars)
    return scalars.count == 1 && scalars[0].value <= 0xFF ? scalars[0] : nil
  }

  /// A small letter of Latin-1 without its accent.
  private static func plain(_ letter: Unicode.Scalar) -> Unicode.Scalar {
    guard letter.value <= 0xFF, letter != "å",
      let base = String(letter).decomposedStringWithCanonicalMapping.unicodeScalars.first
    else { return letter }
    return base
  }
}
