import CadastreColumnar
import CadastreFormatting

/// A decompressor of gzip files; the contents of all members are concatenated.
///
/// Zero padding may follow the last member; anything else is an error. Checksums and lengths are
/// verified at the end of each member.
///
/// Source: RFC 1952.
final class GzipReader: Decompressor {
  private let file: OpenFile
  private let inflater: Inflater
  private let input: UnsafeMutableRawBufferPointer
  private var isFileAtEnd = false
  private var state = State.inMember
  private var failure: DatasetError?

  private enum State { case inMember, betweenMembers, inPadding }

  /// The number of bytes per read from the file.
  private static let inputBytes = 64 * 1024
  private static let magic: [UInt8] = [0x1F, 0x8B]
  private static let deflate: UInt8 = 8

  /// Returns whether the first bytes of a file are the signature of gzip.
  static func isGzip(_ first: [UInt8]) -> Bool { first.starts(with: magic + [deflate]) }

  /// Creates a decompressor that starts at the current position of a file.
  init(_ file: OpenFile) throws(DatasetError) {
    guard let inflater = Inflater(.gzip) else { throw Self.outOfMemory(file.path) }
    self.file = file
    self.inflater = inflater
    input = .allocate(byteCount: Self.inputBytes, alignment: 16)
  }

  deinit { input.deallocate() }

  /// The number of bytes that were read from the file and not decompressed yet.
  var unusedBytes: Int { inflater.unusedBytes }

  /// Reads decompressed bytes into a buffer and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    if let failure { throw failure }
    do throws(DatasetError) {
      return try decompress(into: buffer)
    } catch {
      failure = error
      throw error
    }
  }

  private func decompress(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    guard buffer.count > 0 else { return 0 }
    while true {
      if inflater.unusedBytes == 0, !isFileAtEnd { try fill() }
      guard state == .inMember else {
        guard try enterNextMember() else { return 0 }
        continue
      }
      let (count, status) = inflater.decompress(into: buffer)
      switch status {
      case .incomplete:
        if count > 0 { return count }
        if inflater.unusedBytes == 0, isFileAtEnd {
          throw error(.truncated(fileBytes: file.bytesRead))
        }
      case .complete:
        state = .betweenMembers
        if count > 0 { return count }
      case .outOfMemory: throw Self.outOfMemory(file.path)
      case .invalid(let message):
        // Valid data before the error is returned first, for any size of the buffer.
        guard count > 0 else { throw dataError(message) }
        failure = dataError(message)
        return count
      }
    }
  }

  /// Skips padding, or moves to the next member; returns false at the end of the file.
  private func enterNextMember() throws(DatasetError) -> Bool {
    guard let next = inflater.input.first else { return false }
    if state == .betweenMembers, next == Self.magic[0] {
      inflater.reset()
      state = .inMember
      return true
    }
    guard next == 0 else { throw error(.trailingBytes(byteOffset: byteOffset)) }
    state = .inPadding
    inflater.input = UnsafeRawBufferPointer(rebasing: inflater.input.dropFirst())
    return true
  }

  private func fill() throws(DatasetError) {
    let count = try file.read(into: input)
    inflater.input = UnsafeRawBufferPointer(rebasing: input[..<count])
    isFileAtEnd = count == 0
  }

  // MARK: - Errors

  /// The offset in the file up to which data was decompressed.
  private var byteOffset: Int { file.bytesRead - unusedBytes }

  /// Returns the error for a message of zlib.
  private func dataError(_ message: String?) -> DatasetError {
    switch message {
    case "incorrect data check": error(.wrongChecksum(byteOffset: byteOffset))
    case "incorrect length check": error(.wrongLength(byteOffset: byteOffset))
    case let message: error(.corrupt(detail: message ?? "a dictionary", byteOffset: byteOffset))
    }
  }

  /// Returns the error of a decompressor that cannot be created.
  static func outOfMemory(_ path: String) -> DatasetError {
    DatasetError(path: path, problem: .unreadable(reason: "out of memory while decompressing"))
  }

  private func error(_ problem: GzipProblem) -> DatasetError {
    DatasetError(path: file.path, problem: .gzip(problem))
  }
}

/// An error in a compressed file; offsets are bytes from the start of the file.
package enum GzipProblem: FormatProblem {
  /// The file ends inside the compressed data.
  case truncated(fileBytes: Int)
  /// The data is invalid; the message of zlib.
  case corrupt(detail: String, byteOffset: Int)
  /// The checksum of the decompressed data differs from the one stored before an offset.
  case wrongChecksum(byteOffset: Int)
  /// The length of the decompressed data differs from the one stored before an offset.
  case wrongLength(byteOffset: Int)
  /// The compressed data is followed by bytes that are neither gzip nor zeros.
  case trailingBytes(byteOffset: Int)
  /// The file has an unsupported compression.
  case otherCompression(name: String, command: String)
  /// The decompressed data is a larger multiple of the compressed data than is plausible.
  case tooLarge(bytes: Int, maximumRatio: Int, command: String)
  /// A zip archive cannot be read.
  case zip(detail: String)
}

extension GzipProblem {
  /// The error as a clause that follows the location.
  package var sentence: String {
    switch self {
    case .truncated(let fileBytes):
      "the gzip data is truncated at the end of the file (byte \(fileBytes)); get the file again"
    case .corrupt(let detail, let byteOffset):
      "the gzip data is corrupt: \(detail) (byte \(byteOffset) of the file)"
    case .wrongChecksum(let byteOffset):
      "the gzip data is corrupt: the stored checksum differs from that of the decompressed data "
        + "(before byte \(byteOffset) of the file)"
    case .wrongLength(let byteOffset):
      "the gzip data is corrupt: the stored length differs from that of the decompressed data "
        + "(before byte \(byteOffset) of the file)"
    case .trailingBytes(let byteOffset):
      "the gzip data is followed by other data (byte \(byteOffset) of the file)"
    case .tooLarge(let bytes, let maximumRatio, let command):
      "the decompressed data has \(grouped(bytes)) bytes or more, over \(maximumRatio) times the compressed "
        + "size; if you trust the file, decompress it first: \(printable(command))"
    case .zip(let detail): "the zip archive cannot be read: \(printable(detail))"
    case .otherCompression(let name, let command):
      "looks like \(name); expected an uncompressed file or gzip: \(printable(command))"
    }
  }
}

extension DatasetError.Problem {
  /// An error in the compression.
  package static func gzip(_ problem: GzipProblem) -> Self { .format(AnyFormatProblem(problem)) }
}
