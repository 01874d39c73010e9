import Foundation

/// What a file is, told from its first bytes before SQLite touches it.
enum FileProbe {
  /// Marks a store in the header of its SQLite file: "CDST".
  static let applicationIdentifier: UInt32 = 0x4344_5354
  /// The version of the format that this code writes, and the newest that it reads.
  static let formatVersion = 1

  /// Whether a file is there, and that it is a store of a version we read.
  ///
  /// An empty file counts as missing. Nothing is changed.
  ///
  /// - Throws: ``StoreError`` when something else is there.
  static func exists(_ path: String) throws(StoreError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw StoreError(systemError: errno, path: path) }
      return false
    }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw StoreError(.isDirectory, path: path) }
    guard status.st_size > 0 else { return false }
    try check(try header(path), path)
    return true
  }

  private static func header(_ path: String) throws(StoreError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(systemError: errno, path: path) }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: headerSize)
    let count = header.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw StoreError(systemError: errno, path: path) }
    return Array(header[..<count])
  }

  /// Source: sqlite.org/fileformat2.html, "The Database Header".
  private static func check(_ header: [UInt8], _ path: String) throws(StoreError) {
    guard header.count == headerSize, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw StoreError(.notADatabase, path: path)
    }
    let word = { (offset: Int) in
      header[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    guard word(68) == applicationIdentifier else { throw StoreError(.foreignDatabase, path: path) }
    let version = Int(Int32(bitPattern: word(60)))
    guard version <= formatVersion else {
      throw StoreError(.newerFormat(found: version, supported: formatVersion), path: path)
    }
  }

  private static let headerSize = 100
}
