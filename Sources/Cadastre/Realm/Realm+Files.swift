import CadastreQuery
import CadastreRealmFile
import CadastreRealmImport
package import CadastreStore
public import Foundation

extension Realm {
  /// Writes the version that the Realm reads into a new file, without unused space.
  ///
  /// In a write transaction the copy includes uncommitted changes. The file appears only when it is complete.
  ///
  ///     try realm.writeCopy(toFile: backup)
  ///
  /// - Parameters:
  ///   - fileURL: The new file, which must not exist.
  ///   - encryptionKey: Must be nil, see ``Configuration/encryptionKey``.
  /// - Throws: ``Realm/Error``, `fileExists` if the file exists.
  /// - Complexity: O(n) in the size of the store.
  public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
    var configuration = Configuration(fileURL: fileURL)
    configuration.encryptionKey = encryptionKey
    try writeCopy(configuration: configuration)
  }

  /// Writes the version that the Realm reads into the file of a configuration, see
  /// ``writeCopy(toFile:encryptionKey:)``.
  ///
  /// - Throws: ``Realm/Error``, `invalidInput` if the configuration does not name a writable file.
  public func writeCopy(configuration: Configuration) throws {
    let path = try configuration.copyPath
    core.checkThread()
    try Error.translating {
      try core.exclusively {
        Swift.Result { try StoreCopy(of: core.reader(.everything)).write(to: path) }
      }.get()
    }
  }

  /// Returns the unused space of a store to the file system.
  ///
  /// Without compaction, new objects reuse the space of deleted objects. The store may be open, in this and
  /// other processes; the file shrinks once no Realm reads an earlier version. The columns of large classes are
  /// stored first, see ``optimize(for:)``.
  ///
  /// - Parameter configuration: The store; a missing store is not created.
  /// - Returns: The sizes of the file and its log in bytes, before and after.
  /// - Throws: ``Realm/Error``; the store is unchanged then.
  /// - Complexity: O(n) in the size of the store, with disk space for two copies of the used part.
  @discardableResult
  public static func compact(
    for configuration: Configuration = .defaultConfiguration
  ) throws -> (bytesBefore: Int, bytesAfter: Int) {
    guard fileExists(for: configuration) else { return (0, 0) }
    return try Error.translating {
      let file = try configuration.store()
      file.requireOtherWriter()
      let before = try file.measure().total
      try file.compact(storing: configuration.storedColumns, timeout: configuration.writeWait)
      return (before, try file.measure().total)
    }
  }

  /// Stores the columns of large classes in the file, beside the rows.
  ///
  /// The first queries of a process read stored columns faster than rows. Later commits keep them valid: a changed value
  /// is read from its row, and new objects are in rows only, until the next call. The store may be open, in this and
  /// other processes. ``Configuration/columnStorage`` decides which classes are stored; earlier versions of Cadastre
  /// refuse a store with columns.
  ///
  ///     try Realm.optimize(for: configuration)
  ///
  /// - Parameter configuration: The store; a missing store is not created.
  /// - Throws: ``Realm/Error``; the objects are unchanged then.
  /// - Complexity: O(n) in the number of objects whose columns are not stored yet.
  public static func optimize(for configuration: Configuration = .defaultConfiguration) throws {
    guard fileExists(for: configuration) else { return }
    try Error.translating {
      let file = try configuration.store()
      file.requireOtherWriter()
      try file.storeColumns(configuration.storedColumns, timeout: configuration.writeWait)
    }
  }

  /// Returns whether the store of a configuration exists: its file, or its in-memory store in this process.
  public static func fileExists(for configuration: Configuration) -> Bool {
    if let identifier = configuration.inMemoryIdentifier {
      return OpenStores.isTemporaryStoreOpen(identifier)
    }
    return configuration.fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
  }

  /// Removes the store file of a configuration and its accompanying files.
  ///
  /// - Returns: Whether a file was removed.
  /// - Throws: ``Realm/Error``, `alreadyOpen` while the store is in use, in this or another process.
  @discardableResult
  public static func deleteFiles(for configuration: Configuration) throws -> Bool {
    try Error.translating {
      if let identifier = configuration.inMemoryIdentifier {
        guard !OpenStores.isTemporaryStoreOpen(identifier) else {
          throw StoreError(.inUse, path: configuration.storeName)
        }
        return false
      }
      let path = try configuration.filePath
      // The store does not exist if its folder does not.
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      guard FileManager.default.fileExists(atPath: folder) else { return false }
      return try OpenStores.remove(path)
    }
  }
}

extension Realm.Configuration {
  /// The path for a copy with this configuration.
  fileprivate var copyPath: String {
    get throws {
      try requireConsistency()
      guard inMemoryIdentifier == nil, !readOnly else {
        throw Realm.Error(
          .invalidInput,
          "a copy goes into a file that can be written: name a fileURL, without readOnly",
          fileURL)
      }
      return try filePath
    }
  }
}

/// Returns the schema version with which a store was last opened, see ``Realm/Configuration``.
///
/// - Parameters:
///   - fileURL: The file.
///   - encryptionKey: Must be nil.
/// - Returns: The version.
/// - Throws: ``Realm/Error``: `fail` if the store does not exist.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
  guard encryptionKey == nil else {
    throw Realm.Error(.invalidInput, Realm.Configuration.noEncryption, fileURL)
  }
  do {
    return try Realm.Error.translating {
      try OpenStores.readableStore(at: fileURL.path, upgrade: .none).snapshot().versions.schema
    }
  } catch Realm.Error.fileNotFound {
    // As Realm reports it: a store that was never opened has no version.
    throw Realm.Error(
      .fail, "'\(fileURL.path)' does not exist, so it has no schema version", fileURL)
  }
}

extension Realm {
  /// The result of ``Realm/importRealmFile(at:into:encryptionKey:)``.
  public struct FileImport: Hashable, Sendable {
    /// The number of objects of each class, embedded classes included.
    public let objectCounts: [String: Int]
    /// The version of the schema in the file; nil if there is none.
    public let schemaVersion: UInt64?
    /// The omitted parts of the file, one sentence for each.
    ///
    /// The notes list embedded objects without an owner, links to missing objects, and asymmetric classes.
    public let notes: [String]

    init(_ report: RealmImportReport) {
      objectCounts = report.objectCounts
      schemaVersion = report.schemaVersion
      notes = report.notes
    }
  }

  /// Imports all objects of a `.realm` file of MongoDB's Realm into a new store.
  ///
  ///     let configuration = Realm.Configuration(schemaVersion: 7)
  ///     if !Realm.fileExists(for: configuration) {
  ///       try Realm.importRealmFile(at: oldFile, into: configuration)
  ///     }
  ///     let realm = try Realm(configuration: configuration)
  ///
  /// The store has the classes, links, embedded objects, collections, indexes and the schema version of the
  /// file, so the next opening migrates it from that version. The file is only read, and must not be in use.
  /// The store appears only when it is complete.
  ///
  /// - Parameters:
  ///   - fileURL: The Realm file, of format 10, 11 or 20 to 24.
  ///   - configuration: The store, which must not exist.
  ///   - encryptionKey: The 64 bytes of the key of an encrypted file. The store is not encrypted.
  /// - Returns: The numbers of objects, and the omitted parts of the file.
  /// - Throws: ``Realm/Error``; no store is created then.
  /// - Complexity: O(n log n) in the number of objects.
  @discardableResult
  public static func importRealmFile(
    at fileURL: URL, into configuration: Configuration = .defaultConfiguration,
    encryptionKey: Data? = nil
  ) throws -> FileImport {
    try configuration.requireConsistency()
    guard configuration.inMemoryIdentifier == nil, !configuration.readOnly else {
      throw Error(
        .invalidInput,
        "an import goes into a file that can be written: name a fileURL, without readOnly",
        configuration.fileURL)
    }
    let path = try configuration.filePath
    return try Error.translating {
      if FileManager.default.fileExists(atPath: path) { throw StoreError(.fileExists, path: path) }
      try configuration.makeDefaultFolder()
      return FileImport(
        try write(fileURL, toNewStore: path, key: encryptionKey.map(Array.init)))
    }
  }

  /// Imports a Realm file into a new store.
  static func write(
    _ fileURL: URL, toNewStore path: String, key: [UInt8]? = nil
  ) throws -> RealmImportReport {
    do {
      let file = try RealmFile(path: fileURL.path, key: key)
      return try RealmImport(RealmClasses(file), file).write(newStoreAt: path)
    } catch let error as RealmFileError {
      throw Error(error.code, error.description, fileURL)
    } catch let error as RealmImportError {
      throw Error(.invalidDatabase, error.description, fileURL)
    }
  }
}

extension RealmFileError {
  /// The kind of failure.
  fileprivate var code: Realm.Error.Code {
    switch problem {
    case .missing: .fileNotFound
    case .directory, .unreadable, .changed: .fileAccess
    case .keyNeeded, .keyLength, .wrongKey, .notEncrypted: .invalidInput
    case .olderFormat, .unknownFormat, .newerFormat: .unsupportedFileFormatVersion
    case .notARealmFile, .damagedPage, .truncated, .noClass, .damaged: .invalidDatabase
    }
  }
}

/// Access to the store for the import and the export of files.
extension Realm {
  /// Calls a closure with the store of a writable Realm outside of write transactions, and moves to the
  /// newest version afterwards.
  ///
  /// - Parameter body: The closure, which may write the store.
  /// - Returns: The result of the closure.
  /// - Throws: ``Realm/Error`` `invalidInput` if the Realm is frozen, read-only or in a write
  ///   transaction, ``Realm/Error`` for a `StoreError`, or the error of the closure.
  package func withWritableStore<Result>(_ body: (StoreFile) throws -> Result) throws -> Result {
    core.checkThread()
    guard !core.isFrozen, !core.configuration.readOnly, !core.isInWriteTransaction else {
      throw Error(
        .invalidInput,
        "an import needs a Realm that is neither frozen nor read-only nor in a write transaction",
        core.configuration.fileURL)
    }
    let result = try Error.translating { try body(core.file) }
    _ = core.live?.refresh()
    return result
  }

  /// Returns the name of a class that this Realm manages.
  ///
  /// - Throws: ``Realm/Error`` `invalidInput` if the Realm has no such class.
  package func className(of type: ObjectBase.Type) throws -> String {
    let name = DetachedObjects.schema(of: type).className
    guard core.schema[name] != nil else {
      throw Error(
        .invalidInput, "the Realm has no class '\(name)': name it in objectTypes",
        core.configuration.fileURL)
    }
    return name
  }
}

extension Results where Element: ObjectBase {
  /// The objects of a result for an export.
  package struct StoredKeys {
    /// The version of the store.
    package let snapshot: Snapshot
    /// The class.
    package let className: String
    /// The keys, in the order of the result.
    package let keys: [Int64]
    /// Whether the result is sorted.
    package let isSorted: Bool
  }

  /// Calls a closure with the keys of the objects.
  ///
  /// - Parameter body: The closure, which may read the store.
  /// - Returns: The result of the closure.
  /// - Throws: ``Realm/Error`` `invalidInput` in a write transaction, whose changes are uncommitted,
  ///   ``Realm/Error`` if the store cannot be read, or the error of the closure.
  package func withStoredKeys<Output>(
    _ body: (StoredKeys) throws -> Output
  ) throws -> Output {
    let (result, core) = (queryResult, queryResult.core)
    let output = core.exclusively {
      Swift.Result<Output, any Error> {
        try Realm.Error.translating {
          guard let snapshot = try core.currentReader() as? Snapshot else {
            throw Realm.Error(
              .invalidInput, "an export reads a committed version: end the write transaction first",
              core.configuration.fileURL)
          }
          let keys = try Realm(core: core).throwingReadErrors { result.keys }
          return try body(
            StoredKeys(
              snapshot: snapshot, className: result.query.className, keys: keys,
              isSorted: result.isSorted))
        }
      }
    }
    return try output.get()
  }
}
