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

  /// The number of bytes in which an XML declaration is expected.
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
