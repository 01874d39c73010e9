import CadastreFormatting

/// An error in an XML file, or in the KML or GPX that it contains.
package enum XMLProblem: Error, Hashable, Sendable {
  /// The file ends inside an element, a tag or a comment.
  case truncated(inside: String)
  /// The file has no element.
  case noElement
  /// The root element is another than expected.
  case root(found: String, expected: String)
  /// A tag, an attribute or a reference is malformed.
  case syntax(found: String, expected: String)
  /// An end tag has another name than the open element.
  case endTag(found: String, expected: String)
  /// The file has a document type declaration, which may define entities.
  case documentType
  /// A reference to an entity other than the five of XML.
  case entity(name: String)
  /// A byte is no character of XML, or the text is not valid UTF-8.
  case character(byte: UInt8)
  /// A text, a name or an attribute is not valid UTF-8.
  case invalidUTF8
  /// The XML declaration names an unsupported encoding.
  case encoding(name: String)
  /// The nesting of elements exceeds the limit.
  case tooDeep(limit: Int)
  /// A feature, a name or a tag exceeds the maximum size.
  case tooLong(limitBytes: Int)
  /// A feature has more elements and attributes than the limit.
  case tooManyElements(limit: Int)
  /// A geometry or a coordinate is invalid.
  case geometry(detail: String)
}

extension XMLProblem {
  /// The error as a clause that follows the location.
  var sentence: String {
    switch self {
    case .truncated(let inside):
      "found the end of the file inside \(printable(inside)); get the file again"
    case .noElement: "found no element; expected an XML file"
    case .root(let found, let expected):
      "found the root element '\(printable(found))'; expected '\(expected)'"
    case .syntax(let found, let expected): "found \(printable(found)); expected \(expected)"
    case .endTag(let found, let expected):
      "found the end tag '\(printable(found))'; expected '\(printable(expected))'"
    case .documentType:
      "found a document type declaration; expected none, because entities are not expanded"
    case .entity(let name):
      "found the entity '\(printable(name))'; expected a number, or one of lt, gt, amp, quot, apos"
    case .character(let byte): "found the byte \(byte), which is no character of XML"
    case .invalidUTF8: "found invalid UTF-8"
    case .encoding(let name):
      "found the encoding '\(printable(name))'; expected UTF-8, UTF-16 with a byte order mark, or an "
        + "encoding with one byte a character"
    case .tooDeep(let limit): "found too many levels of elements; expected at most \(limit)"
    case .tooLong(let limit):
      "found more than \(grouped(limit)) bytes in one element; expected fewer"
    case .tooManyElements(let limit):
      "found more than \(grouped(limit)) elements and attributes in one feature; expected fewer"
    case .geometry(let detail): "the geometry is invalid: \(detail)"
    }
  }
}
