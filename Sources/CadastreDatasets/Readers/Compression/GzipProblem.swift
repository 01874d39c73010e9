import CadastreFormatting

/// An error in a compressed file; offsets are bytes from the start of the file.
package enum GzipProblem: Hashable, Sendable {
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
  var sentence: String {
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
