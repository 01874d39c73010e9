import CadastreFormatting

/// What is wrong with a file that is compressed; offsets are bytes from the start of the file.
package enum GzipProblem: Hashable, Sendable {
  /// The file ends in the middle of its compressed data.
  case truncated(fileBytes: Int)
  /// The data does not follow the format, in zlib's words.
  case damaged(detail: String, byteOffset: Int)
  /// What was unpacked has another checksum than the one stored before an offset.
  case wrongChecksum(byteOffset: Int)
  /// What was unpacked has another length than the one stored before an offset.
  case wrongLength(byteOffset: Int)
  /// Something that is neither gzip nor zeros follows the compressed data.
  case trailingBytes(byteOffset: Int)
  /// The file is compressed in a way that is not read here.
  case otherCompression(name: String, command: String)
}

extension GzipProblem {
  var sentence: String {
    switch self {
    case .truncated(let fileBytes):
      "its gzip data is cut off at the end of the file (byte \(fileBytes)); get the file again"
    case .damaged(let detail, let byteOffset):
      "its gzip data is damaged: \(detail) (byte \(byteOffset) of the file)"
    case .wrongChecksum(let byteOffset):
      "its gzip data is damaged: what it unpacks to does not have the checksum that is stored "
        + "(before byte \(byteOffset) of the file)"
    case .wrongLength(let byteOffset):
      "its gzip data is damaged: what it unpacks to does not have the length that is stored "
        + "(before byte \(byteOffset) of the file)"
    case .trailingBytes(let byteOffset):
      "something that is not gzip follows its gzip data (byte \(byteOffset) of the file)"
    case .otherCompression(let name, let command):
      "looks like \(name); expected the file itself, or gzip: \(printable(command))"
    }
  }
}
