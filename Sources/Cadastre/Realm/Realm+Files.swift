import CadastreStore
public import Foundation

extension Realm {
  /// Writes the version that the Realm reads into a new file, without unused space.
  ///
  /// In a write transaction the copy includes its uncommitted changes. The file appears only when
  /// it is complete.
  ///
  ///     try realm.writeCopy(toFile: backup)
  ///
  /// - Parameters:
  ///   - fileURL: The new file, which must not exist.
  ///   - encryptionKey: Must be nil, see ``Configuration/encryptionKey``.
  /// - Throws: ``Realm/Error``, `fileExists` where the file exists already.
  /// - Complexity: O(n) in the size of the store.
  public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
    var configuration = Configuration(fileURL: fileURL)
    configuration.encryptionKey = encryptionKey
    try writeCopy(configuration: configuration)
  }

  /// Writes the version that the Realm reads into the file of a configuration, see
  /// ``writeCopy(toFile:encryptionKey:)``.
  ///
  /// - Throws: ``Realm/Error``, `invalidInput` where the configuration names no file that can be
  ///   written.
  public func writeCopy(configuration: Configuration) throws {
    let path = try configuration.copyPath
    core.checkThread()
    try Error.translating {
      try core.exclusively {
        Swift.Result { try StoreCopy(of: core.currentReader()).write(to: path) }
      }.get()
    }
  }

  /// Returns the unused space of a store to the file system.
  ///
  /// Otherwise the space of deleted objects is reused for new ones. Realms of the store may be
  /// open, here and in other processes; the file shrinks once no Realm reads an earlier version.
  ///
  /// - Parameter configuration: The store; a missing store is not created.
  /// - Returns: The bytes of the file and its log before and after.
  /// - Throws: ``Realm/Error``; the store is unchanged then.
  /// - Complexity: O(n) in the size of the store, and space for two copies of the used part.
  @discardableResult
  public static func compact(
    for configuration: Configuration = .defaultConfiguration
  ) throws -> (bytesBefore: Int, bytesAfter: Int) {
    guard fileExists(for: configuration) else { return (0, 0) }
    return try Error.translating {
      let file = try configuration.store()
      WriteLocks.requireNoLock(of: file)
      let before = try file.measure().total
      try file.compact(timeout: configuration.writeWait)
      return (before, try file.measure().total)
    }
  }

  /// Whether the store of a configuration is there: its file, or its name in the memory of this
  /// process.
  public static func fileExists(for configuration: Configuration) -> Bool {
    if let identifier = configuration.inMemoryIdentifier {
      return OpenStores.isTemporaryStoreOpen(identifier)
    }
    return configuration.fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
  }

  /// Removes the file of a configuration, and those beside it.
  ///
  /// - Returns: Whether there was anything to remove.
  /// - Throws: ``Realm/Error``, `alreadyOpen` while a Realm of it is in use, here or in another
  ///   process.
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
      // Without its folder there is no store.
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      guard FileManager.default.fileExists(atPath: folder) else { return false }
      return try OpenStores.remove(path)
    }
  }
}

extension Realm.Configuration {
  /// The path of a copy that a configuration describes.
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

/// The version of the schema that a store was last opened with, see ``Realm/Configuration``.
///
/// - Parameters:
///   - fileURL: The file.
///   - encryptionKey: Must be nil.
/// - Returns: The version.
/// - Throws: ``Realm/Error`` where there is no store.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
  guard encryptionKey == nil else {
    throw Realm.Error(.invalidInput, Realm.Configuration.noEncryption, fileURL)
  }
  return try Realm.Error.translating {
    try OpenStores.readableStore(at: fileURL.path, upgrade: .none).snapshot().versions.schema
  }
}
