import CadastreRealmFile
import CadastreRealmImport
import CadastreStore
public import Foundation

extension Realm {
  /// The result of ``Realm/importRealmFile(at:into:encryptionKey:)``.
  public struct FileImport: Hashable, Sendable {
    /// The number of objects of each class, embedded classes included.
    public let objectCounts: [String: Int]
    /// The version of the schema in the file; nil if there is none.
    public let schemaVersion: UInt64?
    /// What was not imported, one sentence each.
    ///
    /// It lists embedded objects without an owner, links to missing objects, and asymmetric classes.
    public let notes: [String]

    init(_ report: RealmImportReport) {
      objectCounts = report.objects
      schemaVersion = report.schemaVersion
      notes = report.notes
    }
  }

  /// Brings all objects of a `.realm` file of MongoDB's Realm into a new store.
  ///
  ///     let configuration = Realm.Configuration(schemaVersion: 7)
  ///     if !Realm.fileExists(for: configuration) {
  ///       try Realm.importRealmFile(at: oldFile, into: configuration)
  ///     }
  ///     let realm = try Realm(configuration: configuration)
  ///
  /// The classes, links, embedded objects, collections, indexes and the version of the schema are
  /// those of the file, so the next opening migrates the store like a store of that version. The
  /// file is only read; it must not be in use. The store appears only when it is complete.
  ///
  /// - Parameters:
  ///   - fileURL: The Realm file, of format 10, 11 or 20 to 24.
  ///   - configuration: The store, which must not exist.
  ///   - encryptionKey: The 64 bytes of the key of an encrypted file. The store is not encrypted.
  /// - Returns: The numbers of objects, and what was not imported.
  /// - Throws: ``Realm/Error``; nothing is stored then.
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
