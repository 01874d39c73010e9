import CadastreModel
public import Foundation

extension Realm {
  /// Which store a Realm opens, and which classes it manages.
  ///
  ///     var configuration = Realm.Configuration(
  ///       fileURL: url, objectTypes: [Airport.self, Location.self])
  ///     configuration.writeTimeout = 5
  ///     let realm = try Realm(configuration: configuration)
  public struct Configuration: Sendable {
    /// The file; setting it clears `inMemoryIdentifier`.
    public var fileURL: URL? {
      didSet { if fileURL != nil { inMemoryIdentifier = nil } }
    }
    /// The name of a store that vanishes with its last user; setting it clears `fileURL`.
    public var inMemoryIdentifier: String? {
      didSet {
        guard inMemoryIdentifier != nil else { return }
        fileURL = nil
        seedFilePath = nil
      }
    }
    /// Must be nil: Cadastre does not encrypt files, and a Realm with a key fails to open.
    ///
    /// Keep the file on an encrypted file system instead.
    public var encryptionKey: Data?
    /// Whether the store is read-only; it must exist then.
    ///
    /// No permission to write the file or its folder is needed. A read-only Realm cannot write,
    /// refresh or be observed. All configurations of a file in a process must agree.
    public var readOnly = false
    /// Called with the size of the file and the used bytes when the process opens the store, unless
    /// another process has it open; true compacts it, see ``Realm/compact(for:)``.
    public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?
    /// The store whose copy a new one begins as; setting it clears `inMemoryIdentifier`.
    ///
    /// A `.realm` file of MongoDB's Realm is imported, see
    /// ``Realm/importRealmFile(at:into:encryptionKey:)``. Its version of the schema is kept, so the
    /// opening migrates it to `schemaVersion`.
    public var seedFilePath: URL? {
      didSet { if seedFilePath != nil { inMemoryIdentifier = nil } }
    }
    /// The version of the program's classes; a store of a lower one is migrated when it is opened.
    ///
    /// Count it up with each release that changes stored properties; `UInt64.max` is refused.
    public var schemaVersion: UInt64 = 0
    /// Migrates the objects of a store of a lower version, after the automatic changes; nil for
    /// none.
    public var migrationBlock: ThrowingMigrationBlock?
    /// Whether a store that would need a migration, or is of a higher version, is emptied instead.
    ///
    /// All objects of all classes go then, and the migration block does not run.
    public var deleteRealmIfMigrationNeeded = false
    /// Whether a migration deletes properties of stored objects that the classes no longer name.
    ///
    /// If it is false, a migration that would delete values fails with ``Realm/Error`` and the names
    /// of the properties, and the store stays as it is; the migration block renames them, or allows
    /// it by ``Migration/deleteProperty(onType:named:)``.
    public var deletesUnusedColumns = true
    /// The classes to manage; nil for all model classes of the program.
    public var objectTypes: [ObjectBase.Type]?
    /// The limit in bytes of the columns cached for queries; with 0 each query reads the file.
    ///
    /// All Realms of a process that have the store open share the cache, and the Realm opened last
    /// with a limit sets it for all. Nil keeps the limit, which is 256 MiB at first.
    public var columnMemoryLimit: Int?
    /// The largest number of threads that one query uses; nil for the number of active cores.
    ///
    /// Several threads filter the rows of large scans; short queries use one. Where it is not 1, a second
    /// thread stores the rows of many objects that are added one after the other.
    public var maximumQueryThreads: Int?

    /// Called with the first error of a read whose signature cannot throw, such as `count`, see
    /// ``Realm/readError``; by default it is written to standard error.
    public var readErrorHandler: @Sendable (Realm.Error) -> Void = Self.logReadError

    /// The largest number of versions that this process may use at once; nil or 0 for any number.
    ///
    /// Realms that do not refresh and frozen objects use a version; a write beyond the number stops
    /// the process. Each version in use keeps the store's log from shrinking.
    public var maximumNumberOfActiveVersions: UInt?
    /// The time in seconds to wait for the write lock, after which a write fails with
    /// ``Realm/Error/fileAccess``.
    public var writeTimeout: TimeInterval = 60

    var writeWait: Duration { .seconds(min(max(0, writeTimeout), 1e9)) }

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - fileURL: The file; by default ``defaultFileURL``.
    ///   - inMemoryIdentifier: The name of a store that is deleted with its last user, instead of a
    ///     file.
    ///   - encryptionKey: Must be nil.
    ///   - readOnly: Whether the store is read-only.
    ///   - schemaVersion: The version of the program's classes.
    ///   - migrationBlock: Migrates the objects of a store of a lower version.
    ///   - deleteRealmIfMigrationNeeded: Whether a store that would need a migration is emptied
    ///     instead.
    ///   - shouldCompactOnLaunch: Called with the size of the file and the used bytes; true
    ///     compacts it.
    ///   - objectTypes: The classes to manage; nil for all model classes of the program.
    ///   - seedFilePath: The store that is copied, or the `.realm` file that is imported, to
    ///     create this one.
    public init(
      fileURL: URL? = Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
      encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
      migrationBlock: ThrowingMigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
      shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
      objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
    ) {
      self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
      self.inMemoryIdentifier = inMemoryIdentifier
      self.encryptionKey = encryptionKey
      self.readOnly = readOnly
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      self.objectTypes = objectTypes
      self.seedFilePath = seedFilePath
    }

    /// `default.cadastre` in a folder of the program's name in the user's folder for data.
    ///
    /// On Linux that is `$XDG_DATA_HOME/<program>/default.cadastre`, or
    /// `~/.local/share/<program>/default.cadastre`; on Apple platforms it is in the folder for
    /// application support. The folder is made when the store is opened.
    public static var defaultFileURL: URL { DefaultLocation.url }

    /// The configuration that `Realm()` opens.
    public static var defaultConfiguration: Configuration {
      get { current.withLock { $0 ?? Configuration() } }
      set { current.withLock { $0 = newValue } }
    }

    private static let current = Guarded<Configuration?>(nil)

    /// The classes to manage, those of the program if none are named.
    var managedTypes: [ObjectBase.Type] { objectTypes ?? ClassDiscovery.defaultClasses }
  }
}

extension Realm.Configuration: Equatable, CustomStringConvertible {
  /// Two configurations are equal when they open the same store with the same options; classes are
  /// not compared.
  public static func == (first: Self, second: Self) -> Bool {
    first.fileURL == second.fileURL && first.inMemoryIdentifier == second.inMemoryIdentifier
      && first.encryptionKey == second.encryptionKey && first.readOnly == second.readOnly
      && first.schemaVersion == second.schemaVersion
  }

  /// The store and the classes.
  public var description: String {
    let names = objectTypes.map { $0.map { $0.className() }.joined(separator: ", ") }
    return
      "Realm.Configuration(\(storeName)\(readOnly ? ", readOnly" : ""), objectTypes: \(names ?? "all"))"
  }
}

/// The default location of a program's store.
///
/// On Linux it follows the XDG Base Directory Specification:
/// `$XDG_DATA_HOME/<program>/default.cadastre`, or `~/.local/share/<program>/default.cadastre`
/// where the variable is missing or not an absolute path. On Apple platforms it is in the folder
/// for application support.
enum DefaultLocation {
  static let fileName = "default.cadastre"

  /// The file of this program.
  static var url: URL {
    let process = ProcessInfo.processInfo
    #if canImport(Darwin)
      let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
      if let support = support.first {
        return file(in: support, of: Bundle.main.bundleIdentifier ?? process.processName)
      }
    #endif
    let home = FileManager.default.homeDirectoryForCurrentUser
    return file(in: dataFolder(process.environment, home), of: process.processName)
  }

  /// Returns the user's folder for data.
  static func dataFolder(_ environment: [String: String], _ home: URL) -> URL {
    if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
      return URL(fileURLWithPath: folder)
    }
    return home.appendingPathComponent(".local/share")
  }

  private static func file(in folder: URL, of program: String) -> URL {
    folder.appendingPathComponent(program.isEmpty ? "cadastre" : program)
      .appendingPathComponent(fileName)
  }

  /// Makes the folder of this program, for the user alone, unless it is there.
  static func makeFolder() throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }
}
