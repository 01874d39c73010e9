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
    return 0
  }
}
