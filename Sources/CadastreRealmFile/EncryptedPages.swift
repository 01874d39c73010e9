import Foundation

/// The pages of an encrypted file.
///
/// A group consists of a page with the checksums of 64 pages, and these pages.
struct EncryptedPages {
  private static let pageSize = 4096
  private static let pagesInGroup = 64
  private static let entrySize = 64

  private let bytes: UnsafeRawBufferPointer
  private let path: String
  private let cipher: AES256
  private let authentication: SHA224.AuthenticationKey

  /// Returns whether a file has the size and the first bytes of an encrypted one.
  static func isPossible(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 2 * pageSize && bytes.count % pageSize == 0
      && bytes[0..<4].contains { $0 != 0 }
  }

  /// Prepares the decryption of a file.
  ///
  /// - Throws: ``RealmFileError`` if the key has a wrong length.
  init(_ bytes: UnsafeRawBufferPointer, key: [UInt8], path: String) throws(RealmFileError) {
    guard key.count == 64 else { throw RealmFileError(path, .keyLength(key.count)) }
    self.bytes = bytes
    self.path = path
    cipher = AES256(key: key.prefix(32))
    authentication = SHA224.AuthenticationKey(key.suffix(32))
  }

  /// Returns the content of the file in memory.
  ///
  /// - Throws: ``RealmFileError`` if a page does not match its checksum.
  /// - Complexity: O(n) in the size of the file, also in memory.
  func decrypted() throws(RealmFileError) -> FileImage {
    let pages = bytes.count / Self.pageSize
    let groups = (pages + Self.pagesInGroup) / (Self.pagesInGroup + 1)
    let count = (pages - groups) * Self.pageSize
    guard let memory = calloc(count, 1) else {
      throw RealmFileError(path, .unreadable(reason: "there is not enough memory"))
    }
    let plain = UnsafeMutableRawBufferPointer(start: memory, count: count)
    let file = FileImage(owning: plain)
    for page in 0..<(pages - groups) {
      let start = page * Self.pageSize
      try decrypt(
        page, UnsafeMutableRawBufferPointer(rebasing: plain[start..<(start + Self.pageSize)]))
    }
    return file
  }

  private func decrypt(
    _ page: Int, _ destination: UnsafeMutableRawBufferPointer
  ) throws(RealmFileError) {
    let group = page / Self.pagesInGroup
    let entry =
      group * (Self.pagesInGroup + 1) * Self.pageSize + page % Self.pagesInGroup * Self.entrySize
    // A page with the counter 0 was never written.
    guard !isZero(entry, 4) else { return }
    let start = (page + group + 1) * Self.pageSize
    let source = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Self.pageSize)])
    let code = authentication.code(source)
    let counter: Int
    if matches(code, entry + 4) {
      counter = entry
    } else if !isZero(entry + 32, 4), matches(code, entry + 36) {
      // The writer stored the newer checksum, and stopped before it wrote the page.
      counter = entry + 32
    } else if isZero(start, Self.pageSize) {
      return
    } else {
      throw RealmFileError(path, page == 0 ? .wrongKey : .damagedPage(page))
    }
    var vector = Array(bytes[counter..<(counter + 4)])
    for shift in stride(from: 0, to: 64, by: 8) {
      vector.append(UInt8(truncatingIfNeeded: UInt64(page * Self.pageSize) >> UInt64(shift)))
    }
    vector += [0, 0, 0, 0]
    cipher.decrypt(source, vector: vector, into: destination)
  }

  private func matches(_ code: [UInt8], _ offset: Int) -> Bool {
    bytes[offset..<(offset + SHA224.byteCount)].elementsEqual(code)
  }

  private func isZero(_ offset: Int, _ count: Int) -> Bool {
    bytes[offset..<(offset + count)].allSatisfy { $0 == 0 }
  }
}
