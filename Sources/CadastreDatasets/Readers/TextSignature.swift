/// Tells text in UTF-8 from other things by the first bytes.
enum TextSignature {
  private static let foreign: [(bytes: [UInt8], name: String)] = [
    ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
  ]

  /// How many bytes the byte order mark takes: 3, or 0 if there is none.
  ///
  /// - Parameters:
  ///   - first: The first four bytes of the file, or all if there are fewer.
  ///   - path: The file, as it was named by the caller.
  /// - Returns: How many bytes to step over.
  /// - Throws: What the file is instead of text.
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
