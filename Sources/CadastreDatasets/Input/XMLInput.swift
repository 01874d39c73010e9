import CadastreFormatting
import Foundation

/// The bytes of an XML file in UTF-8, one at a time, with their position.
final class XMLInput {
  /// The position of the next byte.
  private(set) var position = TextPosition()
  /// The number of bytes taken.
  private(set) var offset = 0

  private let bytes: TranscodedBytes
  private let buffer: UnsafeMutableRawBufferPointer
  private var at = 0
  private var end = 0

  /// The maximum length of an XML declaration.
  private static let declarationBytes = 256

  /// Opens a file in the encoding that its XML declaration names.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: ``DatasetError`` if the file cannot be read or has an unsupported encoding.
  init(path: String) throws(DatasetError) {
    bytes = try TranscodedBytes(path: path, encoding: try Self.encoding(of: path))
    buffer = .allocate(byteCount: 1 << 16, alignment: 16)
    if try peek() == 0xEF {
      for expected: UInt8 in [0xEF, 0xBB, 0xBF] {
        guard try peek() == expected else { break }
        _ = try take()
      }
      position = TextPosition()
    }
  }

  deinit { buffer.deallocate() }

  /// The file, as named by the caller.
  var path: String { bytes.path }
  /// The number of bytes of the file on disk that have been used.
  var bytesConsumed: Int { bytes.bytesConsumed }
  /// The size of the file on disk; nil for a pipe.
  var totalBytes: Int? { bytes.totalBytes }

  /// Returns the next byte without taking it; nil at the end of the file.
  @inline(__always)
  func peek() throws(DatasetError) -> UInt8? {
    if at == end {
      at = 0
      end = try bytes.read(into: buffer)
      if end == 0 { return nil }
    }
    return buffer[at]
  }

  /// Takes the next byte; nil at the end of the file.
  @inline(__always)
  func take() throws(DatasetError) -> UInt8? {
    guard let byte = try peek() else { return nil }
    at += 1
    offset += 1
    if byte == UInt8(ascii: "\n") {
      position.line += 1
      position.column = 1
    } else if byte & 0xC0 != 0x80 {
      position.column += 1
    }
    return byte
  }

  /// Returns the encoding that the XML declaration names; nil for UTF-8 and for none.
  private static func encoding(of path: String) throws(DatasetError) -> TranscodedBytes.Encoding? {
    let first = try InputBytes(path: path).read(declarationBytes)
    let text = String(decoding: first, as: UTF8.self)
    guard let start = text.range(of: "<?xml"), let end = text.range(of: "?>"),
      start.upperBound <= end.lowerBound,
      let attribute = text[start.upperBound..<end.lowerBound].range(of: "encoding")
    else { return nil }
    let rest = text[attribute.upperBound..<end.lowerBound].drop { $0 == "=" || $0.isWhitespace }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    let name = String(rest.dropFirst().prefix { $0 != quote })
    switch TranscodedBytes.Encoding(name: name) {
    case .utf8: return nil
    case .other(let encoding) where encoding.isSingleByte: return .other(encoding)
    default:
      throw DatasetError(path: path, line: 1, problem: .xml(.encoding(name: name)))
    }
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension XMLInput: Sendable {}

/// A start tag.
struct XMLTag {
  /// The name with its prefix, for example `gx:Track`.
  var name: String
  /// The line of the tag, from 1.
  var line: Int
  /// The attributes in their order, with different names.
  var attributes: [(name: String, value: String)] = []

  /// The name without its prefix.
  var localName: Substring { XMLTag.localName(of: name) }

  /// Returns the value of the attribute with a name; nil if there is none.
  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  private static func localName(of name: String) -> Substring {
    name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name[...]
  }
}

/// An element with its descendants.
struct XMLElement {
  /// The start tag.
  let tag: XMLTag
  /// The text of the element, without the text of its children.
  var text = ""
  /// The children in their order.
  var children: [XMLElement] = []

  init(_ tag: XMLTag) { self.tag = tag }

  /// The name without its prefix.
  var name: Substring { tag.localName }

  /// The text without blanks at its ends.
  var trimmedText: String {
    String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// Returns the first child with a name; nil if there is none.
  func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the children with a name.
  func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
}

/// An error in an XML file, or in the KML or GPX that it contains.
package enum XMLProblem: Error, FormatProblem {
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
  /// A byte is not a character of XML, or the text is not valid UTF-8.
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
  package var sentence: String {
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

extension DatasetError.Problem {
  /// An error in XML, KML or GPX.
  package static func xml(_ problem: XMLProblem) -> Self { .format(AnyFormatProblem(problem)) }
}
