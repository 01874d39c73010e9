import CadastreFormatting

/// What is wrong with a JSON text, or with GeoJSON in it.
package enum JSONProblem: Hashable, Sendable {
  /// What stands where something else should.
  package enum Sight: Hashable, Sendable {
    case byte(UInt8)
    case endOfFile, endOfLine
    /// The start of the next text in a sequence.
    case endOfText
  }

  /// What should stand at a place.
  package enum Expectation: Hashable, Sendable {
    case value, valueOrEnd, name, nameOrEnd, colon, commaOrBrace, commaOrBracket
    case digit, closingQuote, escape, hexDigit, word(String)
    case objectOrArray, nothing
  }

  /// Something stands where something else should.
  case unexpected(Sight, expected: Expectation)
  /// A control character inside a string is not written as an escape.
  case controlCharacter(UInt8)
  /// A number begins with a zero and goes on with digits.
  case leadingZero
  /// Half of a surrogate pair, which is no character, is escaped without the other.
  case loneSurrogate(UInt16)
  /// Bytes that are not UTF-8, the first of them at an offset from the start of the file.
  case invalidUTF8(byteOffset: Int)
  /// Arrays and objects stand inside each other more deeply than the reader goes.
  case tooDeep(limit: Int)
  /// A record, or a value that is passed over, is larger than the reader accepts.
  case tooLong(limitBytes: Int)
  /// A record has more values than the reader accepts.
  case tooManyValues(limit: Int)
  /// An object has two members of the same name.
  case repeatedName(String)
  /// A record is not an object.
  case notAnObject(found: JSONNode.Kind)
  /// A FeatureCollection has no member `features`.
  case noFeatures
  /// The member `features` is not an array.
  case featuresNotArray
  /// Features were read from an object that then turned out to be something else.
  case notACollection(type: String?)
  /// The coordinates of a file, named as the caller did, are not WGS 84.
  case foreignCoordinates(system: String, path: String)
}

extension JSONProblem {
  /// What was found, what was expected.
  var sentence: String {
    switch self {
    case .unexpected(let sight, let expected):
      "found \(sight.words); expected \(expected.words)"
    case .controlCharacter(let byte):
      "found \(JSONProblem.Sight.byte(byte).words) inside a string; "
        + "expected it written as an escape"
    case .leadingZero:
      "found a digit behind a leading zero; expected a number such as 7 or 0.7"
    case .loneSurrogate(let unit):
      "found \\u\(hex(UInt32(unit))), half of a character; expected both halves"
    case .invalidUTF8(let byteOffset):
      "found bytes that are not UTF-8 (byte \(byteOffset) of the file)"
    case .tooDeep(let limit):
      "found arrays and objects inside each other; expected no more than \(limit) levels"
    case .tooLong(let limit):
      "found more than \(limit) bytes in one value"
    case .tooManyValues(let limit):
      "found more than \(limit) values in one record"
    case .repeatedName(let name):
      "found a second '\(printable(name))' in one object; expected different names"
    case .notAnObject(let kind):
      "found \(kind.words); expected an object"
    case .noFeatures:
      "found a FeatureCollection without 'features'; expected an array of features"
    case .featuresNotArray:
      "found 'features' that is no array; expected an array of features"
    case .notACollection(nil):
      "found an array 'features' in an object without 'type'; expected a FeatureCollection"
    case .notACollection(let type?):
      "found an array 'features' in an object of type '\(printable(type))'; "
        + "expected a FeatureCollection"
    case .foreignCoordinates(let system, let path):
      "found coordinates in '\(printable(system))'; expected WGS 84. Convert the file with: "
        + ReferenceSystem.conversion(of: path)
    }
  }
}

extension JSONProblem.Sight {
  fileprivate var words: String {
    switch self {
    case .byte(0x20): "a blank"
    case .byte(let byte) where byte < 0x20 || byte == 0x7F: "U+\(hex(UInt32(byte)))"
    case .byte(let byte) where byte < 0x80: "'\(Unicode.Scalar(byte))'"
    case .byte: "a character that is not ASCII"
    case .endOfFile: "the end of the file"
    case .endOfLine: "the end of the line"
    case .endOfText: "the start of the next text"
    }
  }
}

extension JSONProblem.Expectation {
  fileprivate var words: String {
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
    case .escape: "an escape: one of \" \\ / b f n r t u behind the backslash"
    case .hexDigit: "four hexadecimal digits behind \\u"
    case .word(let word): "'\(word)'"
    case .objectOrArray: "an object or an array"
    case .nothing: "nothing more"
    }
  }
}

extension JSONNode.Kind {
  fileprivate var words: String {
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

/// Four hexadecimal digits, as code points are written.
private func hex(_ number: UInt32) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
}
