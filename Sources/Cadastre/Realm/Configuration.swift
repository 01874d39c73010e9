import CadastreModel
public import Foundation

extension Realm {
  /// The store that a Realm opens, and the classes that the Realm manages.
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
    /// The name of an in-memory store, which is deleted with its last user; setting it clears `fileURL`.
    public var inMemoryIdentifier: String? {
      didSet {
        guard inMemoryIdentifier != nil else { return }
        fileURL = nil
        seedFilePath = nil
      }
    }
    /// The encryption key, which must be nil: Cadastre does not encrypt files, and opening with a key fails.
    ///
    /// Keep the file on an encrypted file system instead.
    public var encryptionKey: Data?
    /// Whether the store is read-only; a read-only store must exist.
    ///
    /// No permission to write the file or its folder is needed. A read-only Realm cannot write,
    /// refresh or be observed. All configurations of a file in a process must agree.
    public var readOnly = false
    /// Decides by the size of the file and the used bytes whether the store is compacted.
    ///
    /// The closure is called when the process opens the store, unless another process has it open, see
    /// ``Realm/compact(for:)``.
    public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?
    /// The store that is copied to create a missing store; setting it clears `inMemoryIdentifier`.
    ///
    /// A `.realm` file of MongoDB's Realm is imported, see ``Realm/importRealmFile(at:into:encryptionKey:)``.
    /// The copy has the schema version of the original, so opening migrates it to `schemaVersion`.
    public var seedFilePath: URL? {
      didSet { if seedFilePath != nil { inMemoryIdentifier = nil } }
    }
    /// The version of the program's classes; opening migrates a store of a lower version.
    ///
    /// Increase the version with each release that changes stored properties; `UInt64.max` is invalid.
    public var schemaVersion: UInt64 = 0
    /// Migrates the objects of a store of a lower version, after the automatic changes; nil for
    /// none.
    public var migrationBlock: ThrowingMigrationBlock?
    /// Whether a store that needs a migration, or has a higher version, is emptied instead.
    ///
    /// All objects of all classes are deleted, and the migration block does not run.
    public var deleteRealmIfMigrationNeeded = false
    /// Whether a migration deletes stored properties that the classes no longer declare.
    ///
    /// If false, a migration that would delete values fails with ``Realm/Error`` that names the properties,
    /// and the store is unchanged. The migration block can rename the properties, or allow their deletion
    /// with ``Migration/deleteProperty(onType:named:)``.
    public var deletesUnusedColumns = true
    /// The classes to manage; nil for all model classes of the program.
    public var objectTypes: [ObjectBase.Type]?
    /// The durability of commits.
    ///
    /// All configurations of a file in a process must agree. An in-memory store ignores it.
    public var durability = Durability.full
    /// The limit in bytes of the column cache, which also has nodes of spatial indexes; with 0 each query reads the file.
    ///
    /// All Realms of a store in a process share the cache; the last opened Realm with a limit sets the limit.
    /// Nil does not change the limit. The default is an eighth of the memory of the machine, or of the container
    /// on Linux; at least 256 MiB, but at most a quarter of the memory. The cache becomes smaller while the system
    /// has little memory left, and while a sort of all objects of a class needs buffers: these use at most three quarters
    /// of the limit, or 96 MiB.
    public var columnMemoryLimit: Int?
    /// The classes whose columns are stored in the file too, see ``Realm/optimize(for:)``.
    ///
    /// Columns are stored in `optimize`, in ``Realm/compact(for:)``, and in the background after queries have read them
    /// from objects. The last opened Realm of a store in a process decides about the background.
    public var columnStorage = ColumnStorage.automatic
    /// The largest number of threads that one query uses; nil for the number of active cores.
    ///
    /// Several threads filter the rows of large scans; short queries use one thread. If the number is not 1,
    /// a background thread stores the rows of long sequences of insertions.
    public var maximumQueryThreads: Int?

    /// The handler of the first error of a read that cannot throw, such as `count`, see ``Realm/readError``;
    /// by default the error is logged.
    public var readErrorHandler: @Sendable (Realm.Error) -> Void = Self.logReadError

    /// The maximum number of versions in use by this process; nil or 0 for no limit.
    ///
    /// Frozen objects, and Realms that do not refresh, use a version; a write beyond the limit stops the
    /// process. The store's log cannot shrink while an old version is in use.
    public var maximumNumberOfActiveVersions: UInt?
    /// The timeout in seconds for the write lock; after the timeout a write fails with
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

    /// The file `default.cadastre` in the program's folder within the user's data folder.
    ///
    /// On Linux that is `$XDG_DATA_HOME/<program>/default.cadastre`, or
    /// `~/.local/share/<program>/default.cadastre`; on Apple platforms it is in the folder for application
    /// support. Opening the store creates the folder.
    public static var defaultFileURL: URL { DefaultLocation.url }

    /// The configuration that `Realm()` opens.
    public static var defaultConfiguration: Configuration {
      get { current.withLock { $0 ?? Configuration() } }
      set { current.withLock { $0 = newValue } }
    }

    private static let current = Guarded<Configuration?>(nil)

    /// The durability of the commits of a store.
    ///
    /// Each commit survives the end of the process, however it ends.
    public enum Durability: Sendable {
      /// A commit survives a loss of power when the write returns: the log is synchronised with the disk.
      case full
      /// A loss of power, or a crash of the system, may undo the last commits; the store is then consistent, at an
      /// earlier version. Writes do not wait for the disk.
      case normal
    }

    /// The classes whose columns a store contains beside the rows.
    public enum ColumnStorage: Sendable {
      /// Classes with 100,000 objects or more.
      case automatic
      /// All classes with more than 4,096 objects.
      case always
      /// None; stored columns are removed.
      case never
    }

    /// The classes to manage; without `objectTypes`, all model classes of the program.
    var managedTypes: [ObjectBase.Type] { objectTypes ?? ClassDiscovery.defaultClasses }
  }
}

extension Realm.Configuration: Equatable, CustomStringConvertible {
  /// Returns whether two configurations open the same store with the same options; classes are not compared.
  public static func == (first: Self, second: Self) -> Bool {
    first.fileURL == second.fileURL && first.inMemoryIdentifier == second.inMemoryIdentifier
      && first.encryptionKey == second.encryptionKey && first.readOnly == second.readOnly
      && first.schemaVersion == second.schemaVersion && first.durability == second.durability
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
/// On Linux it follows the XDG Base Directory Specification: `$XDG_DATA_HOME/<program>/default.cadastre`, or
/// `~/.local/share/<program>/default.cadastre` if the variable is missing or not an absolute path. On Apple
/// platforms it is in the folder for application support.
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

  /// Creates the missing folder of this program, with access for the user only.
  static func makeFolder() throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }
}
