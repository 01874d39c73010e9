import CadastreFormatting

/// An error in a JSON text, or in its GeoJSON.
package enum JSONProblem: FormatProblem {
  /// The content found in place of the expected one.
  package enum Found: Hashable, Sendable {
    case byte(UInt8)
    case endOfFile, endOfLine
    /// The start of the next text in a sequence.
    case endOfText
  }

  /// The expected content.
  package enum Expectation: Hashable, Sendable {
    case value, valueOrEnd, name, nameOrEnd, colon, commaOrBrace, commaOrBracket
    case digit, closingQuote, escape, hexDigit, word(String)
    case objectOrArray, nothing
  }

  /// The content differs from the expected one.
  case unexpected(Found, expected: Expectation)
  /// A string contains a control character that is not escaped.
  case controlCharacter(UInt8)
  /// A number has a leading zero.
  case leadingZero
  /// A surrogate is escaped without the other half of its pair.
  case loneSurrogate(UInt16)
  /// The text is not valid UTF-8; the offset is counted from the start of the file.
  case invalidUTF8(byteOffset: Int)
  /// The nesting of arrays and objects exceeds the limit.
  case tooDeep(limit: Int)
  /// A record, or a skipped value, exceeds the maximum size.
  case tooLong(limitBytes: Int)
  /// A record has more values than the limit.
  case tooManyValues(limit: Int)
  /// An object has two members of the same name.
  case repeatedName(String)
  /// A record is not an object.
  case notAnObject(found: JSONNode.Kind)
  /// A FeatureCollection has no member `features`.
  case noFeatures
  /// The member `features` is not an array.
  case featuresNotArray
  /// An object with an array `features` has another type.
  case notACollection(type: String?)
  /// A document has no member with records at a path.
  case noRecords(path: [String])
  /// The member with the records is neither an array nor an object.
  case notRecords(path: [String])
  /// The coordinates of the file are not in WGS 84.
  case foreignCoordinates(system: String, path: String)
}

extension JSONProblem {
  /// The error as a clause: what was found and what was expected.
  package var sentence: String {
    switch self {
    case .unexpected(let found, let expected):
      "found \(found.description); expected \(expected.description)"
    case .controlCharacter(let byte):
      "found \(JSONProblem.Found.byte(byte).description) inside a string; expected an escape"
    case .leadingZero:
      "found a digit after a leading zero; expected a number, for example 7 or 0.7"
    case .loneSurrogate(let unit):
      "found \\u\(hex(UInt32(unit))), a surrogate; expected a surrogate pair"
    case .invalidUTF8(let byteOffset):
      "found invalid UTF-8 (byte \(byteOffset) of the file)"
    case .tooDeep(let limit):
      "found too many levels of arrays and objects; expected at most \(limit)"
    case .tooLong(let limit):
      "found a value of more than \(limit) bytes; expected smaller values, or --records with the "
        + "member that holds the records"
    case .tooManyValues(let limit):
      "found more than \(limit) values in one record; expected fewer"
    case .repeatedName(let name):
      "found '\(printable(name))' twice in one object; expected distinct names"
    case .notAnObject(let kind):
      "found \(kind.description); expected an object"
    case .noFeatures:
      "found a FeatureCollection without 'features'; expected an array of features"
    case .featuresNotArray:
      "found 'features' that are no array; expected an array of features"
    case .notACollection(nil):
      "found an array 'features' in an object without 'type'; expected a FeatureCollection (--format gdal reads "
        + "Esri's JSON)"
    case .notACollection(let type?):
      "found an array 'features' in an object of type '\(printable(type))'; "
        + "expected a FeatureCollection"
    case .noRecords(let path):
      "found no member '\(printable(path.joined(separator: ".")))'; expected the records there"
    case .notRecords(let path):
      "found '\(printable(path.joined(separator: ".")))', which is neither an array nor an object; "
        + "expected the records there"
    case .foreignCoordinates(let system, let path):
      "found coordinates in '\(printable(system))'; expected WGS 84. "
        + (CoordinateTransformation.libraryVersion == nil
          ? "Install the library PROJ" : "Name a system that PROJ knows with --crs")
        + ", or convert the file with: " + ReferenceSystem.conversion(of: path)
    }
  }
}

extension DatasetError.Problem {
  /// An error in JSON or GeoJSON.
  package static func json(_ problem: JSONProblem) -> Self { .format(AnyFormatProblem(problem)) }
}

extension JSONProblem.Found {
  fileprivate var description: String {
    switch self {
    case .byte(0x20): "a blank"
    case .byte(let byte) where byte < 0x20 || byte == 0x7F: "U+\(hex(UInt32(byte)))"
    case .byte(let byte) where byte < 0x80: "'\(Unicode.Scalar(byte))'"
    case .byte: "a non-ASCII character"
    case .endOfFile: "the end of the file"
    case .endOfLine: "the end of the line"
    case .endOfText: "the start of the next text"
    }
  }
}

extension JSONProblem.Expectation {
  fileprivate var description: String {
    switch self {
    case .value: "a value"
    case .valueOrEnd: "a value or ']'"
    case .name: "a name in double quotes"
    case .nameOrEnd: "a name in double quotes or '}'"
    case .colon: "':'"
    case .commaOrBrace: "',' or '}'"
    case .commaOrBracket: "',' or ']'"
    case .digit: "a digit"
    case .closingQuote: "a closing quote"
    case .escape: "an escape: one of \" \\ / b f n r t u after the backslash"
    case .hexDigit: "four hexadecimal digits after \\u"
    case .word(let word): "'\(word)'"
    case .objectOrArray: "an object or an array"
    case .nothing: "the end of the text"
    }
  }
}

extension JSONNode.Kind {
  var description: String {
    switch self {
    case .null: "null"
    case .false: "false"
    case .true: "true"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// Returns a code point as at least four hexadecimal digits.
private func hex(_ number: UInt32) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
}
