import CadastreModel
import CadastreRealmFile
import CadastreStore
import Foundation

extension Realm.Configuration {
  /// The identity of the store.
  var storeName: String {
    if let inMemoryIdentifier { return "memory:" + inMemoryIdentifier }
    return fileURL.map { $0.standardizedFileURL.path } ?? ""
  }

  /// Opens the store.
  ///
  /// - Throws: ``Realm/Error`` for a contradictory configuration, or `StoreError`.
  func store() throws -> StoreFile {
    try requireConsistency()
    guard objectTypes != nil || RuntimeFeatures.listsClasses else {
      throw Realm.Error(
        .invalidInput,
        "the Swift runtime of this program does not list its classes: name them in objectTypes",
        fileURL)
    }
    if let inMemoryIdentifier { return try OpenStores.temporaryStore(inMemoryIdentifier) }
    let path = try filePath
    if !readOnly { try makeDefaultFolder() }
    if let seedFilePath, !Self.fileExists(path) { try Self.copySeed(seedFilePath, path) }
    let file = try OpenStores.store(
      at: path, access: readOnly ? .readOnly : .readWrite, durability: commitDurability)
    if file.claimOpening() {
      file.columns.setDamageHandler { Logger.write(.warn, .storage, $0) }
      try compact(file)
    }
    file.storeDecodedColumns(storedColumns)
    return file
  }

  /// The durability of the store's commits.
  private var commitDurability: CommitDurability {
    switch durability {
    case .full: .full
    case .normal: .normal
    }
  }

  /// The classes whose columns are stored.
  var storedColumns: CadastreStore.ColumnStorage {
    switch columnStorage {
    case .automatic: .automatic
    case .always: .always
    case .never: .never
    }
  }

  /// Creates the folder of the default store, if this is its configuration.
  func makeDefaultFolder() throws {
    if fileURL == Self.defaultFileURL { try DefaultLocation.makeFolder() }
  }

  /// The path of the file; a configuration without a file stops the process.
  var filePath: String {
    get throws {
      guard let fileURL else {
        ProgrammingError.stop("Realm.Configuration must specify a path or an in-memory identifier.")
      }
      guard fileURL.isFileURL else {
        throw Realm.Error(.invalidInput, "'\(fileURL)' is not a file on this machine", fileURL)
      }
      return fileURL.path
    }
  }

  /// Throws if options of the configuration contradict each other.
  ///
  /// - Throws: ``Realm/Error`` `invalidInput`.
  func requireConsistency() throws {
    if let contradiction { throw Realm.Error(.invalidInput, contradiction, fileURL) }
  }

  /// A sentence about contradictory options; nil if there is none.
  private var contradiction: String? {
    if inMemoryIdentifier?.isEmpty == true {
      ProgrammingError.stop("Realm.Configuration.inMemoryIdentifier must not be empty.")
    }
    if encryptionKey != nil { return Self.noEncryption }
    guard readOnly else { return nil }
    if inMemoryIdentifier != nil {
      return
        "readOnly contradicts inMemoryIdentifier: a store in memory is empty until it is written"
    }
    if shouldCompactOnLaunch != nil {
      return "readOnly contradicts shouldCompactOnLaunch: compacting rewrites the file"
    }
    if deleteRealmIfMigrationNeeded {
      return
        "readOnly contradicts deleteRealmIfMigrationNeeded: nothing is removed from a store that is read only"
    }
    if seedFilePath != nil {
      return
        "readOnly contradicts seedFilePath: open the seed itself, with readOnly, or its copy without"
    }
    return nil
  }

  /// The error message for an encryption key.
  static let noEncryption =
    "Cadastre does not encrypt files, and opens none as if it did: leave encryptionKey nil, and keep the "
    + "file on an encrypted file system (LUKS or fscrypt, FileVault). SQLCipher is not supported"

  private static func fileExists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Copies or imports the seed of a new store.
  ///
  /// A store that another process has created in the meantime is used.
  private static func copySeed(_ seed: URL, _ path: String) throws {
    do {
      if RealmFile.isRealmFile(seed.path) {
        _ = try Realm.write(seed, toNewStore: path)
      } else {
        let snapshot = try OpenStores.readableStore(at: seed.path, upgrade: .none).snapshot()
        try StoreCopy(of: snapshot).write(to: path)
      }
    } catch let error as StoreError {
      guard error.reason == .fileExists, fileExists(path) else { throw error }
    }
  }

  /// Compacts a newly opened store, if the configuration requests it and no other process has the store open.
  private func compact(_ file: StoreFile) throws {
    guard let shouldCompactOnLaunch, inMemoryIdentifier == nil, !file.isOpenElsewhere,
      Self.fileExists(file.path)
    else { return }
    let size = try file.measure()
    guard shouldCompactOnLaunch(size.total, size.used) else { return }
    try file.compact(storing: storedColumns, timeout: writeWait)
    Logger.write(
      .detail, .storage,
      "compacted '\(file.path)': it used \(size.used) of its \(size.total) bytes")
  }
}
