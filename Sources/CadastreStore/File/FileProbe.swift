import CadastreSQLite
import Foundation

/// The identification of a file by its first bytes, before SQLite opens it.
package enum FileProbe {
  /// The application identifier in the header of a store's SQLite file: "CDST".
  static let applicationIdentifier: UInt32 = 0x4344_5354
  /// The format version that this code writes; see ``StoreUpgrade``.
  static let formatVersion = 2
  /// The format version of a store with compound indexes.
  static let compoundIndexFormat = 3
  /// The format version of a store with segments of columns, and the newest that this code reads.
  static let newestFormat = 4

  /// The content of a path.
  enum Content {
    /// No file, or an empty one.
    case nothing
    /// A store of a supported format, and whether another process has the store open.
    case store(isOpenElsewhere: Bool, format: Int)
  }

  /// Returns the content of a path.
  ///
  /// The transaction of a hot rollback journal is rolled back first.
  ///
  /// - Throws: ``StoreError`` when the path contains anything but a store.
  static func content(at path: String) throws(StoreError) -> Content {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw StoreError(systemError: errno, path: path) }
      return .nothing
    }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw StoreError(.isDirectory, path: path) }
    guard status.st_size > 0 else { return .nothing }
    let hasJournal = StoreFile.size(of: path + "-journal") ?? 0 > 0
    do throws(StoreError) {
      let content = try existingContent(at: path)
      if !hasJournal { return content }
    } catch {
      guard hasJournal, error.reason == .notADatabase else { throw error }
    }
    // The power was lost during the creation of a store, which is the only transaction with a rollback
    // journal.
    try rollBack(path)
    return StoreFile.size(of: path) == 0 ? .nothing : try existingContent(at: path)
  }

  private static func existingContent(at path: String) throws(StoreError) -> Content {
    let descriptor = DatabaseFiles.open(path)
    guard descriptor >= 0 else { throw StoreError(systemError: errno, path: path) }
    defer { DatabaseFiles.close(descriptor) }
    let format = try format(try header(descriptor, path), path)
    // A file system without locks is refused where the store is opened for writing.
    let holder = try? FileLocks.holder(of: .connections, descriptor, path)
    return .store(isOpenElsewhere: holder != nil, format: format)
  }

  /// Lets SQLite roll back the transaction whose journal is beside a file.
  private static func rollBack(_ path: String) throws(StoreError) {
    _ = try Connection(path: path, mode: .readWrite).integer("PRAGMA user_version")
  }

  /// Returns whether a path contains a store of any version.
  package static func isStore(_ path: String) -> Bool {
    var status = stat()
    // Opening a pipe would wait for its writer.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    do throws(StoreError) {
      guard case .store = try content(at: path) else { return false }
      return true
    } catch {
      if case .newerFormat = error.reason { return true }
      return false
    }
  }

  /// Returns the first bytes of a file: fewer than 100 where the file is shorter.
  static func header(
    _ descriptor: Int32, _ path: String
  ) throws(StoreError) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: headerSize)
    var count = 0
    // A network file system may transfer fewer bytes than were requested.
    while count < headerSize {
      let added = header.withUnsafeMutableBytes { bytes in
        pread(descriptor, bytes.baseAddress?.advanced(by: count), headerSize - count, off_t(count))
      }
      guard added >= 0 else { throw StoreError(systemError: errno, path: path) }
      guard added > 0 else { break }
      count += added
    }
    return Array(header[..<count])
  }

  /// Returns the format of the store with a header.
  ///
  /// Source: sqlite.org/fileformat2.html, "The Database Header".
  private static func format(_ header: [UInt8], _ path: String) throws(StoreError) -> Int {
    guard !isMongoDBRealm(header) else { throw StoreError(.mongoDBRealm, path: path) }
    guard header.count == headerSize, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw StoreError(.notADatabase, path: path)
    }
    let word = { (offset: Int) in
      header[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    guard word(68) == applicationIdentifier else { throw StoreError(.foreignDatabase, path: path) }
    let version = Int(Int32(bitPattern: word(60)))
    try requireSupported(version, path)
    return version
  }

  /// Throws an error if a store has a format that this code does not read.
  static func requireSupported(_ format: Int, _ path: String) throws(StoreError) {
    guard format <= newestFormat else {
      throw StoreError(.newerFormat(found: format, supported: newestFormat), path: path)
    }
  }

  /// Returns whether a header belongs to a Realm file.
  ///
  /// Source: realm-core, `src/realm/alloc_slab.hpp`: 16 bytes of references, then this mnemonic.
  private static func isMongoDBRealm(_ header: [UInt8]) -> Bool {
    header.count >= 24 && header[16..<20].elementsEqual("T-DB".utf8)
  }

  private static let headerSize = 100
}
