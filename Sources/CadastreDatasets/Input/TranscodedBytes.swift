import Foundation

/// A sequential reader of a text file that converts it to UTF-8.
///
/// A file in UTF-16 is detected by its byte order mark. The caller names any other encoding than
/// UTF-8.
final class TranscodedBytes {
  /// The encoding of a file.
  enum Encoding {
    case utf8
    case utf16(isBigEndian: Bool)
    case other(TextEncoding)

    /// Creates the encoding with a name, such as latin1 or UTF-16LE; nil if it is unknown.
    init?(name: String) {
      switch name.uppercased().filter({ $0.isLetter || $0.isNumber }) {
      case "UTF8": self = .utf8
      case "UTF16", "UTF16LE": self = .utf16(isBigEndian: false)
      case "UTF16BE": self = .utf16(isBigEndian: true)
      default:
        guard let encoding = TextEncoding(name: name) else { return nil }
        self = .other(encoding)
      }
    }
  }

  /// The file, as named by the caller.
  var path: String { file.path }
  /// The size of a regular file on disk when it was opened; nil for pipes and devices.
  var totalBytes: Int? { file.totalBytes }
  /// The number of bytes of the file on disk that have been used.
  var bytesConsumed: Int { file.bytesConsumed }

  private let file: InputBytes
  private let encoding: Encoding
  /// Bytes of the file that are not decoded yet: the first bytes, and the rest of a character or line.
  private var pending: [UInt8]
  /// Decoded bytes that are not read yet.
  private var decoded: ArraySlice<UInt8> = []
  private var isAtEnd = false

  /// The number of bytes per read from the file.
  private static let pieceBytes = 1 << 16

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - encoding: The encoding; nil for UTF-8, or UTF-16 with a byte order mark.
  /// - Throws: ``DatasetError`` if the file cannot be read.
  init(path: String, encoding: Encoding?) throws(DatasetError) {
    file = try InputBytes(path: path)
    pending = try file.read(2)
    let mark: Encoding? =
      switch pending {
      case [0xFF, 0xFE]: .utf16(isBigEndian: false)
      case [0xFE, 0xFF]: .utf16(isBigEndian: true)
      default: nil
      }
    switch (mark, encoding) {
    case (let mark?, nil), (let mark?, .utf16?):
      self.encoding = mark
      pending = []
    default: self.encoding = encoding ?? .utf8
    }
  }

  /// Reads available bytes of UTF-8 into a buffer and returns their number; 0 at the end.
  ///
  /// - Throws: ``DatasetError`` if reading fails or the text is invalid in the encoding.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    if case .utf8 = encoding {
      guard !pending.isEmpty else { return try file.read(into: buffer) }
      let count = min(pending.count, buffer.count)
      buffer.copyBytes(from: pending.prefix(count))
      pending.removeFirst(count)
      return count
    }
    while decoded.isEmpty, !isAtEnd { try decodePiece() }
    let count = min(decoded.count, buffer.count)
    buffer.copyBytes(from: decoded.prefix(count))
    decoded = decoded.dropFirst(count)
    return count
  }

  private func decodePiece() throws(DatasetError) {
    let piece = try file.read(Self.pieceBytes)
    isAtEnd = piece.isEmpty
    pending += piece
    let count = isAtEnd ? pending.count : completeBytes
    let text =
      switch encoding {
      case .utf8: String(validating: pending[..<count], as: UTF8.self)
      case .utf16(let isBigEndian): Self.utf16Text(pending[..<count], isBigEndian: isBigEndian)
      case .other(let encoding): pending[..<count].withUnsafeBytes(encoding.text)
      }
    guard let text else {
      let name = if case .other(let encoding) = encoding { encoding.name } else { "UTF-16" }
      throw DatasetError(
        path: path, problem: .unreadable(reason: "the text is not valid \(name)"))
    }
    decoded = ArraySlice(text.utf8)
    pending.removeFirst(count)
  }

  /// The number of pending bytes that end with a complete character.
  private var completeBytes: Int {
    switch encoding {
    case .utf8: return pending.count
    case .utf16(let isBigEndian):
      let count = pending.count & ~1
      guard count > 0 else { return 0 }
      let high = pending[isBigEndian ? count - 2 : count - 1]
      return 0xD8...0xDB ~= high ? count - 2 : count
    case .other(let encoding):
      // No character of several bytes contains a line feed.
      return encoding.isSingleByte
        ? pending.count : pending.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }
  }

  private static func utf16Text(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return String(validating: units, as: UTF16.self)
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension TranscodedBytes: Sendable {}

/// Detection of byte order marks.
enum TextSignature {
  private static let foreign: [(bytes: [UInt8], name: String)] = [
    ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
  ]

  /// Returns the number of bytes of the byte order mark: 3, or 0 if there is none.
  ///
  /// - Parameters:
  ///   - first: The first four bytes of the file, or all if there are fewer.
  ///   - path: The file, as named by the caller.
  /// - Returns: The number of bytes to skip.
  /// - Throws: ``DatasetError`` for UTF-16.
  static func byteOrderMark(
    _ first: some Collection<UInt8>, _ path: String
  ) throws(DatasetError) -> Int {
    if first.starts(with: [0xEF, 0xBB, 0xBF]) { return 3 }
    for signature in foreign where first.starts(with: signature.bytes) {
      throw DatasetError(path: path, problem: .foreignContent(found: signature.name))
    }
    // In UTF-16 without a mark, every second byte of a Latin text is zero.
    let zeros = first.prefix(4).map { $0 == 0 }
    if zeros == [false, true, false, true] || zeros == [true, false, true, false] {
      let order = zeros[0] ? "be" : "le"
      throw DatasetError(
        path: path, problem: .foreignContent(found: "UTF-16 (--encoding utf-16\(order) reads it)"))
    }
    return 0
  }
}
